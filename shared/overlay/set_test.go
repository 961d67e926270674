package overlay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
)

// A stage is a set over a database that counts reads, on a line that can go
// quiet, by a clock that a test moves.
type stage struct {
	*Set
	on      store.DB // past the line, as another process uses it
	meter   *storetest.Meter
	line    *storetest.Line
	batches atomic.Int64 // calls of GetAll
	offset  atomic.Int64 // of the clock
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{on: embedded(t)}
	s.line = storetest.NewLine(s.on)
	s.meter = storetest.NewMeter(s.line)
	start := time.Now()
	now := func() time.Time { return start.Add(time.Duration(s.offset.Load())) }
	s.Set = NewSet(batched{s.meter, &s.batches}, slog.New(slog.DiscardHandler), now)
	return s
}

// batched counts the calls of GetAll.
type batched struct {
	store.DB
	n *atomic.Int64
}

func (b batched) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	b.n.Add(1)
	return b.DB.GetAll(ctx, ps)
}

func (s *stage) pass(d time.Duration) { s.offset.Add(int64(d)) }

// follow follows a kind of its own, and returns the text that is shown of shard
// 0.
func (s *stage) follow(t *testing.T, k Kind) func() string {
	t.Helper()
	var text atomic.Pointer[string]
	f := Follow(t.Context(), s.Set, k, func(_ int, data []byte) error {
		shown := string(data)
		text.Store(&shown)
		return nil
	})
	for k.NoHead && text.Load() == nil {
		<-f.Changed()
	}
	return func() string {
		if p := text.Load(); p != nil {
			return *p
		}
		return ""
	}
}

func (s *stage) update(t *testing.T, k Kind, text string) {
	t.Helper()
	if err := k.Update(t.Context(), s.on, 0, set(text)); err != nil {
		t.Fatal(err)
	}
}

// kinds returns n kinds of one shard each, with a head.
func kinds(n int) []Kind {
	var list []Kind
	for i := range n {
		list = append(list, Kind{Name: fmt.Sprint("kind", i), Shards: 1})
	}
	return list
}

// TestConfirmMuted changes a shard while the watch delivers nothing: the change
// is shown by the first answer after ten seconds, and not before.
func TestConfirmMuted(t *testing.T) {
	s := newStage(t)
	k := kinds(1)[0]
	s.update(t, k, "old")
	text := s.follow(t, k)
	s.line.Mute()
	s.update(t, k, "new")
	for _, step := range []struct {
		after time.Duration
		want  string
	}{{0, "old"}, {MaxAge, "old"}, {time.Second, "new"}} {
		s.pass(step.after)
		if err := s.Confirm(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := text(); got != step.want {
			t.Errorf("%v later: %q is shown, want %q", step.after, got, step.want)
		}
	}
	if lags := s.Stale(s.Now()); len(lags) > 0 {
		t.Errorf("stale after a check: %v", lags)
	}
}

// TestConfirmClockSetBack moves the clock back: what is shown is confirmed as
// after a pause.
func TestConfirmClockSetBack(t *testing.T) {
	s := newStage(t)
	k := kinds(1)[0]
	s.update(t, k, "old")
	text := s.follow(t, k)
	s.line.Mute()
	s.update(t, k, "new")
	s.pass(-time.Hour)
	if err := s.Confirm(t.Context()); err != nil || text() != "new" {
		t.Errorf("%q is shown, %v", text(), err)
	}
}

// TestConfirmCost answers a request each second for ten minutes, from five
// followers with a head and one without: each head costs one read in ten
// seconds, in one batch for all of them.
func TestConfirmCost(t *testing.T) {
	s := newStage(t)
	for _, k := range kinds(5) {
		s.update(t, k, "text")
		s.follow(t, k)
	}
	k := Kind{Name: "counters", Shards: 16, NoHead: true}
	s.update(t, k, "text")
	s.follow(t, k)
	s.line.Mute()
	before, batches := s.meter.Ops(), s.batches.Load()
	for range 600 {
		s.pass(time.Second)
		if err := s.Confirm(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	checks := s.batches.Load() - batches
	if checks < 50 || checks > 60 {
		t.Errorf("%d checks in ten minutes", checks)
	}
	if ops := s.meter.Ops().Less(before); ops != (storetest.Ops{Reads: 5 * checks}) {
		t.Errorf("%d checks cost %+v", checks, ops)
	}
	s.pass(time.Hour)
	before = s.meter.Ops()
	var answers sync.WaitGroup
	for range 100 {
		answers.Go(func() {
			if err := s.Confirm(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	answers.Wait()
	if ops := s.meter.Ops().Less(before); ops != (storetest.Ops{Reads: 5}) {
		t.Errorf("100 answers at once cost %+v", ops)
	}
}

// TestConfirmFree measures what a fresh set adds to an answer: no allocation.
func TestConfirmFree(t *testing.T) {
	s := newStage(t)
	s.follow(t, kinds(1)[0])
	if err := s.Confirm(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(1000, func() { _ = s.Confirm(t.Context()) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestConfirmWord hears from the watch: that takes the place of a check.
func TestConfirmWord(t *testing.T) {
	s := newStage(t)
	k := kinds(1)[0]
	s.update(t, k, "old")
	shown := make(chan string, 9)
	Follow(t.Context(), s.Set, k, func(_ int, data []byte) error { shown <- string(data); return nil })
	s.pass(MaxAge + time.Second)
	s.update(t, k, "new")
	for text := range shown {
		if text == "new" {
			break
		}
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for s.followers[0].heard.Load() != s.Now().UnixNano() { // the load that showed it has not ended
		<-tick.C
	}
	before := s.meter.Ops()
	if err := s.Confirm(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ops := s.meter.Ops().Less(before); ops != (storetest.Ops{}) {
		t.Errorf("a check after an event costs %+v", ops)
	}
}

// frozen runs f under a fake clock, with a set whose database can freeze.
func frozen(t *testing.T, f func(t *testing.T, s *Set, line *storetest.Line)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		line := storetest.NewLine(still{embedded(t)})
		ctx, cancel := context.WithCancel(t.Context())
		f(t, NewSet(line, slog.New(slog.DiscardHandler), time.Now), line)
		cancel()
		<-ctx.Done()
	})
}

// still is a database whose watches yield nothing, so that a fake clock goes on
// without reading files.
type still struct{ store.DB }

func (still) Watch(ctx context.Context, _ store.Path) iter.Seq2[store.Doc, error] {
	return func(func(store.Doc, error) bool) { <-ctx.Done() }
}

// TestConfirmFrozen freezes the connection for a minute: an answer waits a
// second at most, few wait at all, and Stale says how old the last word is.
func TestConfirmFrozen(t *testing.T) {
	frozen(t, func(t *testing.T, s *Set, line *storetest.Line) {
		mustUpdate(t, line.DB, 0, "old")
		Follow(t.Context(), s, kind, func(int, []byte) error { return nil })
		line.Freeze()
		time.Sleep(MaxAge + time.Millisecond)
		var slow int
		for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(100 * time.Millisecond) {
			asked := time.Now()
			_ = s.Confirm(t.Context())
			switch waited := time.Since(asked); {
			case waited > confirmTime:
				t.Fatalf("an answer waits for %v", waited)
			case waited > 0:
				slow++
			}
		}
		if slow < 3 || slow > 10 {
			t.Errorf("%d answers wait in a minute", slow)
		}
		lags := s.Stale(time.Now())
		if len(lags) != 1 || lags[0].Name != kind.Name || lags[0].Age < time.Minute {
			t.Errorf("stale: %v", lags)
		}
		line.Thaw()
		time.Sleep(MaxAge)
		if err := s.Confirm(t.Context()); err != nil || len(s.Stale(time.Now())) > 0 {
			t.Errorf("after that: %v, stale %v", err, s.Stale(time.Now()))
		}
	})
}

// TestFollowFrozen starts with a frozen connection: the first follower waits a
// second, the others not at all, and all are loaded once it works again.
func TestFollowFrozen(t *testing.T) {
	frozen(t, func(t *testing.T, s *Set, line *storetest.Line) {
		all := kinds(5)
		for _, k := range all {
			if err := k.Update(t.Context(), line.DB, 0, set("text")); err != nil {
				t.Fatal(err)
			}
		}
		line.Freeze()
		start := time.Now()
		var shown atomic.Int64
		for _, k := range all {
			Follow(t.Context(), s, k, func(int, []byte) error { shown.Add(1); return nil })
		}
		if waited := time.Since(start); waited != FirstWord {
			t.Errorf("five followers wait for %v", waited)
		}
		if lags := s.Stale(time.Now()); len(lags) != len(all) || lags[0].Age != FirstWord {
			t.Errorf("stale: %v", lags)
		}
		asked := time.Now()
		_ = s.Confirm(t.Context())
		if waited := time.Since(asked); waited != 0 {
			t.Errorf("the first answer waits for %v more", waited)
		}
		line.Thaw()
		time.Sleep(MaxAge)
		if err := s.Confirm(t.Context()); err != nil || shown.Load() != int64(len(all)) {
			t.Errorf("%d are shown, %v", shown.Load(), err)
		}
	})
}

// TestConfirmSlowLoad confirms a change whose loading takes long: answers wait
// three seconds at most, and the loading goes on.
func TestConfirmSlowLoad(t *testing.T) {
	frozen(t, func(t *testing.T, s *Set, line *storetest.Line) {
		mustUpdate(t, line.DB, 0, "old")
		var texts []string
		Follow(t.Context(), s, kind, func(_ int, data []byte) error {
			if string(data) != "old" {
				time.Sleep(20 * time.Second)
			}
			texts = append(texts, string(data))
			return nil
		})
		mustUpdate(t, line.DB, 0, "new")
		time.Sleep(MaxAge + time.Millisecond)
		for i := range 3 {
			asked := time.Now()
			err := s.Confirm(t.Context())
			if waited := time.Since(asked); waited > confirmWait || (err == nil) != (waited == 0) {
				t.Errorf("answer %d waits for %v, %v", i, waited, err)
			}
		}
		if lags := s.Stale(time.Now()); len(lags) != 1 {
			t.Errorf("stale while it loads: %v", lags)
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if err := s.Confirm(t.Context()); err != nil || !slices.Equal(texts, []string{"old", "new"}) {
			t.Errorf("%q were shown, %v", texts, err)
		}
	})
}

// TestConfirmLoadHangs checks a changed subject again while loading it hangs: the
// second check does not wait for it, so that loads do not pile up.
func TestConfirmLoadHangs(t *testing.T) {
	s := newStage(t)
	k := kinds(1)[0]
	s.update(t, k, "old")
	hang, loads := make(chan struct{}), make(chan struct{}, 9)
	f := s.Follow(t.Context(), Subject{Name: "subject", Head: k.head(), Load: func(context.Context, store.Doc) error {
		if loads <- struct{}{}; len(loads) > 1 {
			<-hang
		}
		return nil
	}})
	s.line.Mute()
	s.update(t, k, "new")
	docs, err := s.on.GetAll(t.Context(), []store.Path{k.head()})
	if err != nil {
		t.Fatal(err)
	}
	ends := make(chan error, 2)
	for range 2 {
		go func() { ends <- f.confirm(docs[0], s.Now().UnixNano()) }()
	}
	select {
	case err := <-ends:
		if err == nil {
			t.Error("a check confirms what is still being loaded")
		}
	case <-time.After(10 * time.Second):
		t.Error("both checks wait for a load")
	}
	close(hang)
	if err := <-ends; err != nil {
		t.Error(err)
	}
}

// TestFollowNoHeadMemory follows a kind without a head: the documents of its shards
// are shown and not kept beside that.
func TestFollowNoHeadMemory(t *testing.T) {
	s := newStage(t)
	k := Kind{Name: "counters", Shards: 1, NoHead: true}
	s.update(t, k, "text")
	if text := s.follow(t, k)(); text != "text" {
		t.Fatalf("%q is shown", text)
	}
	f := s.followers[0]
	f.loading.Lock() // the load that showed it has ended
	defer f.loading.Unlock()
	if f.seen.content != nil {
		t.Errorf("a shard is kept: %v", f.seen.content)
	}
}

// TestStaleBroken starts with a broken shard beside a good one: the follower is
// listed as stale and as loaded, since the process can answer without the shard.
func TestStaleBroken(t *testing.T) {
	s := newStage(t)
	mustUpdate(t, s.on, 0, "good")
	mustUpdate(t, s.on, 2, "broken")
	if err := s.on.Set(t.Context(), kind.shard(2), shard{9, []byte("no deflated bytes")}); err != nil {
		t.Fatal(err)
	}
	Follow(t.Context(), s.Set, kind, func(int, []byte) error { return nil })
	lags := s.Stale(s.Now())
	if diff := cmp.Diff([]Lag{{Name: kind.Name, Loaded: true}}, lags); diff != "" {
		t.Errorf("stale (-want +got):\n%s", diff)
	}
}

// TestConfirmRefused has a change that cannot be shown: a check costs its head
// alone, and says so, until the change is shown.
func TestConfirmRefused(t *testing.T) {
	s := newStage(t)
	k := kinds(1)[0]
	var refuse atomic.Bool
	Follow(t.Context(), s.Set, k, func(int, []byte) error {
		if refuse.Load() {
			return errRefused
		}
		return nil
	})
	s.line.Mute()
	refuse.Store(true)
	s.update(t, k, "refused")
	for i := range 3 {
		s.pass(2 * MaxAge)
		before := s.meter.Ops()
		err := s.Confirm(t.Context())
		if reads := s.meter.Ops().Less(before).Reads; err == nil || i > 0 && reads != 1 {
			t.Errorf("check %d costs %d reads, %v", i, reads, err)
		}
		if lags := s.Stale(s.Now()); len(lags) != 1 {
			t.Errorf("stale after check %d: %v", i, lags)
		}
	}
	refuse.Store(false)
	s.pass(2 * MaxAge)
	s.update(t, k, "shown")
	if err := s.Confirm(t.Context()); err != nil || len(s.Stale(s.Now())) > 0 {
		t.Errorf("mended: %v, stale %v", err, s.Stale(s.Now()))
	}
}

// TestWatchFails loses the watch and gets it back with nothing changed: the
// subject is given its head again, so that it can take back what Failed said.
func TestWatchFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &failing{DB: embedded(t)}
		var loads, failures int
		ctx, cancel := context.WithCancel(t.Context())
		NewSet(db, slog.New(slog.DiscardHandler), time.Now).Follow(ctx, Subject{
			Name: "subject", Head: "subjects/one",
			Load:   func(context.Context, store.Doc) error { loads++; return nil },
			Failed: func(_ context.Context, err error) { failures++ },
		})
		synctest.Wait()
		if loads != 1 || failures != 0 {
			t.Errorf("at first %d loads, %d failures", loads, failures)
		}
		db.set(true)
		synctest.Wait()
		db.set(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		if loads != 2 || failures != 1 {
			t.Errorf("after that %d loads, %d failures", loads, failures)
		}
		cancel()
		synctest.Wait()
	})
}

// lagging is a database whose watch delivers what a test sends.
type lagging struct {
	store.DB
	events chan store.Doc
	taken  chan struct{}
}

func (l lagging) Watch(ctx context.Context, _ store.Path) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		for {
			select {
			case <-ctx.Done():
				return
			case doc := <-l.events:
				if !yield(doc, nil) {
					return
				}
				l.taken <- struct{}{}
			}
		}
	}
}

// TestLateEvent delivers an event that a check has overtaken: what is shown does
// not go back.
func TestLateEvent(t *testing.T) {
	db := lagging{embedded(t), make(chan store.Doc), make(chan struct{}, 1)}
	headOf := func() store.Doc {
		docs, err := db.GetAll(t.Context(), []store.Path{kind.head()})
		if err != nil {
			t.Fatal(err)
		}
		return docs[0]
	}
	mustUpdate(t, db, 0, "first")
	late := headOf()
	s := newSet(db)
	var all []shown
	f := newFollower(s, kind, func(n int, data []byte) error { all = append(all, shown{n, string(data)}); return nil })
	f.follow(t.Context())
	for _, text := range []string{"second", "third"} {
		mustUpdate(t, db, 0, text)
		if err := s.followers[0].Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		db.events <- late
		db.events <- headOf() // taken after the late one was dealt with
		<-db.taken
		<-db.taken
		late = headOf()
	}
	s.followers[0].loading.Lock()
	defer s.followers[0].loading.Unlock()
	if d := cmp.Diff([]shown{{0, "first"}, {0, "second"}, {0, "third"}}, all, cmp.AllowUnexported(shown{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if late := f.late(); len(late) > 0 {
		t.Errorf("shards %v are late", late)
	}
}

// TestUncheckedStale follows a kind without a head while its watches fail: it is
// stale until they are open again.
func TestUncheckedStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &failing{DB: embedded(t)}
		s := NewSet(db, slog.New(slog.DiscardHandler), time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		Follow(ctx, s, Kind{Name: "counters", Shards: 3, NoHead: true}, func(int, []byte) error { return nil })
		for _, step := range []struct {
			down bool
			want int
		}{{false, 0}, {true, 1}, {false, 0}} {
			db.set(step.down)
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			if lags := s.Stale(time.Now()); len(lags) != step.want {
				t.Errorf("down %v: stale %v", step.down, lags)
			}
		}
		cancel()
		synctest.Wait()
	})
}

// failing is a database whose watches end with an error while it is down.
type failing struct {
	store.DB
	mu   sync.Mutex
	down chan struct{} // closed when the watches that are open end
	off  bool
}

func (f *failing) set(off bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.off = off
	if off {
		close(f.down)
		f.down = nil
	}
}

func (f *failing) Watch(ctx context.Context, p store.Path) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		f.mu.Lock()
		if f.down == nil {
			f.down = make(chan struct{})
		}
		off, down := f.off, f.down
		f.mu.Unlock()
		if !off {
			if !yield(store.Doc{Path: p}, nil) {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-down:
			}
		}
		yield(store.Doc{}, errDown)
	}
}

var errDown = errors.New("down")

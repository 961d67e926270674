package overlay

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
)

// patience only stops a test that hangs.
const patience = time.Minute

// A shown is what a follower gave to show.
type shown struct {
	n    int
	text string
}

// A watcher follows an overlay for a test.
type watcher struct {
	*Follower
	all    chan shown
	warned chan string // the newest causes of warnings
	refuse atomic.Bool // show refuses what it is given
}

// Handle implements [slog.Handler].
func (w *watcher) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "cause" {
			select {
			case w.warned <- a.Value.String():
			default:
			}
		}
		return true
	})
	return nil
}

func (w *watcher) Enabled(context.Context, slog.Level) bool { return true }
func (w *watcher) WithAttrs([]slog.Attr) slog.Handler       { return w }
func (w *watcher) WithGroup(string) slog.Handler            { return w }

var errRefused = errors.New("refused")

// follow follows db until the test ends. Its pauses begin with pause.
func follow(t *testing.T, db store.DB, pause time.Duration) *watcher {
	t.Helper()
	w := &watcher{all: make(chan shown, 1000), warned: make(chan string, 1)}
	w.Follower = newFollower(NewSet(db, slog.New(w), time.Now), kind, func(n int, data []byte) error {
		if w.refuse.Load() {
			return errRefused
		}
		w.all <- shown{n, string(data)}
		return nil
	})
	w.pause = pause
	ctx, cancel := context.WithCancel(t.Context())
	w.follow(ctx)
	t.Cleanup(cancel)
	return w
}

func newSet(db store.DB) *Set { return NewSet(db, slog.New(slog.DiscardHandler), time.Now) }

// next returns the shard that is shown next.
func (w *watcher) next(t *testing.T) shown {
	t.Helper()
	select {
	case s := <-w.all:
		return s
	case <-time.After(patience):
		t.Fatal("nothing is shown")
		return shown{}
	}
}

// until waits until text is shown as shard n, and returns what was shown
// before.
func (w *watcher) until(t *testing.T, want shown) (before []shown) {
	t.Helper()
	for {
		s := w.next(t)
		if s == want {
			return before
		}
		before = append(before, s)
	}
}

// already returns what was shown so far.
func (w *watcher) already() []shown {
	var list []shown
	for len(w.all) > 0 {
		list = append(list, <-w.all)
	}
	return list
}

// TestFollow shows what is kept and what comes, each once.
func TestFollow(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		mustUpdate(t, db, 2, "two")
		mustUpdate(t, db, 0, "zero")
		w := follow(t, db, time.Second)
		if d := cmp.Diff([]shown{{0, "zero"}, {2, "two"}}, w.already(), cmp.AllowUnexported(shown{})); d != "" {
			t.Errorf("shown at first (-want +got):\n%s", d)
		}
		<-w.Changed()
		for _, change := range []shown{{2, "changed"}, {1, "new"}, {0, ""}, {2, "changed again"}} {
			mustUpdate(t, db, change.n, change.text)
			if got := w.next(t); got != change {
				t.Errorf("shows %+v, want %+v", got, change)
			}
			<-w.Changed()
		}
	})
}

// TestFollowExported follows by Follow itself, until its context ends.
func TestFollowExported(t *testing.T) {
	db := embedded(t)
	mustUpdate(t, db, 1, "one")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var first []shown
	all := make(chan shown, 10)
	f := Follow(ctx, newSet(db), kind, func(n int, data []byte) error {
		all <- shown{n, string(data)}
		return nil
	})
	for len(all) > 0 {
		first = append(first, <-all)
	}
	if d := cmp.Diff([]shown{{1, "one"}}, first, cmp.AllowUnexported(shown{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	<-f.Changed()
	mustUpdate(t, db, 1, "changed")
	if got := <-all; got != (shown{1, "changed"}) {
		t.Errorf("shows %+v", got)
	}
}

// TestFollowReads counts what following costs: the head and the shards that are
// kept at first, and from then on what changed alone.
func TestFollowReads(t *testing.T) {
	on := embedded(t)
	for n := range 3 {
		mustUpdate(t, on, n, "first")
	}
	db := storetest.NewMeter(on)
	w := follow(t, db, time.Minute)
	<-w.Changed()
	if ops := db.Ops(); ops != (storetest.Ops{Reads: 1 + 3}) {
		t.Errorf("at first %+v", ops)
	}
	w.already()
	for i, n := range []int{1, 1, 3, 1} {
		text := string(rune('a' + i))
		before := db.Ops()
		mustUpdate(t, on, n, text)
		if s := w.next(t); s != (shown{n, text}) {
			t.Errorf("shows %+v", s)
		}
		<-w.Changed()
		if ops := db.Ops().Less(before); ops != (storetest.Ops{Reads: 1}) {
			t.Errorf("a change of shard %d costs %+v", n, ops)
		}
	}
}

// TestFollowReadsOfRefused counts what a shard costs that is not to be shown:
// nothing, when others change.
func TestFollowReadsOfRefused(t *testing.T) {
	on := embedded(t)
	db := storetest.NewMeter(on)
	w := follow(t, db, time.Hour)
	w.refuse.Store(true)
	mustUpdate(t, on, 1, "refused")
	<-w.warned
	w.refuse.Store(false)
	for _, text := range []string{"a", "b", "c"} {
		before := db.Ops()
		mustUpdate(t, on, 2, text)
		if s := w.next(t); s != (shown{2, text}) {
			t.Errorf("shows %+v", s)
		}
		<-w.Changed()
		if ops := db.Ops().Less(before); ops != (storetest.Ops{Reads: 1}) {
			t.Errorf("a change of another shard costs %+v", ops)
		}
	}
	mustUpdate(t, on, 1, "mended")
	w.until(t, shown{1, "mended"})
}

// TestFollowDeleted sees all of it deleted, and written anew up to the revisions
// that it had.
func TestFollowDeleted(t *testing.T) {
	db := embedded(t)
	var all []shown
	f := newFollower(newSet(db), kind, func(n int, data []byte) error {
		all = append(all, shown{n, string(data)})
		return nil
	})
	refresh := f.set.join(t.Context(), f.subject()).Refresh
	for _, text := range []string{"one", "another"} {
		mustUpdate(t, db, 1, text)
		err := errors.Join(
			refresh(t.Context()),
			db.Delete(t.Context(), kind.shard(1)), db.Delete(t.Context(), kind.head()),
			refresh(t.Context()),
		)
		if err != nil {
			t.Fatal(err)
		}
		if late := f.late(); len(late) > 0 {
			t.Errorf("shards %v are late that are not there", late)
		}
	}
	if d := cmp.Diff([]shown{{1, "one"}, {1, "another"}}, all, cmp.AllowUnexported(shown{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestFollowEmpty follows a kind without documents, and what is written anew
// after all of it was deleted.
func TestFollowEmpty(t *testing.T) {
	db := embedded(t)
	w := follow(t, db, time.Second)
	if got := w.already(); len(got) > 0 || len(w.Changed()) > 0 {
		t.Errorf("shows %+v of nothing", got)
	}
	for range 3 {
		mustUpdate(t, db, 1, "first")
		w.until(t, shown{1, "first"})
		mustUpdate(t, db, 1, "second")
		w.until(t, shown{1, "second"})
		if err := errors.Join(db.Delete(t.Context(), kind.shard(1)), db.Delete(t.Context(), kind.head())); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFollowCorrupt meets shards and heads that Update did not write: what was
// shown stays, a warning says why, other shards go on, and what is mended is
// shown.
func TestFollowCorrupt(t *testing.T) {
	for name, doc := range corrupt(t) {
		db := embedded(t)
		mustUpdate(t, db, 2, "good")
		w := follow(t, db, time.Millisecond)
		w.until(t, shown{2, "good"})
		if err := errors.Join(
			db.Set(t.Context(), kind.shard(2), doc),
			db.Set(t.Context(), kind.head(), revisionList{[]int64{0, 0, 9, 0}}),
		); err != nil {
			t.Fatal(err)
		}
		<-w.warned
		mustUpdate(t, db, 1, "beside")
		if before := w.until(t, shown{1, "beside"}); len(before) > 0 {
			t.Errorf("%s: shown besides %+v", name, before)
		}
		if err := db.Set(t.Context(), kind.shard(2), shard{9, deflated(t, []byte("mended"))}); err != nil {
			t.Fatal(err)
		}
		w.until(t, shown{2, "mended"}) // no head says so: it is tried again
	}
}

// TestFollowCorruptHead meets heads that Update did not write, and those of
// shards that are not there or old.
func TestFollowCorruptHead(t *testing.T) {
	for name, doc := range map[string]any{
		"short":   revisionList{[]int64{9}},
		"long":    revisionList{make([]int64, 1000)},
		"no list": map[string]any{"revisions": "x"},
		"gone":    revisionList{[]int64{0, 9, 1, 0}},
		"old":     revisionList{[]int64{0, 0, 9, 0}},
	} {
		db := embedded(t)
		mustUpdate(t, db, 2, "good")
		w := follow(t, db, time.Millisecond)
		w.until(t, shown{2, "good"})
		if err := db.Set(t.Context(), kind.head(), doc); err != nil {
			t.Fatal(err)
		}
		<-w.warned
		if got := w.already(); len(got) > 0 {
			t.Errorf("%s: shows %+v", name, got)
		}
		mustUpdate(t, db, 2, "mended")
		w.until(t, shown{2, "mended"})
	}
}

// TestFollowRefused shows again what show refused, though nothing changes.
func TestFollowRefused(t *testing.T) {
	db := embedded(t)
	w := follow(t, db, time.Millisecond)
	w.refuse.Store(true)
	mustUpdate(t, db, 1, "x")
	<-w.warned
	<-w.warned
	if len(w.all) > 0 || len(w.Changed()) > 0 {
		t.Error("what was refused is shown")
	}
	w.refuse.Store(false)
	if got := w.next(t); got != (shown{1, "x"}) {
		t.Errorf("shows %+v", got)
	}
}

// A cut is a database whose watches can be cut off.
type cut struct {
	*storetest.Switch
	mu   sync.Mutex
	cuts []context.CancelFunc
}

func (c *cut) Watch(ctx context.Context, p store.Path) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		c.mu.Lock()
		c.cuts = append(c.cuts, cancel)
		c.mu.Unlock()
		for doc, err := range c.Switch.Watch(inner, p) {
			if !yield(doc, err) {
				return
			}
		}
		if ctx.Err() == nil {
			yield(store.Doc{}, storetest.ErrBroken)
		}
	}
}

// away takes the database away, with what is open on it.
func (c *cut) away() {
	c.Off()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cancel := range c.cuts {
		cancel()
	}
	c.cuts = nil
}

// TestFollowNoDatabase starts without a database, and loses it again and again:
// what was shown stays, and what is written meanwhile is shown after.
func TestFollowNoDatabase(t *testing.T) {
	on := embedded(t)
	mustUpdate(t, on, 1, "before")
	db := &cut{Switch: storetest.NewSwitch(on)}
	db.Off()
	w := follow(t, db, time.Millisecond)
	<-w.warned
	if got := w.already(); len(got) > 0 {
		t.Errorf("shows %+v of no database", got)
	}
	db.On()
	w.until(t, shown{1, "before"})
	for _, text := range []string{"a", "b", "c"} {
		db.away()
		mustUpdate(t, on, 3, text)
		<-w.warned
		<-w.warned
		if got := w.already(); slices.Contains(got, shown{3, text}) {
			t.Errorf("shows %+v without a database", got)
		}
		db.On()
		w.until(t, shown{3, text})
	}
}

// TestFollowMany writes all shards at once while others follow: each ends with
// the last that was written, and sees no shard go back.
func TestFollowMany(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, writers int) {
		followers := []*watcher{follow(t, db, time.Second), follow(t, db, time.Second)}
		rounds := min(writers, 10)
		var g sync.WaitGroup
		for n := range kind.Shards {
			g.Go(func() {
				for i := range rounds {
					if err := kind.Update(t.Context(), db, n, set(string(rune('a'+i)))); err != nil {
						t.Error(err)
					}
				}
			})
		}
		g.Wait()
		last := string(rune('a' + rounds - 1))
		for _, w := range followers {
			now := make([]string, kind.Shards)
			for slices.ContainsFunc(now, func(text string) bool { return text != last }) {
				s := w.next(t)
				if s.text < now[s.n] {
					t.Fatalf("shard %d goes back from %q to %q", s.n, now[s.n], s.text)
				}
				now[s.n] = s.text
			}
		}
	})
}

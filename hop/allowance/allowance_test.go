package allowance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire"
	"miramundo.dev/shared/wire/wiretest"
)

const secret = "a secret of at least 32 characters"

// A log is what was logged.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), text)
}

// openDB returns an empty database in a file. The test can make it fail.
func openDB(t testing.TB) *storetest.Switch {
	t.Helper()
	db, b, err := wire.Open(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: filepath.Join(t.TempDir(), "data"), Now: wiretest.Epoch})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(); db.Close() })
	return storetest.NewSwitch(db)
}

// start returns a meter of limit minutes that the test need not close.
func start(t testing.TB, db store.DB, limit int, change func(*Options)) (*Meter, *logged) {
	t.Helper()
	var l logged
	o := Options{DB: db, People: identity.NewPeople(keyringtest.Ring(secret)), Minutes: limit, Log: slog.New(slog.NewTextHandler(&l, nil))}
	if change != nil {
		change(&o)
	}
	m := New(o)
	t.Cleanup(m.abandon)
	return m, &l
}

// abandon ends m as SIGKILL does: nothing is written.
func (m *Meter) abandon() {
	m.cancel()
	m.once.Do(func() { close(m.closed) })
	m.done.Wait()
}

func from(addr string) identity.Caller { return identity.Caller{Addr: netip.MustParseAddr(addr)} }

// after lets d pass in a bubble, and waits until all goroutines are idle.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// watch lets c watch for n minutes, with a request every six seconds as a
// player sends them, and returns in how many of them it was refused.
func watch(m *Meter, c identity.Caller, n int) (refused int) {
	for range n {
		no := false
		for range 10 {
			no = m.Watch(c) != nil || no
			after(6 * time.Second)
		}
		if no {
			refused++
		}
	}
	return refused
}

// kept returns how many minutes of c's network the database has for today.
func kept(t *testing.T, db store.DB, c identity.Caller) int {
	t.Helper()
	id := identity.NewPeople(keyringtest.Ring(secret)).Network(c, identity.DayOf(time.Now()))
	var doc document
	if err := db.Get(t.Context(), collection.Join(id.String()), &doc); err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	s := parse(docOf(doc))
	return s.count()
}

const home = "192.0.2.1"

// TestWatch gives a network two minutes. Each step has a time, a caller, and
// whether the caller is refused.
func TestWatch(t *testing.T) {
	for _, test := range []struct {
		name   string
		begins time.Duration // since midnight
		steps  []string      // "seconds address" of who is allowed, "seconds address no" of who is not
	}{
		{"two minutes", 0, []string{"0 192.0.2.1", "59 192.0.2.1", "60 192.0.2.1", "119 192.0.2.1", "120 192.0.2.1 no", "180 192.0.2.1 no"}},
		{"not one after the other", 0, []string{"0 192.0.2.1", "600 192.0.2.1", "660 192.0.2.1 no"}},
		{"two devices at a time", 0, []string{"0 192.0.2.1", "1 ::ffff:192.0.2.1", "60 192.0.2.1", "61 192.0.2.1", "120 192.0.2.1 no"}},
		{"another network", 0, []string{"0 192.0.2.1", "60 192.0.2.1", "120 192.0.2.1 no", "120 192.0.2.2", "180 192.0.2.2", "240 192.0.2.2 no"}},
		{"one /64", 0, []string{"0 2001:db8::1", "60 2001:db8::2", "120 2001:db8::3 no", "120 2001:db8:0:1::3"}},
		{"midnight", 24*time.Hour - 3*time.Minute, []string{"0 192.0.2.1", "60 192.0.2.1", "179 192.0.2.1 no", "180 192.0.2.1", "240 192.0.2.1", "300 192.0.2.1 no"}},
		{"forgotten", 0, []string{"0 192.0.2.1", "60 192.0.2.1", "2100 192.0.2.1 no"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				after(test.begins)
				m, _ := start(t, openDB(t), 2, nil)
				begin := time.Now()
				for _, step := range test.steps {
					var seconds int
					var addr, no string
					_, _ = fmt.Sscan(step, &seconds, &addr, &no)
					after(time.Until(begin.Add(time.Duration(seconds) * time.Second)))
					_ = m.Watch(from(addr)) // reads what is kept
					synctest.Wait()
					if err := m.Watch(from(addr)); errors.Is(err, ErrSpent) != (no != "") {
						t.Errorf("%q: %v", step, err)
					}
				}
			})
		})
	}
}

// TestNilMeter checks the callers that are always allowed.
func TestNilMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		off := New(Options{DB: storetest.Broken(), People: identity.NewPeople(keyringtest.Ring(secret))})
		if off != nil || off.Watch(from(home)) != nil || off.Close(t.Context()) != nil {
			t.Error("a meter without a limit is no nil meter that allows everything")
		}
		m, _ := start(t, openDB(t), 1, nil)
		if refused := watch(m, identity.Caller{}, 5); refused != 0 {
			t.Errorf("a caller without an address is refused in %d minutes", refused)
		}
	})
}

func TestSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := start(t, openDB(t), 3, nil)
		watch(m, from(home), 4)
		f := fault.From(m.Watch(from(home)))
		want := map[string]any{"limit_minutes": 3, "used_minutes": 3, "resets_at": "2000-01-02T00:00:00Z"}
		if diff := cmp.Diff(want, f.Fields); f.Code != ErrSpent.Code || f.Kind != fault.Unpaid || diff != "" {
			t.Errorf("%v, fields (-want +got):\n%s", f, diff)
		}
	})
}

func TestPaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		m, _ := start(t, openDB(t), 1, func(o *Options) {
			o.Paid = func(c identity.Caller) bool { asked++; return c.Guest == "ipt_paid" }
		})
		watch(m, from(home), 1)
		if asked != 0 {
			t.Error("Paid is asked while minutes are free")
		}
		if err := m.Watch(from(home)); !errors.Is(err, ErrSpent) {
			t.Errorf("a caller that has not paid gets %v", err)
		}
		paid := from(home)
		paid.Guest = "ipt_paid"
		if err := m.Watch(paid); err != nil {
			t.Errorf("a caller that has paid gets %v", err)
		}
	})
}

// TestRestart checks that a new hop counts on from what the one before saved,
// soon after its first request, and what the documents look like.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openDB(t)
		first, _ := start(t, db, 3, nil)
		watch(first, from(home), 3)
		if err := errors.Join(first.Close(t.Context()), first.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		second, _ := start(t, db, 3, nil)
		if err := second.Watch(from(home)); err != nil {
			t.Errorf("first request: %v", err)
		}
		synctest.Wait()
		if err := second.Watch(from(home)); !errors.Is(err, ErrSpent) {
			t.Errorf("after a restart: %v", err)
		}
		if after(time.Minute); kept(t, db, from(home)) != 3 {
			t.Error("the minute that was allowed before the others were read is kept")
		}
		id := identity.NewPeople(keyringtest.Ring(secret)).Network(from(home), identity.DayOf(time.Now()))
		var got map[string]any
		if err := db.Get(t.Context(), store.Path("allowances/"+id.String()), &got); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"day": "2000-01-01", "expire_at": "2000-01-03T00:00:00.000000Z", "minutes": got["minutes"]}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("document (-want +got):\n%s", diff)
		}
	})
}

// TestKill kills the hop at any moment of a quarter of an hour in which some
// networks watch: each loses at most one minute.
func TestKill(t *testing.T) {
	for _, seconds := range []int{3, 11, 61, 64, 95, 121, 181, 333, 899} {
		for _, begins := range []int{0, 31, 58} { // within a minute
			synctest.Test(t, func(t *testing.T) {
				db := openDB(t)
				after(time.Duration(begins) * time.Second)
				m, _ := start(t, db, 120, nil)
				watched := map[int]bool{}
				for s := 0; s < seconds; s += 6 {
					for n := range 20 {
						if err := m.Watch(from(fmt.Sprint("192.0.2.", n))); err != nil {
							t.Fatal(err)
						}
					}
					watched[minuteOf(time.Now())] = true
					after(6 * time.Second)
				}
				m.abandon()
				for n := range 20 {
					if n := kept(t, db, from(fmt.Sprint("192.0.2.", n))); n < len(watched)-1 || n > len(watched) {
						t.Errorf("begun at %d s, killed after %d s: %d minutes are saved of %d", begins, seconds, n, len(watched))
					}
				}
			})
		}
	}
}

// A hooked database does something within its first transaction.
type hooked struct {
	store.DB
	once sync.Once
	hook func()
}

func (h *hooked) Update(ctx context.Context, f func(store.Tx) error) error {
	h.once.Do(h.hook)
	return h.DB.Update(ctx, f)
}

// TestWatchWhileWriting begins a minute while the one before is written: it
// must not count as saved.
func TestWatchWhileWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m *Meter
		db := &hooked{DB: openDB(t)}
		db.hook = func() {
			time.Sleep(time.Minute)
			_ = m.Watch(from(home))
		}
		m, _ = start(t, db, 120, nil)
		watch(m, from(home), 1)
		after(2 * time.Minute)
		m.abandon()
		if n := kept(t, db, from(home)); n != 2 {
			t.Errorf("%d minutes are kept, want 2", n)
		}
	})
}

// countingDB counts what is asked of a database.
type countingDB struct {
	store.DB
	mu            sync.Mutex
	reads, writes int
}

func (c *countingDB) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	c.mu.Lock()
	c.reads++
	c.mu.Unlock()
	return c.DB.GetAll(ctx, ps)
}

func (c *countingDB) Update(ctx context.Context, f func(store.Tx) error) error {
	c.mu.Lock()
	c.writes++
	c.mu.Unlock()
	return c.DB.Update(ctx, f)
}

// TestCost counts database calls: one read for a new network, one write for
// each of its minutes, and one call for many networks at a time.
func TestCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &countingDB{DB: openDB(t)}
		m, _ := start(t, db, 10, nil)
		if watch(m, from(home), 30) != 20 || db.reads != 1 || db.writes > 10 {
			t.Errorf("one network: %d reads, %d writes", db.reads, db.writes)
		}
		db.reads, db.writes = 0, 0
		for range 3 {
			for n := range 300 {
				if err := m.Watch(from(fmt.Sprintf("192.0.%d.%d", 3+n/250, n%250))); err != nil {
					t.Fatal(err)
				}
			}
			if after(5 * time.Second); m.table.unsaved() < 200 {
				t.Errorf("%d networks are unsaved: those that begin together are written together", m.table.unsaved())
			}
			after(55 * time.Second)
		}
		if db.reads > 100 || db.writes > 3*31 || m.table.unsaved() != 0 {
			t.Errorf("300 networks in three minutes: %d reads, %d writes, %d unsaved", db.reads, db.writes, m.table.unsaved())
		}
	})
}

// TestHopsShareMinutes has a network use two hops in turn: they agree.
func TestHopsShareMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openDB(t)
		one, _ := start(t, db, 10, nil)
		two, _ := start(t, db, 10, nil)
		allowed := 0
		for n := range 20 {
			m := one
			if n%2 == 1 {
				m = two
			}
			if watch(m, from(home), 1) == 0 {
				allowed++
			}
		}
		if allowed < 10 || allowed > 11 {
			t.Errorf("%d minutes are allowed, want 10 and at most one that was under way", allowed)
		}
		if !errors.Is(one.Watch(from(home)), ErrSpent) || !errors.Is(two.Watch(from(home)), ErrSpent) {
			t.Error("a hop allows what is spent")
		}
	})
}

// TestConcurrentHops has two hops serve a network in the same minutes: no
// minute counts twice, and what both wrote is stored.
func TestConcurrentHops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openDB(t)
		one, _ := start(t, db, 120, nil)
		two, _ := start(t, db, 120, nil)
		for range 10 {
			if err := errors.Join(one.Watch(from(home)), two.Watch(from(home))); err != nil {
				t.Fatal(err)
			}
			after(time.Minute)
		}
		if err := errors.Join(one.Close(t.Context()), two.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		if n := kept(t, db, from(home)); n != 10 {
			t.Errorf("%d minutes are kept, want 10", n)
		}
	})
}

// TestDatabaseDown stops the database before the first request and while
// minutes are counted: they are counted in memory, and saved once it is back.
func TestDatabaseDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openDB(t)
		db.Off()
		m, l := start(t, db, 10, nil)
		if refused := watch(m, from(home), 15); refused != 5 {
			t.Errorf("refused in %d minutes of 15, want 5", refused)
		}
		if n := l.count("memory only"); n == 0 || n > 2*15 {
			t.Errorf("%d log records in 15 minutes", n)
		}
		db.On()
		after(2 * maxBackoff)
		if n := kept(t, db, from(home)); n != 10 {
			t.Errorf("%d minutes are kept, want 10", n)
		}
		watch(m, from("192.0.2.2"), 3)
		db.Off()
		watch(m, from("192.0.2.2"), 3)
		db.On()
		if err := m.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := kept(t, db, from("192.0.2.2")); n != 6 {
			t.Errorf("%d minutes are kept, want 6", n)
		}
	})
}

// TestReadAgain fails the first read: stored minutes count soon after the
// database is back, also for a network that has not watched since.
func TestReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openDB(t)
		before, _ := start(t, db, 5, nil)
		watch(before, from(home), 5)
		before.abandon()
		db.Off()
		m, _ := start(t, db, 5, nil)
		if err := m.Watch(from(home)); err != nil {
			t.Fatal(err)
		}
		after(5 * time.Minute)
		db.On()
		after(2 * maxBackoff)
		if err := m.Watch(from(home)); !errors.Is(err, ErrSpent) {
			t.Errorf("Watch = %v", err)
		}
	})
}

// A stuck database answers nothing until the call is given up.
type stuck struct{ store.DB }

func (stuck) GetAll(ctx context.Context, _ []store.Path) ([]store.Doc, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (stuck) Update(ctx context.Context, _ func(store.Tx) error) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := start(t, stuck{}, 120, nil)
		begin := time.Now()
		for n := range 500 {
			if err := m.Watch(from(fmt.Sprintf("192.0.%d.%d", n/250, n%250))); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(begin) != 0 {
			t.Errorf("Watch took %s", time.Since(begin))
		}
		after(time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		begin = time.Now()
		err := m.Close(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "500 networks") || time.Since(begin) != 3*time.Second {
			t.Errorf("Close = %v after %s", err, time.Since(begin))
		}
	})
}

// TestBounds has more networks than the table holds. Saved networks make room
// and are counted on when they come back; while the database is down none
// makes room, and new networks are not counted.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openDB(t)
		m, l := start(t, db, 1, func(o *Options) { o.Networks = shards })
		addr := func(n int) identity.Caller { return from(fmt.Sprintf("192.0.%d.%d", n/250, n%250)) }
		for n := range 500 {
			if err := m.Watch(addr(n)); err != nil {
				t.Fatal(err)
			}
			if n%20 == 19 {
				after(2 * time.Second)
			}
		}
		if m.table.len() > shards {
			t.Errorf("%d networks are kept", m.table.len())
		}
		after(time.Minute)
		known := 0
		for n := range 500 {
			_ = m.Watch(addr(n)) // reads
			synctest.Wait()
			if m.Watch(addr(n)) != nil {
				known++
			}
			after(2 * time.Second)
		}
		if lost := l.count("not counted"); known < 400 || lost == 0 {
			t.Errorf("%d of 500 networks are counted, with %d log records about the others", known, lost)
		}
		db.Off()
		for n := range 500 {
			if m.table.len() > shards {
				t.Fatalf("%d networks are kept", m.table.len())
			}
			_ = m.Watch(addr(1000 + n))
			after(time.Second)
		}
	})
}

// TestSweep checks that memory is freed: after a while, and at midnight.
func TestSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := start(t, openDB(t), 120, nil)
		watch(m, from(home), 1)
		if after(idle - 2*time.Minute); m.table.len() != 1 {
			t.Errorf("%d networks after a short while", m.table.len())
		}
		if after(5 * time.Minute); m.table.len() != 0 {
			t.Errorf("%d networks after a long while", m.table.len())
		}
	})
}

// TestSweepAtMidnight checks that the networks of a day are dropped after it.
func TestSweepAtMidnight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		after(24*time.Hour - time.Minute)
		m, _ := start(t, openDB(t), 120, nil)
		watch(m, from(home), 1)
		if after(2 * time.Minute); m.table.len() != 0 {
			t.Errorf("%d networks after midnight", m.table.len())
		}
	})
}

// TestDamagedDocument stores a document that no meter wrote: the network
// starts anew.
func TestDamagedDocument(t *testing.T) {
	for name, doc := range map[string]any{
		"empty":       struct{}{},
		"another day": map[string]any{"minutes": "AAAA"},
		"too long":    document{Minutes: make([]byte, 181)},
		"text":        map[string]any{"minutes": "not base64!"},
		"a number":    map[string]any{"minutes": 7},
		"a list":      map[string]any{"minutes": []int{1}, "day": 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := openDB(t)
				id := identity.NewPeople(keyringtest.Ring(secret)).Network(from(home), identity.DayOf(time.Now()))
				if err := db.Set(t.Context(), collection.Join(id.String()), doc); err != nil {
					t.Fatal(err)
				}
				m, _ := start(t, db, 3, nil)
				if refused := watch(m, from(home), 5); refused != 2 {
					t.Errorf("refused in %d minutes of 5, want 2", refused)
				}
				if n := kept(t, db, from(home)); n != 3 {
					t.Errorf("%d minutes are kept, want 3", n)
				}
			})
		})
	}
}

// TestNoAddressIsStored checks that nothing of a caller is stored or logged.
func TestNoAddressIsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openDB(t)
		m, l := start(t, db, 1, func(o *Options) { o.Networks = 1 })
		c := identity.Caller{Addr: netip.MustParseAddr("2001:db8:aaaa:bbbb::1"), UserAgent: "Telltale/1.0", Guest: "ipt_secret"}
		watch(m, c, 3)
		db.Off()
		c.Addr = netip.MustParseAddr("2001:db8:aaaa:cccc::1")
		watch(m, c, 3)
		db.On()
		all := l.b.String()
		for d, err := range db.Query(t.Context(), store.Query{Collection: collection}) {
			var doc map[string]any
			if err := errors.Join(err, d.Decode(&doc)); err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(doc)
			all += d.ID + string(text)
		}
		if !strings.Contains(all, "memory only") || !strings.Contains(all, "expire_at") {
			t.Fatalf("nothing was stored or logged: %s", all)
		}
		for _, trace := range []string{"2001", "db8", "aaaa", "bbbb", "Telltale", "secret"} {
			if strings.Contains(all, trace) && !strings.Contains(strings.Repeat("A", 9), trace) {
				t.Errorf("%q is in %s", trace, all)
			}
		}
	})
}

// TestRace has many players of many networks at two hops at once: in each
// minute all of them are allowed, until the free minutes are used.
func TestRace(t *testing.T) {
	db := openDB(t)
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	var minute atomic.Int64
	hop := func() *Meter {
		m, _ := start(t, db, 5, func(o *Options) {
			o.Now = func() time.Time { return noon.Add(time.Duration(minute.Load()) * time.Minute) }
		})
		return m
	}
	hops := []*Meter{hop(), hop()}
	for range 7 {
		var wg sync.WaitGroup
		for player := range 8 {
			wg.Go(func() {
				for n := range 200 {
					err := hops[player%2].Watch(from(fmt.Sprintf("192.0.2.%d", n)))
					if errors.Is(err, ErrSpent) != (minute.Load() >= 5) {
						t.Errorf("minute %d: %v", minute.Load(), err)
					}
				}
			})
		}
		wg.Wait()
		minute.Add(1)
	}
	if err := errors.Join(hops[0].Close(t.Context()), hops[1].Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	for n, err := range db.Query(t.Context(), store.Query{Collection: collection}) {
		if s := parse(n); err != nil || s.count() != 5 {
			t.Errorf("%d minutes are kept, %v, want 5", s.count(), err)
		}
	}
	if n, err := db.Count(t.Context(), store.Query{Collection: collection}); n != 200 || err != nil {
		t.Errorf("%d documents, %v, want 200", n, err)
	}
}

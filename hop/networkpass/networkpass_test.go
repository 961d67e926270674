package networkpass

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

const secret = "a key of guests for the tests alone"

// A counted database counts its reads, and can be held back.
type counted struct {
	*storetest.Switch
	reads atomic.Int64
	slow  atomic.Int64 // nanoseconds that a read takes; negative holds it until it is given up
}

func (c *counted) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	c.reads.Add(1)
	if d := c.slow.Load(); d < 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	} else if d > 0 {
		time.Sleep(time.Duration(d))
	}
	return c.Switch.GetAll(ctx, ps)
}

// A world is two hops on one database.
type world struct {
	t         *testing.T
	db        *counted
	one, two  *Passes
	log       bytes.Buffer
	logWrites sync.Mutex
}

func (w *world) Write(b []byte) (int, error) {
	w.logWrites.Lock()
	defer w.logWrites.Unlock()
	return w.log.Write(b)
}

func run(t *testing.T, keys string, test func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, db: &counted{Switch: storetest.NewSwitch(wiretest.OpenDB(t))}}
		o := Options{DB: w.db, Keys: keyringtest.Ring(keys), Now: time.Now, Log: slog.New(slog.NewTextHandler(w, nil))}
		w.one, w.two = New(o), New(o)
		test(w)
	})
}

func from(addr string) identity.Caller { return identity.Caller{Addr: netip.MustParseAddr(addr)} }

var home = from("192.0.2.7")

// sell stores a pass of some days for a network, under the name by the n-th key.
func (w *world) sell(keys string, c identity.Caller, n, days int) (until time.Time) {
	w.t.Helper()
	var p pass.NetworkPass
	until = p.ExtendNetwork(time.Now(), days)
	if err := w.db.Set(w.t.Context(), pass.NetworkPath(identity.NetworkNames(keyringtest.Ring(keys), c)[n]), p); err != nil {
		w.t.Fatal(err)
	}
	return until
}

// TestElsewhere checks that a pass that was sold elsewhere is in force within five
// seconds, for its network alone and until its end, and how often it is read.
func TestElsewhere(t *testing.T) {
	run(t, secret, func(w *world) {
		for range 2 {
			if w.one.Valid(home) || w.db.reads.Load() != 1 {
				t.Errorf("without a pass, after %d reads", w.db.reads.Load())
			}
		}
		until := w.sell(secret, home, 0, 1) // the database looks at its files in each second of the clock
		if w.one.Valid(home) {
			t.Error("the absence of a pass is not cached")
		}
		time.Sleep(4*time.Second + readTime)
		if !w.one.Valid(home) || !w.two.Valid(home) {
			t.Error("the pass is not in force within five seconds")
		}
		reads := w.db.reads.Load()
		for range 100 {
			w.one.Valid(home)
		}
		if w.db.reads.Load() != reads {
			t.Error("a pass is not cached")
		}
		if w.one.Valid(from("192.0.2.8")) || w.one.Valid(identity.Caller{}) {
			t.Error("the pass is in force for another network")
		}
		time.Sleep(time.Until(until))
		if w.one.Valid(home) {
			t.Error("the pass is in force after its end")
		}
	})
}

// TestHere checks that a pass that was sold here is in force at once, also when a
// read that began before ends later.
func TestHere(t *testing.T) {
	run(t, secret, func(w *world) {
		w.db.slow.Store(int64(readTime / 2))
		done := make(chan bool)
		go func() { done <- w.one.Valid(home) }()
		synctest.Wait()
		w.one.Sold(home, time.Now().Add(time.Hour))
		if !<-done || !w.one.Valid(home) {
			t.Error("the pass is not in force at once")
		}
		w.one.Sold(home, time.Now().Add(-time.Hour))
		if !w.one.Valid(home) {
			t.Error("the answer to an older payment ends the pass")
		}
		w.one.Sold(identity.Caller{}, time.Now().Add(time.Hour))
		if w.one.Valid(identity.Caller{}) {
			t.Error("a caller without an address has a pass")
		}
	})
}

// TestRotation checks that a pass under the name by an older key stays in force.
func TestRotation(t *testing.T) {
	const rotated = "b:another key of guests for the tests,a:" + secret
	run(t, rotated, func(w *world) {
		w.sell(rotated, home, 1, 30)
		if !w.one.Valid(home) {
			t.Error("the pass under the older name is not in force")
		}
		if !w.stops(from("192.0.2.8")) {
			t.Error("the pass is in force for another network")
		}
	})
}

// stops reports whether a caller is stopped in the end: callers go on while a read takes
// too long, as it may on a busy machine.
func (w *world) stops(c identity.Caller) bool {
	for range 20 {
		if !w.one.Valid(c) {
			return true
		}
		time.Sleep(time.Minute)
	}
	return false
}

// TestFailures checks that callers go on while the database fails or does not answer,
// that they wait no longer than 300 ms for it, together for one read, and that a
// failure is logged once a minute.
func TestFailures(t *testing.T) {
	run(t, secret, func(w *world) {
		w.db.slow.Store(-1)
		begin := time.Now()
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if !w.one.Valid(home) {
					t.Error("a caller is stopped while the database does not answer")
				}
			})
		}
		all.Wait()
		if took := time.Since(begin); took != readTime || w.db.reads.Load() != 1 {
			t.Errorf("20 callers waited %s for %d reads", took, w.db.reads.Load())
		}
		synctest.Wait()
		w.db.slow.Store(0)
		w.db.Off()
		for range 30 {
			if !w.one.Valid(home) {
				t.Fatal("a caller is stopped while the database fails")
			}
			time.Sleep(time.Second)
		}
		if n := w.db.reads.Load(); n > 9 {
			t.Errorf("%d reads in half a minute", n)
		}
		if n := strings.Count(w.log.String(), "the database fails"); n != 1 {
			t.Errorf("logged %d times:\n%s", n, w.log.String())
		}
		w.db.On()
		time.Sleep(absentFor)
		if w.one.Valid(home) {
			t.Error("a caller without a pass goes on when the database is back")
		}
	})
}

// TestBound checks that the cache does not grow without end.
func TestBound(t *testing.T) {
	run(t, secret, func(w *world) {
		for n := range maxNetworks + 100 {
			w.one.Sold(from(fmt.Sprintf("10.%d.%d.%d", n>>16, n>>8&255, n&255)), time.Now().Add(time.Hour))
		}
		if n := len(w.one.networks); n != 100 {
			t.Errorf("%d networks are cached", n)
		}
	})
}

// TestOldSale repeats a call whose pass has ended: the hop goes on to find the pass that
// was sold elsewhere since.
func TestOldSale(t *testing.T) {
	run(t, secret, func(w *world) {
		w.sell(secret, home, 0, 30)
		w.one.Sold(home, time.Now().Add(-time.Hour))
		if !w.one.Valid(home) {
			t.Error("an old sale hides a valid pass")
		}
	})
}

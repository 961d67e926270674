package round

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/probe"
)

var (
	noHost = probe.Result{Status: probe.Offline, Reason: "no_host", Requests: 1}
	portal = probe.Result{Status: probe.Error, Reason: "page", Answered: true, Requests: 1}
)

// TestDeadFirst has streams that answer at once that they are dead, and more
// that answer later and work: no stream may be stored as offline before those have answered.
func TestDeadFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := func(k probe.Target) bool { return k.ID%3 == 0 }
		w, s := newWorld(func(k probe.Target) probe.Result {
			if dead(k) {
				return noHost
			}
			return works
		}), &shelf{}
		w.takes = func(k probe.Target) time.Duration {
			if dead(k) {
				return time.Millisecond
			}
			return 10 * time.Second
		}
		rep := run(t, &Round{Measurer: w, Keeper: s, Targets: streams(500, 2), Limits: Limits{Rate: 1000}})
		if rep.Void != "" || rep.Kept != 500 || rep.Left != 0 {
			t.Errorf("unexpected report: %+v", rep)
		}
	})
}

// TestDeadLate comes after two days without a round: the streams that were
// failing are the most urgent, and all others are due as well. They bear witness
// although they are, and are measured once.
func TestDeadLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		targets := streams(1000, 1)
		dead, s := map[catalog.StreamID]bool{}, &shelf{states: map[catalog.StreamID]probe.State{}}
		for i, k := range targets {
			before := works
			if dead[k.ID] = i < 300; dead[k.ID] {
				before = noHost
			}
			before.At = time.Now().Add(-48 * time.Hour)
			s.states[k.ID] = probe.State{}.After(before)
		}
		w := newWorld(func(k probe.Target) probe.Result {
			if dead[k.ID] {
				return noHost
			}
			return works
		})
		rep := run(t, &Round{Measurer: w, Keeper: s, Targets: targets, Limits: Limits{Rate: 1000}})
		if rep.Void != "" || rep.Left != 0 || rep.Measured != 1000 {
			t.Errorf("unexpected report: %+v", rep)
		}
		if n := rep.Measured + rep.Witnesses; n != rep.Kept || len(w.order) != n {
			t.Errorf("%d measurements: %+v", len(w.order), rep)
		}
	})
}

// TestProxy has something answer in place of all origins.
func TestProxy(t *testing.T) {
	for name, test := range map[string]struct {
		is, witness probe.Result
		void        bool
	}{
		"a portal":                    {portal, portal, true},
		"pages, and others work":      {portal, works, false},
		"pages, and others are gone":  {portal, probe.Result{Status: probe.Offline, Reason: "missing", Answered: true}, false},
		"refusals, as in other lands": {probe.Result{Status: probe.Blocked, Reason: "denied", Answered: true}, portal, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				targets, s := streams(100, 1), &shelf{states: map[catalog.StreamID]probe.State{}}
				known := map[catalog.StreamID]bool{}
				for _, k := range targets[:20] {
					s.states[k.ID] = probe.State{}.After(probe.Result{Status: probe.Online, At: time.Now()})
					known[k.ID] = true
				}
				w := newWorld(func(k probe.Target) probe.Result {
					if known[k.ID] {
						return test.witness
					}
					return test.is
				})
				rep := run(t, &Round{Measurer: w, Keeper: s, Targets: targets})
				if (rep.Void != "") != test.void || test.void && len(s.states) != 20 || !test.void && len(s.states) != 100 {
					t.Errorf("%d kept: %+v", len(s.states)-20, rep)
				}
			})
		})
	}
}

// TestNoNames loses the name server: hosts that have no name answer as ever,
// and say nothing of the others.
func TestNoNames(t *testing.T) {
	for _, known := range []int{0, 10} {
		synctest.Test(t, func(t *testing.T) {
			targets := streams(200, 1)
			for i := range targets {
				switch i % 4 {
				case 0:
					targets[i].URL = fmt.Sprintf("http://203.0.113.%d:8080/live.m3u8", i)
				case 1:
					targets[i].URL = fmt.Sprintf("http://[2001:db8::%x]/live.m3u8", i)
				}
			}
			s := &shelf{states: map[catalog.StreamID]probe.State{}}
			for _, k := range targets[:4*known] {
				s.states[k.ID] = probe.State{}.After(probe.Result{Status: probe.Online, At: time.Now()})
			}
			w := newWorld(func(k probe.Target) probe.Result {
				if strings.HasPrefix(k.URL, "https://h") {
					return noHost
				}
				return works
			})
			rep := run(t, &Round{Measurer: w, Keeper: s, Targets: targets})
			for _, k := range targets {
				if got := s.states[k.ID].Status; got == probe.Offline {
					t.Fatalf("%s is stored as %s: %+v", k.URL, got, rep)
				}
			}
			if rep.Void == "" || rep.Kept+rep.Dropped != rep.Measured+rep.Witnesses || known > 0 && rep.Witnesses == 0 {
				t.Errorf("unexpected report: %+v", rep)
			}
		})
	}
}

// TestWitnessesChange has more than enough witnesses of which some have died:
// not the same are asked in each round.
func TestWitnessesChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		targets, s := streams(60, 1), &shelf{states: map[catalog.StreamID]probe.State{}}
		for _, k := range targets[:40] {
			s.states[k.ID] = probe.State{}.After(probe.Result{Status: probe.Online, At: time.Now()})
		}
		asked := map[catalog.StreamID]bool{}
		w := newWorld(always(noHost))
		for range 4 {
			if rep := run(t, &Round{Measurer: w, Keeper: s, Targets: targets}); rep.Void == "" || rep.Witnesses != mostWitnesses {
				t.Fatalf("unexpected report: %+v", rep)
			}
			time.Sleep(5 * time.Minute)
		}
		for _, k := range targets[:40] {
			if w.measured[k.ID] > 0 {
				asked[k.ID] = true
			}
		}
		if len(asked) < 2*mostWitnesses {
			t.Errorf("%d streams were witnesses in four rounds", len(asked))
		}
	})
}

// TestWrongClock has a round under a clock that is years ahead, and then
// others under the right one: all is measured again, and shown as it is.
func TestWrongClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
		db, targets := openDB(t), inFew(streams(400, 1))
		for _, wrong := range []time.Duration{-60 * 365 * 24 * time.Hour, 0, 20 * 365 * 24 * time.Hour, 190 * 365 * 24 * time.Hour, 0} {
			clock := func() time.Time { return time.Now().Add(wrong) }
			w := newWorld(always(works))
			r := &Round{Measurer: &under{w, clock}, Keeper: probe.Book{DB: db}, Targets: targets, Now: clock, Limits: Limits{Rate: 1000}}
			rep, err := r.Run(t.Context())
			if err != nil || rep.Due != len(targets) || rep.Kept != len(targets) {
				t.Fatalf("%v off: %v, %+v", wrong, err, rep)
			}
			time.Sleep(24 * time.Hour)
		}
		states, err := probe.Book{DB: db}.States(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for id, state := range states {
			if age := time.Since(state.At); age < 0 || age > 25*time.Hour || time.Since(state.OnlineAt) < 0 {
				t.Fatalf("%v is %+v", id, state)
			}
		}
		for id, m := range shownBy(t, db) {
			at, err := time.Parse(time.RFC3339, *m.Health.CheckedAt)
			if err != nil || time.Since(at) < 0 {
				t.Fatalf("%v is shown as checked at %v, %v", id, at, err)
			}
		}
	})
}

// under measures by another clock.
type under struct {
	*world
	now func() time.Time
}

func (u *under) Measure(ctx context.Context, k probe.Target) probe.Result {
	r := u.world.Measure(ctx, k)
	r.At = u.now()
	return r
}

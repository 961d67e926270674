package round

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

// A shelf keeps states in memory.
type shelf struct {
	states  map[catalog.StreamID]probe.State
	batches []int
	fail    error
}

func (s *shelf) States(context.Context) (map[catalog.StreamID]probe.State, error) {
	states := map[catalog.StreamID]probe.State{}
	maps.Copy(states, s.states)
	return states, nil
}

func (s *shelf) Keep(ctx context.Context, changed []probe.Entry, _ time.Time, _ func(catalog.StreamID) bool) error {
	if err := cmp.Or(s.fail, ctx.Err()); err != nil {
		return err
	}
	if s.states == nil {
		s.states = map[catalog.StreamID]probe.State{}
	}
	for _, e := range changed {
		s.states[e.ID] = e.State
	}
	s.batches = append(s.batches, len(changed))
	return nil
}

// A world is origins of which each stream is as it is said to be. It measures
// by a fake clock.
type world struct {
	is    func(t probe.Target) probe.Result // but for its time
	takes func(t probe.Target) time.Duration

	mu       sync.Mutex
	measured map[catalog.StreamID]int
	order    []probe.Target
	busy     map[string]int // by host
	most     map[string]int // likewise
	all, top int
	requests int
}

func newWorld(is func(probe.Target) probe.Result) *world {
	return &world{
		is: is, takes: func(probe.Target) time.Duration { return 5 * time.Second },
		measured: map[catalog.StreamID]int{}, busy: map[string]int{}, most: map[string]int{},
	}
}

func (w *world) Measure(ctx context.Context, t probe.Target) probe.Result {
	host := hostName(t)
	w.mu.Lock()
	w.busy[host]++
	w.all++
	w.most[host] = max(w.most[host], w.busy[host])
	w.top = max(w.top, w.all)
	w.order = append(w.order, t)
	w.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-time.After(w.takes(t)):
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy[host]--
	w.all--
	if ctx.Err() != nil {
		return probe.Result{At: time.Now(), Status: probe.Unknown}
	}
	w.measured[t.ID]++
	r := w.is(t)
	r.At = time.Now()
	w.requests += r.Requests
	return r
}

func hostName(t probe.Target) string {
	a := agenda{hosts: map[string]*host{}}
	return a.task(t).host.name
}

// idOf returns the id of stream n. Ids lie far apart.
func idOf(n uint64) catalog.StreamID { return catalog.StreamID(rand.NewPCG(n, n).Uint64()) }

// streams returns n targets, so many of each host.
func streams(n, perHost int) []probe.Target {
	list := make([]probe.Target, n)
	for i := range list {
		list[i] = probe.Target{ID: idOf(uint64(i) + 1), URL: fmt.Sprintf("https://h%d.example/%d.m3u8", i/perHost, i), Kind: "hls"}
	}
	return list
}

// inFew returns the targets that few shards hold, so that few transactions keep
// them.
func inFew(targets []probe.Target) []probe.Target {
	return slices.DeleteFunc(targets, func(t probe.Target) bool { return probe.ShardOf(t.ID) >= few })
}

const few = 4 // shards

// always returns what is the same of all streams.
func always(r probe.Result) func(probe.Target) probe.Result {
	return func(probe.Target) probe.Result { return r }
}

var works = probe.Result{Status: probe.Online, Latency: 100 * time.Millisecond, Height: 720, Answered: true, Requests: 5, Bytes: 1000}

var silent = probe.Result{Status: probe.Timeout, Reason: "silent", Requests: 1}

// run runs a round under a fake clock.
func run(t *testing.T, r *Round) *Report {
	t.Helper()
	r.Now = time.Now
	rep, err := r.Run(t.Context())
	if err != nil {
		t.Errorf("Run = %v", err)
	}
	return rep
}

// TestRunAll measures all that is due, once, and nothing in the next round.
func TestRunAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		statuses := []probe.Status{probe.Online, probe.Offline, probe.Blocked, probe.Timeout, probe.Error}
		is := func(t probe.Target) probe.Result {
			return probe.Result{Status: statuses[t.ID%5], Requests: 2, Bytes: 10, Reason: "why", Answered: true}
		}
		w, s := newWorld(is), &shelf{}
		r := &Round{Measurer: w, Keeper: s, Targets: streams(500, 3)}
		rep := run(t, r)
		if rep.Due != 500 || rep.Measured != 500 || rep.Kept != 500 || rep.Left != 0 || rep.Targets != 500 || rep.Void != "" || rep.Hosts != 167 {
			t.Errorf("unexpected report: %+v", rep)
		}
		if rep.Requests != 1000 || rep.Bytes != 5000 || len(rep.Slowest) != slowest || rep.Reasons["why"] != 500-rep.Found[probe.Online] {
			t.Errorf("unexpected report: %+v", rep)
		}
		for _, target := range r.Targets {
			if got := s.states[target.ID].Status; got != is(target).Status || w.measured[target.ID] != 1 {
				t.Errorf("%s: %v after %d measurements", target.URL, got, w.measured[target.ID])
			}
		}
		if again := run(t, r); again.Due != 0 || again.Measured != 0 {
			t.Errorf("the next round: %+v", again)
		}
		if slices.Max(s.batches) > 200+64 {
			t.Errorf("batches of %v", s.batches)
		}
	})
}

// TestRunHosts has one host with many streams, more urgent than all others,
// beside hosts with few: it delays nobody, and is never asked by many at once.
func TestRunHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWorld(always(works)), &shelf{}
		targets := streams(300, 1)
		for i := range 3000 {
			targets = append(targets, probe.Target{
				ID: idOf(uint64(i) + 1e6), URL: fmt.Sprintf("http://BIG.example:%d/%d", 80+i%3, i), Kind: "ts", Popularity: 1000,
			})
		}
		start := time.Now()
		r := &Round{Measurer: w, Keeper: s, Targets: targets, Limits: Limits{Rate: 1000}}
		rep := run(t, r)
		if w.most["big.example"] != 4 || w.top > 64 {
			t.Errorf("%d at once of the host, %d of all", w.most["big.example"], w.top)
		}
		for _, target := range targets[:300] {
			if late := s.states[target.ID].At.Sub(start); late > 40*time.Second {
				t.Errorf("%s: measured after %v", target.URL, late)
			}
		}
		if rep.Left == 0 || rep.Left+rep.Measured != 3300 || time.Since(start) > 5*time.Minute {
			t.Errorf("after %v: %+v", time.Since(start), rep)
		}
		if rep.Slowest[0].Host != "big.example" {
			t.Errorf("slowest: %v", rep.Slowest)
		}
	})
}

// TestRunOrder checks what comes first.
func TestRunOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(always(works))
		now := time.Now()
		targets := streams(5, 1)
		targets[1].Popularity = 100
		s := &shelf{states: map[catalog.StreamID]probe.State{
			targets[2].ID: probe.State{}.After(probe.Result{At: now.Add(-30 * time.Hour), Status: probe.Offline}), // due for 29 of 1 h
			targets[3].ID: probe.State{}.After(probe.Result{At: now.Add(-60 * time.Hour), Status: probe.Online}),  // due for 2 of 20 h
			targets[4].ID: probe.State{}.After(probe.Result{At: now.Add(-time.Hour), Status: probe.Online}),
		}}
		rep := run(t, &Round{Measurer: w, Keeper: s, Targets: targets, Limits: Limits{Workers: 1}})
		var got []int
		for _, target := range w.order {
			got = append(got, slices.Index(targets, target))
		}
		if want := []int{1, 0, 2, 3}; !slices.Equal(got, want) || rep.Due != 4 {
			t.Errorf("measured in the order %v of %d, want %v", got, rep.Due, want)
		}
	})
}

// TestRunLimits checks each limit alone.
func TestRunLimits(t *testing.T) {
	for _, test := range []struct {
		name        string
		limits      Limits
		least, most int           // measured
		within      time.Duration // that it takes
	}{
		{"streams", Limits{Streams: 70}, 70, 70, time.Minute},
		{"time", Limits{Time: 30 * time.Second, Rate: 1e6}, 6 * 64, 7 * 64, 35 * time.Second},
		{"workers", Limits{Workers: 2, Time: time.Minute}, 24, 26, 65 * time.Second},
		{"requests", Limits{Rate: 10, Time: 5 * time.Minute}, 10 * 300 / 5, (10*300 + burst + 64*5) / 5, 5*time.Minute + 5*time.Second},
		{"a rate lower than any", Limits{Rate: 0.01, Time: 2 * time.Minute}, 64, 64, 2*time.Minute + 5*time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, s := newWorld(always(works)), &shelf{}
				start := time.Now()
				rep := run(t, &Round{Measurer: w, Keeper: s, Targets: streams(2000, 1), Limits: test.limits})
				if rep.Measured < test.least || rep.Measured > test.most || rep.Left != 2000-rep.Measured {
					t.Errorf("%d measured, %d left, want %d to %d", rep.Measured, rep.Left, test.least, test.most)
				}
				if took := time.Since(start); took > test.within {
					t.Errorf("took %v, want %v", took, test.within)
				}
				if len(s.states) != rep.Measured || rep.Kept != rep.Measured {
					t.Errorf("%d of %d kept: %d", rep.Kept, rep.Measured, len(s.states))
				}
			})
		})
	}
}

// TestRunStopped ends the context in the middle: what was found is kept, what
// was under way is not, and the next round goes on.
func TestRunStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWorld(always(works)), &shelf{}
		ctx, stop := context.WithTimeout(t.Context(), 12*time.Second)
		defer stop()
		r := &Round{Measurer: w, Keeper: s, Targets: streams(500, 1), Now: time.Now, Limits: Limits{Rate: 1000}}
		rep, err := r.Run(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || rep.Measured != 128 || rep.Kept != 128 || len(s.states) != 128 {
			t.Errorf("%v, %+v, %d kept", err, rep, len(s.states))
		}
		if next := run(t, r); next.Measured != 500-128 || len(w.measured) != 500 {
			t.Errorf("the next round: %+v", next)
		}
		for id, n := range w.measured {
			if n != 1 {
				t.Errorf("%v: measured %d times", id, n)
			}
		}
	})
}

// TestRunCannotKeep ends the round when a batch is not kept.
func TestRunCannotKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWorld(always(works)), &shelf{fail: errors.New("no database")}
		r := &Round{Measurer: w, Keeper: s, Targets: streams(2000, 1), Now: time.Now, Limits: Limits{Rate: 1000, Batch: 100}}
		start := time.Now()
		rep, err := r.Run(t.Context())
		if !errors.Is(err, s.fail) || rep.Kept != 0 || time.Since(start) > 20*time.Second {
			t.Errorf("after %v: %v, %+v", time.Since(start), err, rep)
		}
	})
}

// TestRunUnknown meets streams that cannot be tried: nothing is said of them,
// and they are not tried again at once.
func TestRunUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWorld(always(probe.Result{Status: probe.Unknown, Reason: "busy"})), &shelf{}
		r := &Round{Measurer: w, Keeper: s, Targets: streams(50, 1)}
		if rep := run(t, r); rep.Measured != 50 || rep.Void != "" || rep.Found[probe.Unknown] != 50 {
			t.Errorf("unexpected report: %+v", rep)
		}
		if rep := run(t, r); rep.Due != 0 {
			t.Errorf("tried again at once: %+v", rep)
		}
		time.Sleep(time.Hour)
		if rep := run(t, r); rep.Due != 50 {
			t.Errorf("after an hour: %+v", rep)
		}
		for id, state := range s.states {
			if shown, changed := (probe.Shown{}).Next(state); changed {
				t.Errorf("%v: shown as %+v", id, shown)
			}
		}
	})
}

// TestRunNetwork has nearly nobody answer, for different reasons.
func TestRunNetwork(t *testing.T) {
	dead := probe.Result{Status: probe.Offline, Reason: "no_such_host", Requests: 1}
	gone := probe.Result{Status: probe.Offline, Reason: "gone", Answered: true, Requests: 1}
	mixed := func(every int, others probe.Result) func(probe.Target) probe.Result {
		n := 0
		return func(probe.Target) probe.Result {
			if n++; n%every == 0 {
				return works
			}
			return others
		}
	}
	for _, test := range []struct {
		name    string
		targets []probe.Target
		known   int // streams of other hosts that worked
		own     bool
		trust   bool
		is      func(probe.Target) probe.Result
		knownIs probe.Result
		void    bool
		asked   int // witnesses
	}{
		{"a cable is cut", streams(500, 2), 0, false, false, always(dead), works, true, 0},
		{"a cable is cut, and the operator wants it so", streams(500, 2), 0, false, true, always(dead), works, false, 0},
		{"silence", streams(500, 2), 0, false, false, always(silent), works, true, 0},
		{"one of a thousand", streams(500, 2), 0, false, false, mixed(1000, silent), works, true, 0},
		{"one of thirty", streams(500, 2), 0, false, false, mixed(15, silent), works, false, 0},
		{"all are gone, and say so", streams(500, 2), 0, false, false, always(gone), works, false, 0},
		{"few are dead", streams(19, 1), 0, false, false, always(dead), works, false, 0},
		{"of few hosts", streams(500, 60), 0, false, false, always(dead), works, false, 0},
		{"few are dead, and so is all else", streams(19, 1), 8, false, false, always(dead), dead, true, 5},
		{"few are dead, and others work", streams(19, 1), 8, false, false, always(dead), works, false, 5},
		{"many are dead, and others work", streams(100, 1), 8, false, false, always(dead), works, false, 5},
		{"many are dead, and so are the few others", streams(100, 1), 2, false, false, always(dead), dead, true, 2},
		{"one is dead", streams(1, 1), 8, false, false, always(dead), dead, false, 0},
		{"on the operator's list", streams(100, 1), 0, true, false, always(dead), works, false, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &shelf{states: map[catalog.StreamID]probe.State{}}
				r := &Round{Keeper: s, Targets: slices.Clone(test.targets), Trust: test.trust}
				known := map[catalog.StreamID]bool{}
				for i := range test.known {
					k := probe.Target{ID: catalog.StreamID(i + 1), URL: fmt.Sprintf("https://known%d.example/", i)}
					s.states[k.ID] = probe.State{Status: probe.Online, At: time.Now(), OnlineAt: time.Now()}
					r.Targets = append(r.Targets, k)
					known[k.ID] = true
				}
				if test.own {
					for i := range test.targets {
						r.Own = append(r.Own, fmt.Sprintf("h%d.example", i))
					}
				}
				w := newWorld(func(t probe.Target) probe.Result {
					if known[t.ID] {
						return test.knownIs
					}
					return test.is(t)
				})
				r.Measurer = w
				rep := run(t, r)
				if (rep.Void != "") != test.void {
					t.Fatalf("void: %q; %+v", rep.Void, rep)
				}
				asked := 0
				for id, n := range w.measured {
					if known[id] {
						asked += n
					}
				}
				// The last of many results may be suspected once more.
				if asked < test.asked || asked > 2*test.asked || rep.Witnesses != asked {
					t.Errorf("%d witnesses asked, %d reported, want %d", asked, rep.Witnesses, test.asked)
				}
				if test.void && (len(s.states) != test.known || rep.Kept != 0 || rep.Dropped == 0) {
					t.Errorf("void, and %d kept: %+v", len(s.states)-test.known, rep)
				}
				if test.void && rep.Measured > 300 {
					t.Errorf("the round went on for %d measurements", rep.Measured)
				}
				if !test.void && (rep.Kept != rep.Measured+rep.Witnesses || rep.Left != 0) {
					t.Errorf("unexpected report: %+v", rep)
				}
			})
		})
	}
}

// TestRunNear keeps what is reached without a network, however late it answers,
// when nothing else answers.
func TestRunNear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{states: map[catalog.StreamID]probe.State{}}
		near := probe.Target{ID: 7, URL: "http://127.0.0.1:8791/tv/master.m3u8"}
		r := &Round{Keeper: s, Targets: append(streams(500, 2), near), Own: []string{"127.0.0.1:8791"}}
		w := newWorld(func(k probe.Target) probe.Result {
			if k.ID != near.ID {
				return probe.Result{Status: probe.Offline, Reason: "no_such_host", Requests: 1}
			}
			return works
		})
		w.takes = func(k probe.Target) time.Duration {
			if k.ID == near.ID {
				return 20 * time.Second
			}
			return time.Millisecond
		}
		r.Measurer = w
		rep := run(t, r)
		if rep.Void == "" || rep.Kept != 1 || len(s.states) != 1 || s.states[near.ID].Status != probe.Online {
			t.Errorf("%+v; kept %+v", rep, s.states)
		}
	})
}

// TestRunCutInTheMiddle loses the network while a round is under way: what was
// found before is kept, what seems dead after is not.
func TestRunCutInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := newWorld(func(probe.Target) probe.Result {
			if time.Since(start) > time.Minute {
				return probe.Result{Status: probe.Offline, Reason: "no_such_host", Requests: 1}
			}
			return works
		})
		s := &shelf{}
		rep := run(t, &Round{Measurer: w, Keeper: s, Targets: streams(3000, 1)})
		if rep.Void == "" || rep.Kept < 200 || rep.Kept+rep.Dropped != rep.Measured+rep.Witnesses {
			t.Errorf("unexpected report: %+v", rep)
		}
		wrong := 0
		for _, state := range s.states {
			if state.Status != probe.Online {
				wrong++
			}
		}
		// Those that ended with the last that worked, in the same batch.
		if wrong > 60 {
			t.Errorf("%d streams of %d that work are stored as not working", wrong, len(s.states))
		}
	})
}

// TestRunFair gives rounds of little time made-up catalogs: whatever comes, all
// is measured in the end and no host is asked by more than its share at once.
func TestRunFair(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			var targets []probe.Target
			for i := range 1 + rng.IntN(400) {
				targets = append(targets, probe.Target{
					ID: catalog.StreamID(rng.Uint64()), URL: fmt.Sprintf("http://%d.example/%d", int(rng.ExpFloat64()*20), i), Popularity: rng.Int64N(200) - 100,
				})
			}
			w, s := newWorld(always(works)), &shelf{}
			w.takes = func(t probe.Target) time.Duration { return time.Duration(t.ID % 20 * 1e9) }
			perHost := 1 + rng.IntN(4)
			r := &Round{Measurer: w, Keeper: s, Targets: targets, Limits: Limits{
				Workers: 1 + rng.IntN(64), PerHost: perHost, Rate: 5 + 50*rng.Float64(), Streams: 50, Batch: 1 + rng.IntN(60), Pause: time.Duration(1 + rng.Int64N(2e10)),
			}}
			for range 1000 {
				if rep := run(t, r); rep.Left == 0 {
					break
				}
			}
			if len(w.measured) != len(targets) || len(s.states) != len(targets) {
				t.Errorf("%d of %d measured, %d kept", len(w.measured), len(targets), len(s.states))
			}
			for host, most := range w.most {
				if most > perHost {
					t.Errorf("%s: %d at once, want at most %d", host, most, perHost)
				}
			}
		})
	}
}

func openDB(t testing.TB) store.DB {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// shownBy returns what readers of a database see.
func shownBy(t testing.TB, db store.DB) map[catalog.StreamID]*catalog.Measurement {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	return maps.Collect(probe.Follow(ctx, overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now)).All())
}

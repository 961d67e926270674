package round

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

// A caller measures as soon as it has said so.
type caller struct{ say func(t probe.Target) }

func (c caller) Measure(_ context.Context, t probe.Target) probe.Result {
	c.say(t)
	r := works
	r.At = time.Now()
	return r
}

// killed are the streams and the limits of the rounds that are killed.
var (
	killed       = inFew(streams(300*probe.Shards/few, 1))
	killedLimits = Limits{Workers: 8, Batch: 20, Rate: 1e6}
)

// child runs a round in a file, and says the id of each stream before it measures
// it, which it does when a byte comes in.
func child(file string) error {
	db, err := embedded.Open(file)
	if err != nil {
		return err
	}
	r := Round{
		Measurer: caller{func(t probe.Target) {
			killtest.Say(uint64(t.ID))
			_, _ = os.Stdin.Read(make([]byte, 1)) // it fails when the parent has ended
		}},
		Keeper: probe.Book{DB: db}, Targets: killed, Now: time.Now, Limits: killedLimits,
	}
	_, err = r.Run(context.Background())
	return errors.Join(err, db.Close())
}

// TestKill kills a process that measures, again and again at any point. What it
// has kept is not measured again, and of each life at most what was under way.
func TestKill(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		if err := child(args[0]); err != nil {
			t.Fatal(err)
		}
		return
	}
	file := filepath.Join(t.TempDir(), "db")
	rng := rand.New(rand.NewPCG(29, 30))
	measured, lives := 0, 0
	for {
		known := kept(t, file)
		if len(known) == len(killed) {
			break
		}
		if lives++; lives > 100 {
			t.Fatalf("after %d runs %d streams are stored", lives, len(known))
		}
		for _, id := range kill(t, file, 1+rng.IntN(90)) {
			if s, ok := known[id]; ok {
				t.Errorf("%v is measured again, and is %+v", id, s)
			}
			measured++
		}
	}
	// A batch and, of each worker, a result that waits and one to come.
	again := killedLimits.Batch + 2*killedLimits.Workers
	if most := len(killed) + lives*again; measured > most || lives < 3 {
		t.Errorf("%d measurements of %d streams in %d runs, want at most %d", measured, len(killed), lives, most)
	}
	for id, s := range kept(t, file) {
		if s.Status != probe.Online || s.Failures != 0 || s.Score != 100 {
			t.Errorf("%v is %+v", id, s)
		}
	}
	t.Logf("%d measurements of %d streams in %d lives", measured, len(killed), lives)
}

// kept returns what a file holds. Readers see at least as much.
func kept(t *testing.T, file string) map[catalog.StreamID]probe.State {
	t.Helper()
	db, err := embedded.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	states, err := probe.Book{DB: db}.States(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	shown := shownBy(t, db)
	for id := range states {
		if shown[id] == nil {
			t.Errorf("%v is stored but not shown", id)
		}
	}
	return states
}

// kill runs a process that measures, kills it at the last of some measurements,
// and returns what it measured. It cannot go on until it is killed.
func kill(t *testing.T, file string, after int) (list []catalog.StreamID) {
	t.Helper()
	hear := func(line string) bool {
		var id catalog.StreamID
		if _, err := fmt.Sscan(line, &id); err != nil {
			t.Errorf("the process says %q", line)
		}
		list = append(list, id)
		return len(list) == after
	}
	killtest.Run(t, killtest.Plan{Args: []string{file}, Input: make([]byte, after-1), Hear: hear, MayEnd: true})
	return list
}

// TestTwoRounds has a round go on after another process took its place: the
// fence of its transactions ends it, and nothing it found is kept over what the
// other knows.
func TestTwoRounds(t *testing.T) {
	db, lost := openDB(t), errors.New("lost")
	targets := inFew(streams(100*probe.Shards/few, 1))[:90]
	var taken atomic.Bool
	fence := func(store.Tx) error {
		if taken.Load() {
			return lost
		}
		return nil
	}
	measured := map[catalog.StreamID]int{}
	other := func() {
		taken.Store(true)
		r := Round{Measurer: caller{func(t probe.Target) { measured[t.ID]++ }}, Keeper: probe.Book{DB: db}, Targets: targets, Now: time.Now, Limits: Limits{Workers: 1, Rate: 1e6}}
		if rep, err := r.Run(t.Context()); err != nil || rep.Kept != rep.Due {
			t.Errorf("the other round: %+v, %v", rep, err)
		}
	}
	n := 0
	r := Round{
		Measurer: caller{func(t probe.Target) {
			if n++; n == 50 {
				other()
			}
			if !taken.Load() {
				measured[t.ID]++
			}
		}},
		Keeper: probe.Book{DB: db, Checks: []func(store.Tx) error{fence}}, Targets: targets, Now: time.Now,
		Limits: Limits{Workers: 1, Batch: 10, Rate: 1e6, Pause: time.Hour},
	}
	if rep, err := r.Run(t.Context()); !errors.Is(err, lost) || rep.Kept != 40 {
		t.Errorf("the first round: %v, %+v", err, rep)
	}
	states, err := probe.Book{DB: db}.States(t.Context())
	if err != nil || len(states) != len(targets) {
		t.Errorf("%d kept, %v", len(states), err)
	}
	again := 0
	for _, n := range measured {
		again += n - 1
	}
	if again > 10 || len(measured) != len(targets) {
		t.Errorf("%d of %d streams are measured, %d times too often: want at most a batch", len(measured), len(targets), again)
	}
}

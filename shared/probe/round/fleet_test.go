package round

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/probe/probetest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

// once counts the measurements of each stream.
type once struct {
	probe.Measurer
	mu sync.Mutex
	of map[catalog.StreamID]int
}

func (o *once) Measure(ctx context.Context, t probe.Target) probe.Result {
	o.mu.Lock()
	o.of[t.ID]++
	o.mu.Unlock()
	return o.Measurer.Measure(ctx, t)
}

// TestFleet has two processes measure 500 origins of all kinds at once, one
// database between them. Every stream gets its status within one run, none is
// measured twice, and no host is asked twice at a time.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("500 origins take some seconds")
	}
	f, err := probetest.Start(500)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var targets []probe.Target
	for _, c := range f.Cases {
		targets = append(targets, c.Target)
	}
	measurer := &once{Measurer: f.Measurer(), of: map[catalog.StreamID]int{}}
	run := job.Job{Name: "probe", Run: func(ctx context.Context, _ job.Order) (any, error) {
		r := Round{
			Measurer: measurer, Keeper: probe.Book{DB: db, Checks: []func(store.Tx) error{job.Fence(ctx)}},
			Targets: targets, Own: f.Origin().Allow, Now: time.Now, Limits: Limits{Rate: 5000, Time: 10 * time.Minute, Batch: 500, Pause: time.Minute},
		}
		return r.Run(ctx)
	}}
	var processes sync.WaitGroup
	for range 2 {
		runner := job.NewRunner(db, slog.New(slog.DiscardHandler), time.Now, run)
		processes.Go(func() {
			rep, err := runner.Run(t.Context(), "probe", job.Order{})
			if err != nil && !errors.Is(err, job.ErrRunning) {
				t.Errorf("Run = %v", err)
			}
			if rep != nil {
				t.Logf("%+v", rep.Result)
			}
		})
	}
	processes.Wait()
	states, err := probe.Book{DB: db}.States(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Cases {
		s := states[c.Target.ID]
		if s.Status != c.Want && (c.Want != probe.Unknown || s.Missed != 1) || s.Closed != c.Closed || c.Height != 0 && s.Height != c.Height {
			t.Errorf("%s: %+v, want %s, closed %v, height %d", c.Kind, s, c.Want, c.Closed, c.Height)
		}
		if n := measurer.of[c.Target.ID]; n != 1 {
			t.Errorf("%s: measured %d times", c.Kind, n)
		}
	}
	if most, host := f.Most(); most != 1 {
		t.Errorf("%d requests at once to %s", most, host)
	}
}

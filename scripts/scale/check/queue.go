package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"miramundo.dev/scripts/bench/machine"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/scripts/scale/capacity"
	"miramundo.dev/scripts/scale/sim"
)

// busy is the share of the measured throughput at which waiting times are compared.
const busy = 0.6

// fill asks for search as fast as the stack answers, then at a share of that
// throughput, and adds what the model expects beside what was measured.
func (s *Stack) fill(ctx context.Context, t *report.Report, m *capacity.Model, c *crowd, n int) error {
	slower, err := slower(ctx)
	if err != nil {
		return err
	}
	each := processorOf(m, "search") * slower * 1e-6 // seconds
	d := Only(m, "search", n, len(c.people), len(c.channels))
	before, err := s.Counts(ctx)
	if err != nil {
		return err
	}
	took, err := c.replay(ctx, d, 0)
	if err != nil {
		return err
	}
	after, err := s.Counts(ctx)
	if err != nil {
		return err
	}
	full := float64(n) / took.Seconds()
	rate := busy * full
	waits, err := c.arrive(ctx, d, rate)
	if err != nil {
		return err
	}
	expected := queue(m, 1/full, rate, n)
	on := machine.Describe()
	t.Title("A part that is full: search on one processor")
	t.Note("%d searches, first by %d connections without a pause, then at random moments at %.0f %% of the throughput that was measured. The model's "+
		"processor time is that of measured.json on a machine %.2f times slower than that of the goals, as it was in that moment; its waiting times are those of a queue whose "+
		"service takes what the throughput says. The client, and whatever else runs, shares the machine: on its %d cores %s processes ran or waited on average.",
		n, senders, 100*busy, slower, on.Cores, on.Load)
	t.Head("figure", "model", "measured", "model − measured")
	row := func(name, form string, a, b float64) {
		t.Row(name, fmt.Sprintf(form, a), fmt.Sprintf(form, b), percent(a, b))
	}
	row("processor of a search, µs", "%.0f", 1e6*each, 1e6*after.less(before).Processor/float64(n))
	row("searches/s when it is full", "%.0f", 1/each, full)
	row(fmt.Sprintf("p50 at %.0f searches/s, ms", rate), "%.2f", 1000*expected.P50, 1000*at(waits, 0.5))
	row("p99, ms", "%.2f", 1000*expected.P99, 1000*at(waits, 0.99))
	return nil
}

// queue simulates one instance at a rate, whose service times are exponential.
func queue(m *capacity.Model, each, rate float64, n int) sim.Figures {
	random := rand.New(rand.NewPCG(m.Seed, 1))
	pool := sim.NewPool(sim.Scaling{Processors: 1, Concurrency: 1e9, Target: 1, Most: 1}, random, 0, 0, 0)
	now := 0.0
	for range n {
		now += random.ExpFloat64() / rate
		pool.Serve(pool.Choose(now), now, each*random.ExpFloat64(), 0)
	}
	return pool.Figures()
}

// arrive makes the requests of a day at random moments at a rate, and returns how long the
// answers took from those moments, in seconds, sorted. At most lanes are under way.
func (c *crowd) arrive(ctx context.Context, d Day, rate float64) ([]float64, error) {
	const lanes = 64
	random := rand.New(rand.NewPCG(3, 3))
	var mu sync.Mutex
	waits := make([]float64, 0, len(d.steps))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(lanes)
	due := time.Now()
	for _, one := range d.steps {
		due = due.Add(time.Duration(random.ExpFloat64() / rate * float64(time.Second)))
		moment := due
		if wait := time.Until(moment); wait > 0 {
			<-time.After(wait)
		}
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			err := c.send(ctx, one)
			mu.Lock()
			defer mu.Unlock()
			waits = append(waits, time.Since(moment).Seconds())
			return err
		})
	}
	err := group.Wait()
	slices.Sort(waits)
	return waits, err
}

// at returns a quantile of sorted values.
func at(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1))]
}

// processorOf returns the processor time of a call, in µs of the machine of the goals.
func processorOf(m *capacity.Model, call string) float64 {
	for _, c := range m.Calls {
		if c.Name == call {
			return c.Processor
		}
	}
	return 0
}

package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/scripts/scale/capacity"
	"miramundo.dev/scripts/scale/world"
)

// Bound is by how much the bill of the model may differ from that of what was counted.
const Bound = 0.10

// Options are the size of a check.
type Options struct {
	People int
	Within time.Duration // the day
	Seed   uint64
	// Queue is how many searches load the stack until it is full; 0 leaves that out.
	Queue int
}

// Usual are the options of the document, and Small those of CI.
var (
	Usual = Options{People: 300, Within: time.Minute, Seed: 7, Queue: 20_000}
	Small = Options{People: 120, Within: 15 * time.Second, Seed: 7}
)

// Run replays a day, adds the comparison to t, and fails when the bills differ by more
// than Bound.
func Run(ctx context.Context, t *report.Report, m *capacity.Model, o Options) (err error) {
	s, err := Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	c, err := gather(ctx, s.URL, o.People)
	if err != nil {
		return err
	}
	before, err := s.Settle(ctx)
	if err != nil {
		return err
	}
	d := NewDay(m, o.People, len(c.channels), o.Seed)
	took, err := c.replay(ctx, d, o.Within)
	if err != nil {
		return err
	}
	after, err := s.Settle(ctx)
	if err != nil {
		return err
	}
	counted, predicted := after.less(before), Predict(m, d, took)
	off := compare(t, m, d, took, predicted, counted)
	if o.Queue > 0 {
		if err := s.fill(ctx, t, m, c, o.Queue); err != nil {
			return err
		}
	}
	if math.Abs(off) > Bound {
		return fmt.Errorf("the bill of the model differs by %.1f %% from that of the replayed day, want at most %.0f %%", 100*off, 100*Bound)
	}
	return nil
}

// compare adds the two bills, and returns by how much that of the model differs.
func compare(t *report.Report, m *capacity.Model, d Day, took time.Duration, predicted, counted Counts) float64 {
	t.Title("The bill of a replayed day")
	t.Note("%d people did on the local stack within %v what the model has them do on a day: %d requests, each of them answered.", d.People, took.Round(time.Second), len(d.steps))
	t.Head("counted by the metrics", "model", "stack", "model − stack", "at list prices, USD for a million people: model", "stack")
	p := m.Prices
	times := 1e6 / float64(d.People)
	row := func(name string, of func(Counts) float64, price float64) {
		a, b := of(predicted), of(counted)
		t.Row(name, fmt.Sprintf("%.0f", a), fmt.Sprintf("%.0f", b), percent(a, b), fmt.Sprintf("%.2f", a*price*times), fmt.Sprintf("%.2f", b*price*times))
	}
	row("requests", func(c Counts) float64 { return c.Requests }, p.Requests.Value/1e6)
	row("bytes of answers", func(c Counts) float64 { return c.Bytes }, p.Egress.Value/(1<<30))
	row("documents read by requests", func(c Counts) float64 { return c.Reads }, p.Reads.Value/1e5)
	row("documents written by requests", func(c Counts) float64 { return c.Writes }, p.Writes.Value/1e5)
	row("documents read behind them", func(c Counts) float64 { return c.Behind.Reads }, p.Reads.Value/1e5)
	row("documents written behind them", func(c Counts) float64 { return c.Behind.Writes }, p.Writes.Value/1e5)
	a, b := bill(p, predicted), bill(p, counted)
	t.Row("the bill of documents and bytes", "", "", percent(a, b), fmt.Sprintf("%.2f", a*times), fmt.Sprintf("%.2f", b*times))
	byRoute(t, predicted, counted)
	return a/b - 1
}

// byRoute adds the documents of each route.
func byRoute(t *report.Report, predicted, counted Counts) {
	t.Head("documents of requests to", "model: read", "stack: read", "model: written", "stack: written")
	all := map[string]bool{}
	for _, c := range []Counts{predicted, counted} {
		for route := range c.Routes {
			all[route] = true
		}
	}
	for _, route := range slices.Sorted(maps.Keys(all)) {
		a, b := predicted.Routes[route], counted.Routes[route]
		t.Row(route, fmt.Sprintf("%.0f", a.Reads), fmt.Sprintf("%.0f", b.Reads), fmt.Sprintf("%.0f", a.Writes), fmt.Sprintf("%.0f", b.Writes))
	}
}

// bill prices the documents and bytes that were counted or predicted. The fee for requests
// would hide an error: their number is that of the day.
func bill(p world.Prices, c Counts) float64 {
	return capacity.Counted(p, c.Reads+c.Behind.Reads, c.Writes+c.Behind.Writes, c.Bytes)
}

// percent returns by how much a differs from b.
func percent(a, b float64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 100*(a/b-1))
}

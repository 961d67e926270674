package oversearch

import (
	"context"
	"fmt"
	"os"
	"time"

	"miramundo.dev/scripts/bench/machine"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

// limitGrowth says what limits the figures of the growth.
const limitGrowth = `Searches that were counted beforehand do not grow. The others read postings and bitmaps, whose length grows with the
catalog, and from some 100,000 channels on these no longer fit into the caches of the processor. Loading, memory and storage grow with the
bytes of the catalog. The catalogs are synthetic: their vocabulary is small, so that words are more frequent than in real ones.`

// Growth measures how the time of the mix, and of loading, and the memory grow with
// the number of channels. It adds a table and plots to t.
func Growth(ctx context.Context, t *report.Report, sizes []int, runs int) error {
	t.Title("Growth of search with the channels")
	t.Limit(limitGrowth)
	t.Head("channels", "mix mean, µs", "scaled", "first answer, ms", "scaled", "heap, MB", "stored, MB")
	mix := report.Line{Name: "mean of the mix"}
	first := report.Line{Name: "snapshot to first answer"}
	heap, stored := report.Line{Name: "heap"}, report.Line{Name: "stored"}
	for _, n := range sizes {
		took, l, err := grown(ctx, n, runs)
		if err != nil {
			return fmt.Errorf("%d channels: %w", n, err)
		}
		fmt.Fprintf(os.Stderr, "growth, %d channels: %.1f µs a page\n", n, micros(took.reached))
		at := func(line *report.Line, y float64) {
			line.Points = append(line.Points, report.Point{X: float64(n), Y: y})
		}
		at(&mix, micros(took.scaled))
		at(&first, millis(l.first.scaled))
		at(&heap, float64(l.heap)/1e6)
		at(&stored, float64(l.size)/1e6)
		t.Row(fmt.Sprint(n), fmt.Sprintf("%.1f", micros(took.reached)), fmt.Sprintf("%.1f", micros(took.scaled)),
			fmt.Sprintf("%.0f", millis(l.first.reached)), fmt.Sprintf("%.0f", millis(l.first.scaled)),
			fmt.Sprintf("%.1f", float64(l.heap)/1e6), fmt.Sprintf("%.1f", float64(l.size)/1e6))
	}
	t.Plot(report.Plot{Name: "search-mix", Title: "Search: mean of the mix by channels", X: "channels", Y: "µs a page, scaled", Lines: []report.Line{mix}})
	t.Plot(report.Plot{Name: "search-load", Title: "Search: time from the snapshot to the first answer by channels", X: "channels", Y: "ms, scaled", Lines: []report.Line{first}})
	t.Plot(report.Plot{Name: "search-memory", Title: "Search: memory by channels", X: "channels", Y: "MB", Lines: []report.Line{heap, stored}})
	return nil
}

// grown measures a synthetic catalog of n channels.
func grown(ctx context.Context, n, runs int) (mix figure, l load, err error) {
	reg := indextest.Synthetic(1, n)
	ix, err := index.Build(reg)
	if err != nil {
		return mix, l, err
	}
	work := workload(reg)
	v := index.NewView(ix, indextest.Overlay(seedChosen, reg), links)
	gauge, err := machine.NewGauge(v)
	if err != nil {
		return mix, l, err
	}
	m := &timer{view: v, runs: runs, gauge: gauge}
	m.locked(func() {
		for _, c := range work {
			if c.weight == 0 {
				continue
			}
			mean := m.times(c).mean
			mix.reached += mean.reached * time.Duration(c.weight) / 100
			mix.scaled += mean.scaled * time.Duration(c.weight) / 100
		}
	})
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return mix, l, err
	}
	defer os.RemoveAll(dir)
	l, err = loads(ctx, Options{Runs: runs}, dir, ix)
	return mix, l, err
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// Package oversearch measures the search index: the time of searches of every kind,
// beside SQLite and a linear scan, the size of the stored index, the time to load
// it, and how often a search finds the record that a visitor looks for.
package oversearch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"time"

	"miramundo.dev/scripts/bench/table"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

var links = catalog.LinkBase{Base: "https://miramundo.dev", Hop: "https://hop.miramundo.dev", Legacy: "http://legacy.miramundo.dev"}

// Options are the settings of a measurement.
type Options struct {
	Name     string // of the catalog
	Register *catalog.Register
	Runs     int  // that a figure is the median of
	Peers    bool // also measure SQLite
}

// A goal has the goals of the design for one size of catalog (search.md, §8).
type goal struct {
	worst, mix    time.Duration
	ratio         float64
	load          time.Duration
	stored        float64
	heap          float64
	gc            time.Duration
	render        time.Duration
	allocs, words float64
}

func goals(records int) goal {
	g := goal{60 * time.Microsecond, 8 * time.Microsecond, 500, 80 * time.Millisecond, 90, 400, 2 * time.Millisecond, 3500 * time.Nanosecond, 0, 3}
	if records > 500_000 {
		g.worst, g.mix, g.ratio, g.load, g.stored = 700*time.Microsecond, 40*time.Microsecond, 1000, 850*time.Millisecond, 75
	}
	return g
}

// Run measures the search index on a catalog, and prints the figures to out.
func Run(ctx context.Context, out io.Writer, o Options) error {
	t, reg := table.New(out), o.Register
	g := goals(len(reg.Records))
	ix, err := index.Build(reg)
	if err != nil {
		return err
	}
	facts := indextest.Overlay(seedChosen, reg) // synthetic: the real catalog comes without probes
	v := index.NewView(ix, facts, links)
	t.Title(fmt.Sprintf("search, %s: %d records, %d streams", o.Name, ix.Len(), ix.StreamLen()))
	work := workload(reg)
	mix := searchClasses(t, o, v, work, g)
	if o.Peers {
		if err := sqlitePart(ctx, t, v, work, mix, g); err != nil {
			return err
		}
	}
	renderPart(t, o, v, g)
	if err := snapshotPart(ctx, t, o, ix, reg, g); err != nil {
		return err
	}
	relevancePart(t, v, reg)
	oraclePart(t, v, reg, facts)
	return nil
}

// searchClasses measures the time of a whole page for each class of searches, and
// returns the mean of the mix.
func searchClasses(t *table.Table, o Options, v *index.View, work []class, g goal) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	gauge := newGauge(v)
	buf := make([]byte, 0, 1<<20)
	t.Head("class", "p50 µs", "p99 µs", "p99 scaled", "allocs")
	var mix, worst figure
	var slower []float64
	most, mostWords := 0.0, 0.0
	for _, c := range work {
		var p50, p99, mean figures
		for range o.Runs {
			speed := gauge.slower()
			times := make([]time.Duration, 0, len(c.queries))
			sum := time.Duration(0)
			for _, q := range c.queries {
				took := measure(func() { buf = v.Search(q, 0, buf[:0]) })
				times, sum = append(times, took), sum+took
			}
			p50.add(quantile(times, 0.5), speed)
			p99.add(quantile(times, 0.99), speed)
			mean.add(sum/time.Duration(max(1, len(times))), speed)
		}
		allocs := 0.0
		for _, q := range c.queries {
			n := allocations(func() { buf = v.Search(q, 0, buf[:0]) })
			if allocs = max(allocs, n); q.Q == "" {
				most = max(most, n)
			} else {
				mostWords = max(mostWords, n)
			}
		}
		m, high := mean.median(), p99.median()
		mix.reached += m.reached * time.Duration(c.weight) / 100
		mix.scaled += m.scaled * time.Duration(c.weight) / 100
		worst = figure{max(worst.reached, high.reached), max(worst.scaled, high.scaled)}
		slower = append(slower, p99.slower...)
		t.Row(c.name, table.Micros(p50.median().reached), table.Micros(high.reached), table.Micros(high.scaled), fmt.Sprintf("%.1f", allocs))
	}
	t.Row("this machine, times slower than the goals'", fmt.Sprintf("%.2f", median(slower)))
	t.Head("figure", "reached", "scaled", "goal", "")
	timeRow(t, "worst class p99, µs", worst, g.worst)
	timeRow(t, "mix mean, µs", mix, g.mix)
	t.Goal("allocations without q", fmt.Sprintf("%.1f", most), "0", most < 0.5)
	t.Goal("allocations with q", fmt.Sprintf("%.1f", mostWords), "3", mostWords <= g.words)
	return mix.reached
}

// renderPart measures the time to write the JSON of a page: the time of a search
// for 20 channels, less the time of the same search for none.
func renderPart(t *table.Table, o Options, v *index.View, g goal) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	gauge := newGauge(v)
	for _, c := range []struct {
		name string
		view *index.View
	}{{"page JSON, µs", v.WithOverlay(index.Overlay{})}, {"page JSON with health and logos spliced in, µs", v}} {
		var took figures
		var buf []byte
		for range 3 * o.Runs {
			q := index.Query{Selection: filter.Selection{Kind: "all", Playable: true}, Limit: pageSize, Offset: 1000}
			whole := measure(func() { buf = c.view.Search(q, 0, buf[:0]) })
			q.Limit = 0
			took.add(whole-measure(func() { buf = c.view.Search(q, 0, buf[:0]) }), gauge.slower())
		}
		timeRow(t, c.name, took.median(), g.render)
	}
}

// encodeJSON returns v as the service writes JSON.
func encodeJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return b.String()
}

// oraclePart compares pages, byte for byte, with those of a linear scan.
func oraclePart(t *table.Table, v *index.View, reg *catalog.Register, facts index.Overlay) {
	const queries = 200
	naive := indextest.NewNaive(reg, facts, links)
	r := rand.New(rand.NewPCG(seedChosen, 3))
	same, compared := 0, 0
	var took []time.Duration
	for range queries {
		q := indextest.Query(r, reg)
		start := cpu()
		page := naive.Page(q, 1)
		took = append(took, cpu()-start)
		if q.Sort == "relevance" && page.Total == 0 {
			continue // the index then looks for near names, the scan does not
		}
		compared++
		if string(v.Search(q, 1, nil))+"\n" == encodeJSON(page) {
			same++
		}
	}
	t.Goal("pages equal to a linear scan", fmt.Sprintf("%d of %d", same, compared), "all", same == compared)
	t.Row("a page by linear scan, ms", fmt.Sprintf("%.1f", float64(median(took).Microseconds())/1000))
}

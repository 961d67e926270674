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

// A goal has the goals of the design for one size of catalog.
type goal struct {
	worst, mix time.Duration // of the spec's orders
	typed      time.Duration // worst class by relevance
	ratio      float64
	load       time.Duration
	stored     float64
	heap       float64
	gc         time.Duration
	render     time.Duration
	words      float64 // allocations of a search with words
}

func goals(records int) goal {
	g := goal{
		worst: 60 * time.Microsecond, mix: 6 * time.Microsecond, typed: 150 * time.Microsecond, ratio: 500,
		load: 80 * time.Millisecond, stored: 100, heap: 520, gc: 2 * time.Millisecond, render: 3500 * time.Nanosecond, words: 3,
	}
	if records > 500_000 {
		g.worst, g.mix, g.typed, g.ratio = 700*time.Microsecond, 25*time.Microsecond, 1200*time.Microsecond, 1000
		g.load = 850 * time.Millisecond
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
	var mix time.Duration
	withTimer(t, v, o.Runs, func(m *timer) {
		mix = timePart(m, work, g)
		typedPart(m, typed(reg), g)
	})
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

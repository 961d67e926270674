// Package oversearch measures the search index: the time of searches of every kind,
// beside SQLite and a linear scan, the size of the stored index, the time to load
// it, and how often a search finds the record that a visitor looks for.
package oversearch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"miramundo.dev/scripts/bench/machine"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

var links = catalog.LinkBase{Base: "https://miramundo.dev", Hop: "https://hop.miramundo.dev", Legacy: "http://legacy.miramundo.dev"}

// Options are the settings of a measurement.
type Options struct {
	Name     string // of the catalog
	Size     string // which goals it is judged by: report.Real, report.Million or another for none
	Register *catalog.Register
	Runs     int  // that a figure is the median of
	Peers    bool // also measure the peers
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
	size := report.Real
	g := goal{
		worst: 60 * time.Microsecond, typed: 150 * time.Microsecond, ratio: 500,
		stored: 100, heap: 520, words: 3,
		gc: target(report.Collection[report.Real], time.Millisecond), render: target(report.PageJSON[report.Real], time.Microsecond),
	}
	if records > 500_000 {
		size = report.Million
		g.worst, g.typed, g.ratio = 700*time.Microsecond, 1200*time.Microsecond, 1000
	}
	g.mix, g.load = target(report.SearchMix[size], time.Microsecond), target(report.FirstAnswer[size], time.Millisecond)
	return g
}

// target returns the time that g asks for.
func target(g *report.Goal, unit time.Duration) time.Duration {
	return time.Duration(g.Target * float64(unit))
}

// limit says what limits the figures of a search.
const limit = `Pages that were counted beforehand (browsing, orders, one filter) cost what their 20 channels cost to write. The others read
the postings of their words and filters, so they grow with the catalog; above some 100,000 channels they wait for memory. Loading reads every
byte of the snapshot once, and its time is that of unpacking and checking it.`

// Run measures the search index on a catalog, and adds the figures to t.
func Run(ctx context.Context, t *report.Report, o Options) error {
	reg := o.Register
	g := goals(len(reg.Records))
	ix, err := index.Build(reg)
	if err != nil {
		return err
	}
	facts := indextest.Overlay(seedChosen, reg) // synthetic: the real catalog comes without probes
	v := index.NewView(ix, facts, links)
	t.Title(fmt.Sprintf("Search, %s: %d records, %d streams", o.Name, ix.Len(), ix.StreamLen()))
	t.Limit(limit)
	work := workload(reg)
	var mix figure
	err = withTimer(t, v, o.Runs, func(m *timer) {
		mix = timePart(m, work, g)
		typedPart(m, typed(reg), g)
	})
	if err != nil {
		return err
	}
	t.Judge(report.SearchMix[o.Size], micros(mix.scaled))
	if o.Peers {
		if err := peersPart(ctx, t, v, work, mix.reached, g); err != nil {
			return err
		}
	}
	t.Head("figure", "reached", "scaled", "goal", "")
	if err := renderPart(t, o, v, g); err != nil {
		return err
	}
	if err := snapshotPart(ctx, t, o, ix, reg, g); err != nil {
		return err
	}
	relevancePart(t, v, reg)
	oraclePart(t, v, reg, facts)
	return nil
}

// renderPart measures the time to write the JSON of a page: the time of a search
// for 20 channels, less the time of the same search for none.
func renderPart(t *report.Report, o Options, v *index.View, g goal) error {
	gauge, err := machine.NewGauge(v)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, c := range []struct {
		name string
		view *index.View
	}{{"page JSON, µs", v.WithOverlay(index.Overlay{})}, {"page JSON with health and logos spliced in, µs", v}} {
		var took figures
		var buf []byte
		for range 3 * o.Runs {
			q := index.Query{Selection: filter.Selection{Kind: "all", Playable: true}, Limit: pageSize, Offset: 1000}
			whole := machine.Measure(func() { buf = c.view.Search(q, 0, buf[:0]) })
			q.Limit = 0
			took.add(whole-machine.Measure(func() { buf = c.view.Search(q, 0, buf[:0]) }), gauge.Slower())
		}
		timeRow(t, c.name, took.median(), g.render)
		if c.view == v {
			t.Judge(report.PageJSON[o.Size], micros(took.median().scaled))
		}
	}
	return nil
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
func oraclePart(t *report.Report, v *index.View, reg *catalog.Register, facts index.Overlay) {
	const queries = 200
	naive := indextest.NewNaive(reg, facts, links)
	r := rand.New(rand.NewPCG(seedChosen, 3))
	same, compared := 0, 0
	var took []time.Duration
	for range queries {
		q := indextest.Query(r, reg)
		start := machine.ThreadCPU()
		page := naive.Page(q, 1)
		took = append(took, machine.ThreadCPU()-start)
		if q.Sort == "relevance" && page.Total == 0 {
			continue // the index then looks for near names, the scan does not
		}
		compared++
		if string(v.Search(q, 1, nil))+"\n" == encodeJSON(page) {
			same++
		}
	}
	t.Head("figure", "reached", "scaled", "goal", "")
	t.Goal("pages equal to a linear scan", fmt.Sprintf("%d of %d", same, compared), "all", same == compared)
	t.Row("a page by linear scan, ms", fmt.Sprintf("%.1f", float64(median(took).Microseconds())/1000))
}

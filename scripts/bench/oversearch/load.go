package oversearch

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"miramundo.dev/scripts/bench/machine"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

// A loaded is what a fresh process needed to answer from a snapshot.
type loaded struct {
	FirstAnswer time.Duration // processor time, from bytes to the first page
	FirstQuery  time.Duration // the part of FirstAnswer after loading
	Heap        uint64        // bytes that loading added
	GC          time.Duration // a full collection
	Slower      float64       // the factor of the gauge at that time
}

// LoadOnce loads the snapshot in a file into this process, and prints a loaded as
// JSON.
func LoadOnce(out io.Writer, file string) error {
	runtime.GOMAXPROCS(1)
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, start := heap(), machine.ProcessCPU()
	ix, err := index.Decode(data)
	if err != nil {
		return err
	}
	v := index.NewView(ix, index.Overlay{}, links)
	ready := machine.ProcessCPU()
	v.Search(index.Query{Selection: filter.Selection{Q: "news", Kind: "all"}, Limit: pageSize}, 0, nil)
	l := loaded{FirstAnswer: machine.ProcessCPU() - start, FirstQuery: machine.ProcessCPU() - ready}
	l.Heap = heap() - before
	collections := make([]time.Duration, 9)
	for i := range collections {
		start := machine.ProcessCPU()
		runtime.GC()
		collections[i] = machine.ProcessCPU() - start
	}
	l.GC = median(collections)
	gauge, err := machine.NewGauge(v)
	if err != nil {
		return err
	}
	l.Slower = gauge.Slower()
	runtime.KeepAlive(v)
	runtime.KeepAlive(data)
	return json.NewEncoder(out).Encode(l)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// snapshotPart measures the stored form of the catalog: its size, and the time
// that fresh processes need to load it on one processor.
func snapshotPart(ctx context.Context, t *report.Report, o Options, ix *index.Index, reg *catalog.Register, g goal) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	whole, err := loads(ctx, o, dir, ix)
	if err != nil {
		return err
	}
	bare, err := index.Build(withoutStreams(reg))
	if err != nil {
		return err
	}
	part, err := loads(ctx, o, dir, bare)
	if err != nil {
		return err
	}
	n := float64(ix.Len())
	per := func(bytes float64) string { return fmt.Sprintf("%.1f", bytes/n) }
	timeRow(t, "snapshot to first answer, µs", whole.first, g.load)
	t.Judge(report.FirstAnswer[o.Size], millis(whole.first.scaled))
	t.Judge(report.Collection[o.Size], millis(whole.gc.scaled))
	t.Row("  of that the first search, µs", report.Micros(whole.query))
	timeRow(t, "  without streams and logos, µs", part.first, g.load)
	t.Goal("stored, bytes/channel", per(float64(whole.size)), fmt.Sprint(g.stored), float64(whole.size)/n <= g.stored)
	t.Row("  without streams and logos", per(float64(part.size)))
	t.Goal("heap, bytes/channel", per(float64(whole.heap)), fmt.Sprint(g.heap), float64(whole.heap)/n <= g.heap)
	t.Row("  without streams and logos", per(float64(part.heap)))
	timeRow(t, "full collection, µs", whole.gc, g.gc)
	return nil
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// A load has the medians of loading one snapshot in fresh processes.
type load struct {
	first, gc figure
	query     time.Duration
	heap      uint64
	size      int // bytes stored
}

// loads encodes ix and returns the medians of loading it in fresh processes.
func loads(ctx context.Context, o Options, dir string, ix *index.Index) (load, error) {
	data, err := ix.Encode()
	if err != nil {
		return load{}, err
	}
	file := filepath.Join(dir, "snapshot")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return load{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return load{}, err
	}
	var first, query, gc figures
	var l loaded
	for range o.Runs {
		out, err := exec.CommandContext(ctx, self, "-load", file).Output()
		if err != nil {
			return load{}, fmt.Errorf("load in a fresh process: %w", err)
		}
		if err := json.Unmarshal(out, &l); err != nil {
			return load{}, err
		}
		first.add(l.FirstAnswer, l.Slower)
		query.add(l.FirstQuery, l.Slower)
		gc.add(l.GC, l.Slower)
	}
	return load{first.median(), gc.median(), query.median().reached, l.Heap, len(data)}, nil
}

// withoutStreams returns reg without the addresses of streams and logos, so that
// their share of the snapshot is seen. A playable record keeps one empty
// stream, so that it stays playable.
func withoutStreams(reg *catalog.Register) *catalog.Register {
	out := *reg
	out.StreamAliases = nil
	out.Records = append([]catalog.Record(nil), reg.Records...)
	for i := range out.Records {
		r := &out.Records[i]
		r.LogoSource = ""
		if playable := r.Playable(); playable {
			r.Streams = []catalog.StreamRecord{{ID: catalog.StreamID(i), Quality: r.Quality, Playable: true}}
		} else {
			r.Streams = nil
		}
	}
	return &out
}

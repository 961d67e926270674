// Package overhop measures the hop over HTTP: requests per second, processor
// time, memory and start. It compares the hop with a plain handler that writes
// the same bytes (the ceiling), and with other proxies of playlists (the peers).
//
// wrk makes the load on one core; the hop runs as it is deployed, in a process of
// its own on the other core. All servers take turns in every round, and a ratio
// compares two servers within a round, so that a machine that changes its speed
// changes both sides.
package overhop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"miramundo.dev/scripts/bench/overhop/ceiling"
	"miramundo.dev/scripts/bench/overhop/manyorigins"
	"miramundo.dev/scripts/bench/process"
	"miramundo.dev/scripts/players/container"
	"miramundo.dev/shared/catalog"
)

// Options say how much is measured.
type Options struct {
	Rounds   int
	Pace     Pace
	Peers    bool
	PeersDir string            // the folder in which npm installed the peers
	Full     *catalog.Register // the catalog to measure the start with; nil skips that
}

// A Pace says how long the loads are. wrk counts in whole seconds.
type Pace struct {
	Round  time.Duration // of each rival in a round
	WarmUp time.Duration // before the round of a rival whose cache must be full
	Herd   time.Duration // of the players of one channel
	Rest   time.Duration // before memory is measured
	Crowd  int           // players of one channel, at most
}

// Usual gives figures to compare; Small only shows that everything works.
var (
	Usual = Pace{Round: 3 * time.Second, WarmUp: 2 * time.Second, Herd: 10 * time.Second, Rest: 5 * time.Second, Crowd: 10_000}
	Small = Pace{Round: time.Second, WarmUp: time.Second, Herd: 2 * time.Second, Rest: time.Second, Crowd: 1000}
)

// How many channels there are of each kind.
const (
	popular = 1
	many    = 1000
	fresh   = 45_000 // more than are requested before a cached copy expires
)

// A bench has the servers that take part and their files.
type bench struct {
	Options
	dir     string
	out     io.Writer
	origin  *manyorigins.Origin
	program string
	streams map[string]catalog.StreamID // the first of each kind
	hop     *container.Server
	ceiling string
	cpid    int
	peers   []peer
}

// Run measures the hop and prints the tables to out.
func Run(ctx context.Context, out io.Writer, o Options) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := &bench{Options: o, out: out}
	if b.dir, err = os.MkdirTemp("", "bench-hop"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.origin, err = manyorigins.Start(); err != nil {
		return err
	}
	defer b.origin.Close()
	if b.program, err = container.Build(ctx, b.dir, container.Hop); err != nil {
		return err
	}
	if err := b.publish(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{b.throughput, b.herds, b.rest, b.startup} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// kinds are the kinds of streams (see origin), and the number of each.
var kinds = []struct {
	name string
	n    int
}{
	{"live", fresh}, {"vod", many}, {"slow/20", popular}, {"slow/300", popular}, {"slow/2000", popular}, {"failing", popular},
}

// publish publishes a catalog with the streams of all kinds for the hop to read.
func (b *bench) publish(ctx context.Context) error {
	b.streams = map[string]catalog.StreamID{}
	var urls []string
	for _, k := range kinds {
		b.streams[k.name] = container.StreamID(len(urls))
		urls = append(urls, b.origin.URLs(k.name, k.n)...)
	}
	return container.Publish(ctx, b.data(), container.Channels(urls, slices.Repeat([]string{catalog.StreamHLS}, len(urls))))
}

func (b *bench) data() string { return filepath.Join(b.dir, "data") }

// start runs a hop on one core, and returns the function that stops it.
func (b *bench) start(ctx context.Context, more ...string) (stop func() error, err error) {
	b.hop, err = container.Start(ctx, container.Options{
		Program: b.program, Data: b.data(), Allow: b.origin.Addrs, Log: io.Discard, Env: append(more, "GOMAXPROCS=1"),
	})
	if err != nil {
		return nil, err
	}
	return b.hop.Stop, process.Pin(b.hop.PID(), 0)
}

// path is the path of the first stream of a kind.
func (b *bench) path(kind string) string { return container.Path(b.streams[kind]) }

// paths writes the paths of n streams of a kind into a file for wrk.
func (b *bench) paths(kind string, n int) (string, error) {
	var text strings.Builder
	for i := range n {
		text.WriteString(container.Path(b.streams[kind]+catalog.StreamID(i)) + "\n")
	}
	file := filepath.Join(b.dir, fmt.Sprintf("%s-%d.paths", kind, n))
	return file, os.WriteFile(file, []byte(text.String()), 0o600)
}

// A rival is a server with a load that is measured once in every round.
type rival struct {
	name    string
	pid     int
	load    load
	warm    bool // the cache must be full when a round begins
	results []result
}

// throughput measures requests that the hop answers from its cache, and requests
// for which it fetches, beside their ceilings.
func (b *bench) throughput(ctx context.Context) error {
	stop, err := b.start(ctx)
	if err != nil {
		return err
	}
	if err := b.record(ctx); err != nil {
		return errors.Join(err, stop())
	}
	rivals, err := b.rivals(ctx)
	defer b.endPeers()
	if err != nil {
		return errors.Join(err, stop())
	}
	if err := b.rounds(ctx, rivals); err != nil {
		return errors.Join(err, stop())
	}
	if err := stop(); err != nil {
		return err
	}
	return b.printThroughput(rivals)
}

// record saves answers of the hop as files, and starts the ceiling, which sends
// them.
func (b *bench) record(ctx context.Context) error {
	dir := filepath.Join(b.dir, "answers")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for name, accept := range map[string]string{"identity": "identity", "gzip": "gzip"} {
		a, err := ceiling.Fetch(ctx, b.hop.URL+b.path("live"), accept)
		if err != nil {
			return err
		}
		if err := a.Save(dir, name); err != nil {
			return err
		}
	}
	hello := ceiling.Answer{Header: http.Header{"Content-Type": {"text/plain"}}, Body: make([]byte, 4<<10)}
	if err := hello.Save(dir, "hello"); err != nil {
		return err
	}
	var err error
	b.ceiling, b.cpid, err = ceiling.Start(ctx, dir)
	return err
}

// connections is the number of connections that wrk keeps busy.
const connections = 32

// Names of rivals that the ratios refer to.
const (
	hello        = "ceiling, 4 KiB"
	ceilingPlain = "ceiling, 1,000 lines"
	ceilingGzip  = "ceiling, 1,000 lines as gzip"
	cachedPlain  = "hop cached, 1,000 lines"
	cachedGzip   = "hop cached, 1,000 lines as gzip"
	oneChannel   = "hop cached, one channel that does not change"
	manyChannels = "hop cached, 1,000 channels in turn"
	manyLive     = "hop, 1,000 live channels in turn"
	uncached     = "hop uncached, fetch and rewrite"
)

// rivals returns the rivals of each round, in their order.
func (b *bench) rivals(ctx context.Context) ([]*rival, error) {
	one, err1 := b.paths("vod", popular)
	all, err2 := b.paths("vod", many)
	live, err3 := b.paths("live", many)
	distinct, err4 := b.paths("live", fresh)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	hop := b.hop.PID()
	rivals := []*rival{
		{name: hello, pid: b.cpid, load: load{base: b.ceiling, path: "/hello"}},
		{name: ceilingPlain, pid: b.cpid, load: load{base: b.ceiling, path: "/identity"}},
		{name: cachedPlain, pid: hop, load: load{base: b.hop.URL, path: b.path("live")}},
		{name: ceilingGzip, pid: b.cpid, load: load{base: b.ceiling, path: "/gzip", gzip: true}},
		{name: cachedGzip, pid: hop, load: load{base: b.hop.URL, path: b.path("live"), gzip: true}},
		{name: oneChannel, pid: hop, warm: true, load: load{base: b.hop.URL, paths: one}},
		{name: manyChannels, pid: hop, warm: true, load: load{base: b.hop.URL, paths: all}},
		{name: manyLive, pid: hop, load: load{base: b.hop.URL, paths: live}},
		{name: uncached, pid: hop, load: load{base: b.hop.URL, paths: distinct}},
	}
	if b.Peers {
		if err := b.startPeers(ctx); err != nil {
			return nil, err
		}
	}
	for _, p := range b.peers {
		rivals = append(rivals, &rival{name: p.name, pid: p.pid, load: load{base: p.base, path: p.path}})
	}
	for _, r := range rivals {
		r.load.connections, r.load.length = connections, b.Pace.Round
	}
	return rivals, nil
}

// rounds measures each rival once per round.
func (b *bench) rounds(ctx context.Context, rivals []*rival) error {
	for i := range b.Rounds {
		for _, r := range rivals {
			if r.warm {
				first := r.load
				first.length = b.Pace.WarmUp
				if _, err := run(ctx, b.dir, first, r.pid); err != nil {
					return fmt.Errorf("%s, before: %w", r.name, err)
				}
			}
			before := b.origin.Fetched("live")
			got, err := run(ctx, b.dir, r.load, r.pid)
			got.fetched = b.origin.Fetched("live") - before
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			r.results = append(r.results, got)
			fmt.Fprintf(os.Stderr, "round %d of %d: %s: %.0f requests/s\n", i+1, b.Rounds, r.name, got.perSecond())
		}
	}
	return nil
}

// printThroughput prints the medians of all rivals, and their ratios.
func (b *bench) printThroughput(rivals []*rival) error {
	fmt.Fprintf(b.out, "\n## The hop over HTTP: %d connections, medians of %d rounds of %v\n\n", connections, b.Rounds, b.Pace.Round)
	t := newTable(b.out, "case", "requests/s", "p50 ms", "p99 ms", "CPU µs/request")
	by := map[string]*rival{}
	for _, r := range rivals {
		by[r.name] = r
		t.row(r.name, r.figure("%.0f", result.perSecond), r.figure("%.2f", func(r result) float64 { return r.P50 / 1000 }),
			r.figure("%.1f", func(r result) float64 { return r.P99 / 1000 }), r.figure("%.1f", result.perRequest))
	}
	if err := t.flush(); err != nil {
		return err
	}
	return b.printRatios(by)
}

// goals are the ratios of requests per second that the design asks for.
var goals = []struct {
	name, over string
	target     float64
}{
	{cachedPlain, ceilingPlain, 0.95}, {cachedGzip, ceilingGzip, 0.90}, {manyChannels, oneChannel, 0.90}, {uncached, hello, 0.17},
}

// printRatios prints the ratios of requests per second, and beside them the ratios
// of CPU time, which depend less on the other load of the machine.
func (b *bench) printRatios(by map[string]*rival) error {
	fmt.Fprintln(b.out)
	t := newTable(b.out, "ratio", "requests/s", "target", "", "by CPU time")
	for _, g := range goals {
		got := ratio(by[g.name], by[g.over], result.perSecond)
		t.goal(g.name+" / "+g.over, got, g.target, got >= g.target, fmt.Sprintf("%.3f", ratio(by[g.over], by[g.name], result.perRequest)))
	}
	t.row(manyLive+" / "+oneChannel, fmt.Sprintf("%.3f", ratio(by[manyLive], by[oneChannel], result.perSecond)), "-",
		"each is fetched every second", fmt.Sprintf("%.3f", ratio(by[oneChannel], by[manyLive], result.perRequest)))
	for _, p := range b.peers {
		got := ratio(by[p.name], by[uncached], result.perRequest)
		if p.target > 0 {
			t.goal("CPU: "+p.name+" / "+uncached, got, p.target, got >= p.target, "")
			continue
		}
		t.row("CPU: "+p.name+" / "+uncached, fmt.Sprintf("%.3f", got), "-", "", "")
	}
	fetches := by[uncached].figure("%.3f", func(r result) float64 { return float64(r.fetched) / float64(r.Requests) })
	t.row("fetches for each uncached request", fetches, "about 1", "", "")
	return t.flush()
}

// figure returns the median of f over the results of r.
func (r *rival) figure(format string, f func(result) float64) string {
	var all []float64
	for _, got := range r.results {
		all = append(all, f(got))
	}
	return fmt.Sprintf(format, median(all))
}

// ratio returns the median over all rounds of f of r divided by f of other in the
// same round.
func ratio(r, other *rival, f func(result) float64) float64 {
	var all []float64
	for i, got := range r.results {
		all = append(all, f(got)/f(other.results[i]))
	}
	return median(all)
}

func median[T cmp.Ordered](list []T) T {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// A table writes rows as a Markdown table.
type table struct{ w *tabwriter.Writer }

func newTable(out io.Writer, head ...string) table {
	t := table{tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)}
	t.row(head...)
	t.row(slices.Repeat([]string{"---"}, len(head))...)
	return t
}

func (t table) row(cells ...string) { fmt.Fprintln(t.w, "|", strings.Join(cells, "\t| ")+"\t|") }

// goal writes a row: a figure, its target, whether ok, and further cells.
func (t table) goal(name string, reached, target float64, ok bool, more ...string) {
	verdict := "reached"
	if !ok {
		verdict = "MISSED"
	}
	t.row(append([]string{name, fmt.Sprintf("%.3f", reached), fmt.Sprintf("%g", target), verdict}, more...)...)
}

func (t table) flush() error { return t.w.Flush() }

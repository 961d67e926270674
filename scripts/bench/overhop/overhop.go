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
	"time"

	"miramundo.dev/scripts/bench/overhop/ceiling"
	"miramundo.dev/scripts/bench/overhop/manyorigins"
	"miramundo.dev/scripts/bench/process"
	"miramundo.dev/scripts/bench/report"
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
	Steps  Steps         // of the growth
}

// Usual gives figures to compare; Small only shows that everything works.
var (
	Usual = Pace{Round: 3 * time.Second, WarmUp: 2 * time.Second, Herd: 10 * time.Second, Rest: 5 * time.Second, Crowd: 10_000,
		Steps: Steps{Players: []int{1, 10, 100, 512, 2000, 10_000}, Lines: manyorigins.Lengths, Fresh: fresh}}
	Small = Pace{Round: time.Second, WarmUp: time.Second, Herd: 2 * time.Second, Rest: time.Second, Crowd: 1000,
		Steps: Steps{Players: []int{1, 100}, Lines: []int{10, 1000}, Fresh: 5000}}
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
	report  *report.Report
	origin  *manyorigins.Origin
	program string
	streams map[string]catalog.StreamID // the first of each kind
	hop     *container.Server
	ceiling string
	cpid    int
	peers   []peer
	missing []string // why peers do not take part
}

// Run measures the hop and adds the figures to t.
func Run(ctx context.Context, t *report.Report, o Options) (err error) {
	return with(ctx, t, o, kinds, func(ctx context.Context, b *bench) error {
		for _, step := range []func(context.Context) error{b.throughput, b.herds, b.rest, b.startup} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// with calls use with a bench whose origins and catalog have streams of the given
// kinds.
func with(ctx context.Context, t *report.Report, o Options, list []kind, use func(context.Context, *bench) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := &bench{Options: o, report: t}
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
	if err := b.publish(ctx, list); err != nil {
		return err
	}
	return use(ctx, b)
}

// A kind is a kind of streams (see manyorigins), and the number of them.
type kind struct {
	name string
	n    int
}

// kinds are the kinds that Run needs.
var kinds = []kind{
	{"live", fresh}, {"vod", many}, {"slow/20", popular}, {"slow/300", popular}, {"slow/2000", popular}, {"failing", popular},
}

// publish publishes a catalog with the streams of the given kinds for the hop to read.
func (b *bench) publish(ctx context.Context, list []kind) error {
	b.streams = map[string]catalog.StreamID{}
	var urls []string
	for _, k := range list {
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
	file := filepath.Join(b.dir, fmt.Sprintf("%s-%d.paths", strings.ReplaceAll(kind, "/", "-"), n))
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
	b.showThroughput(rivals)
	return nil
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
		if err := a.Bare().Save(dir, "bare-"+name); err != nil {
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

// gzipPath is where the ceiling sends the hop's answer as gzip, with its headers.
const gzipPath = "/gzip"

// connections is the number of connections that wrk keeps busy.
const connections = 32

// Names of rivals that the ratios refer to.
const (
	hello        = "ceiling, 4 KiB"
	barePlain    = "ceiling, same bytes, 1,000 lines"
	ceilingPlain = "ceiling, same bytes and headers, 1,000 lines"
	bareGzip     = "ceiling, same bytes, 1,000 lines as gzip"
	ceilingGzip  = "ceiling, same bytes and headers, 1,000 lines as gzip"
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
		{name: barePlain, pid: b.cpid, load: load{base: b.ceiling, path: "/bare-identity"}},
		{name: ceilingPlain, pid: b.cpid, load: load{base: b.ceiling, path: "/identity"}},
		{name: cachedPlain, pid: hop, load: load{base: b.hop.URL, path: b.path("live")}},
		{name: bareGzip, pid: b.cpid, load: load{base: b.ceiling, path: "/bare-gzip", gzip: true}},
		{name: ceilingGzip, pid: b.cpid, load: load{base: b.ceiling, path: gzipPath, gzip: true}},
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

// The limits of the figures, in words.
const (
	limitThroughput = `Cached: the kernel's sockets and net/http; what remains to the ceiling is the visitor's allowance, the counting of
the audience and the log record. Uncached: the fetch, which costs a second request through the standard transport, and reading the playlist;
the rewriting itself takes some 40 µs of 1,000 lines. nginx replaces text and does not parse, so it is a lower bound and no peer in what it does.`
	limitHerds = `All players share one core with everything that the hop does; a refresh runs beside them. With 10,000 connections each
waits for the requests of the others: p99 is about the number of players divided by the requests that one core answers in a second.`
	limitRest = `The copies that are kept, each once as text and once as gzip, and the buffers of the connections. The start is that of loading
the catalog.`
)

// showThroughput adds the medians of all rivals, and their ratios.
func (b *bench) showThroughput(rivals []*rival) {
	t := b.report
	t.Title(fmt.Sprintf("The hop over HTTP: %d connections, medians of %d rounds of %v", connections, b.Rounds, b.Pace.Round))
	t.Limit(limitThroughput)
	t.Head("case", "requests/s", "p50 ms", "p99 ms", "CPU µs/request")
	by := map[string]*rival{}
	for _, r := range rivals {
		by[r.name] = r
		t.Row(r.name, r.figure("%.0f", result.perSecond), r.figure("%.2f", func(r result) float64 { return r.P50 / 1000 }),
			r.figure("%.1f", func(r result) float64 { return r.P99 / 1000 }), r.figure("%.1f", result.perRequest))
	}
	b.showRatios(by)
	for _, why := range b.missing {
		t.Note("not measured: %s", why)
	}
}

// ratios are what is compared, by requests per second, with the goals that the design
// has for some.
var ratios = []struct {
	name, over string
	goal       *report.Goal
}{
	{cachedPlain, ceilingPlain, report.HopCached}, {cachedPlain, barePlain, nil},
	{cachedGzip, ceilingGzip, report.HopCachedGzip}, {cachedGzip, bareGzip, nil},
	{manyChannels, oneChannel, report.HopMany}, {uncached, hello, report.HopOfCeiling}, {manyLive, oneChannel, nil},
}

// showRatios adds the ratios of requests per second, and beside them the ratios of CPU
// time, which depend less on the other load of the machine.
func (b *bench) showRatios(by map[string]*rival) {
	t := b.report
	t.Head("ratio", "requests/s", "goal", "", "by CPU time")
	for _, c := range ratios {
		got := ratio(by[c.name], by[c.over], result.perSecond)
		b.judge(c.name+" / "+c.over, fmt.Sprintf("%.3f", got), c.goal, got, fmt.Sprintf("%.3f", ratio(by[c.over], by[c.name], result.perRequest)))
	}
	for _, p := range b.peers {
		got := ratio(by[p.name], by[uncached], result.perRequest)
		b.judge("CPU: "+p.name+" / "+uncached, fmt.Sprintf("%.3f", got), p.goal, got, "")
	}
	micros := by[uncached].median(result.perRequest)
	b.judge("CPU µs of "+uncached, fmt.Sprintf("%.0f", micros), report.HopUncached, micros, "")
	fetches := by[uncached].median(func(r result) float64 { return float64(r.fetched) / float64(r.Requests) })
	t.Row("fetches for each uncached request", fmt.Sprintf("%.3f", fetches), "about 1", "", "")
}

// judge adds a row with a figure beside its goal, which may be nil, and further cells.
func (b *bench) judge(name, text string, g *report.Goal, figure float64, more ...string) {
	asked, verdict := "", ""
	if g != nil {
		b.report.Judge(g, figure)
		asked, verdict = g.Asked(), report.Verdict(g.Reached(figure))
	}
	b.report.Row(append([]string{name, text, asked, verdict}, more...)...)
}

// median returns the median of f over the results of r.
func (r *rival) median(f func(result) float64) float64 {
	var all []float64
	for _, got := range r.results {
		all = append(all, f(got))
	}
	return median(all)
}

// figure returns the same as text.
func (r *rival) figure(format string, f func(result) float64) string {
	return fmt.Sprintf(format, r.median(f))
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

package overhop

import (
	"context"
	"errors"
	"fmt"
	"os"

	"miramundo.dev/scripts/bench/overhop/ceiling"
	"miramundo.dev/scripts/bench/report"
)

// Steps are the amounts of work at which the growth of the hop's cost is measured.
type Steps struct {
	Players []int // of one channel
	Lines   []int // of the playlist, of manyorigins.Lengths
	Fresh   int   // channels of each length, more than are requested before a copy expires
}

// The limits of the growth, in words.
const (
	limitPlayers = `One core answers so many requests a second, whatever the number of players: more players wait longer, in proportion.`
	limitLines   = `A cached playlist costs its bytes: the kernel copies them into the socket. An uncached one costs a fetch, whatever its
length, and then reading, rewriting and writing its bytes.`
)

// Growth measures how the hop's waiting times grow with the players of one channel,
// and its CPU time with the lines of the playlist, cached and not. It adds a table and
// a plot of each to t.
func Growth(ctx context.Context, t *report.Report, o Options) error {
	list := []kind{{"slow/20", popular}}
	for _, n := range o.Pace.Steps.Lines {
		list = append(list, kind{linesKind(n), o.Pace.Steps.Fresh})
	}
	return with(ctx, t, o, list, func(ctx context.Context, b *bench) error {
		return errors.Join(b.growByPlayers(ctx), b.growByLines(ctx))
	})
}

func linesKind(lines int) string { return fmt.Sprintf("lines/%d", lines) }

// growByPlayers loads one channel with more and more players.
func (b *bench) growByPlayers(ctx context.Context) error {
	t := b.report
	t.Title("Growth of the hop with the players of one channel")
	t.Limit(limitPlayers)
	t.Head("players", "requests/s", "p50 ms", "p99 ms", "CPU µs/request")
	waits := []report.Line{{Name: "p50"}, {Name: "p99"}}
	rate := report.Line{Name: "requests a second"}
	for _, n := range b.Pace.Steps.Players {
		r, _, err := b.herd(ctx, "slow/20", n)
		if err != nil {
			return fmt.Errorf("%d players: %w", n, err)
		}
		fmt.Fprintf(os.Stderr, "growth, %d players: %.0f requests/s\n", n, r.perSecond())
		x := float64(n)
		waits[0].Points = append(waits[0].Points, report.Point{X: x, Y: r.P50 / 1000})
		waits[1].Points = append(waits[1].Points, report.Point{X: x, Y: r.P99 / 1000})
		rate.Points = append(rate.Points, report.Point{X: x, Y: r.perSecond()})
		t.Row(fmt.Sprint(n), fmt.Sprintf("%.0f", r.perSecond()), fmt.Sprintf("%.2f", r.P50/1000), fmt.Sprintf("%.1f", r.P99/1000), fmt.Sprintf("%.1f", r.perRequest()))
	}
	t.Plot(report.Plot{Name: "hop-players-wait", Title: "Time to the answer by players of one channel", X: "players", Y: "ms", Lines: waits})
	t.Plot(report.Plot{Name: "hop-players-rate", Title: "Requests a second by players of one channel", X: "players", Y: "requests/s", Lines: []report.Line{rate}})
	return nil
}

// growByLines requests longer and longer playlists, of one channel that is cached and of
// channels that are not.
func (b *bench) growByLines(ctx context.Context) (err error) {
	stop, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	t := b.report
	t.Title("Growth of the hop with the lines of the playlist")
	t.Limit(limitLines)
	t.Head("lines", "cached, CPU µs", "cached as gzip, CPU µs", "uncached, CPU µs", "fetches for each")
	lines := []report.Line{{Name: "cached"}, {Name: "cached as gzip"}, {Name: "uncached"}}
	for _, n := range b.Pace.Steps.Lines {
		kind := linesKind(n)
		all, err := b.paths(kind, b.Pace.Steps.Fresh)
		if err != nil {
			return err
		}
		if _, err := ceiling.Fetch(ctx, b.hop.URL+b.path(kind), "identity"); err != nil { // fills the cache
			return err
		}
		cells := []string{fmt.Sprint(n)}
		fetches := 0.0
		for i, l := range []load{{path: b.path(kind)}, {path: b.path(kind), gzip: true}, {paths: all}} {
			l.base, l.connections, l.length = b.hop.URL, connections, b.Pace.Round
			before := b.origin.Fetched(kind)
			r, err := run(ctx, b.dir, l, b.hop.PID())
			if err != nil {
				return fmt.Errorf("%d lines, %s: %w", n, lines[i].Name, err)
			}
			fetches = float64(b.origin.Fetched(kind)-before) / float64(r.Requests)
			lines[i].Points = append(lines[i].Points, report.Point{X: float64(n), Y: r.perRequest()})
			cells = append(cells, fmt.Sprintf("%.1f", r.perRequest()))
		}
		t.Row(append(cells, fmt.Sprintf("%.3f", fetches))...)
	}
	t.Plot(report.Plot{Name: "hop-lines", Title: "CPU of the hop for a request by lines of the playlist", X: "lines", Y: "µs", Lines: lines})
	return nil
}

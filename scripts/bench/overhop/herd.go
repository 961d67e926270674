package overhop

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"miramundo.dev/scripts/bench/overhop/ceiling"
	"miramundo.dev/scripts/bench/report"
)

// crowd, as a number of players, stands for the number in Pace.
const crowd = 0

// herdCases are the kinds of origin, each with a number of players of one channel.
var herdCases = []struct {
	kind    string
	players int
	goal    *report.Goal // of p99; nil for none
}{
	{"slow/20", 512, nil}, {"slow/300", 512, nil}, {"slow/2000", 512, report.HopSlow}, {"failing", 512, nil},
	{"slow/20", crowd, report.HopCrowd}, {"slow/2000", crowd, report.HopCrowd}, {"failing", crowd, report.HopCrowd},
}

// herds measures how often the hop fetches from an origin while many players
// request one channel, and how long the players wait. However many there are, one
// fetch per second must be enough.
func (b *bench) herds(ctx context.Context) error {
	t := b.report
	t.Title(fmt.Sprintf("Players of one channel, for %v; the origin answers after some time, or fails", b.Pace.Herd))
	t.Limit(limitHerds)
	t.Head("origin", "players", "requests/s", "p50 ms", "p99 ms", "fetches/s", "goal", "")
	worst := map[*report.Goal]float64{}
	for _, c := range herdCases {
		c.players = cmp.Or(c.players, b.Pace.Crowd)
		r, fetched, err := b.herd(ctx, c.kind, c.players)
		if err != nil {
			return err
		}
		rate := float64(fetched) / (r.Micros / 1e6)
		// One fetch more than seconds: the first player causes one at once.
		ok, asked := float64(fetched) <= r.Micros/1e6+1, "≤ 1 fetch/s"
		if c.goal != nil {
			ok = ok && c.goal.Reached(r.P99/1000)
			asked += ", p99 " + c.goal.Asked() + " ms"
			worst[c.goal] = max(worst[c.goal], r.P99/1000)
		}
		t.Row(c.kind, fmt.Sprint(c.players), fmt.Sprintf("%.0f", r.perSecond()), fmt.Sprintf("%.1f", r.P50/1000),
			fmt.Sprintf("%.1f", r.P99/1000), fmt.Sprintf("%.2f", rate), asked, report.Verdict(ok))
	}
	for goal, p99 := range worst {
		t.Judge(goal, p99)
	}
	return b.ceilingHerds(ctx)
}

// ceilingHerds adds the times of as many players of a plain handler, which sends them the
// hop's answer and asks no origin: with one core, most of the time is the wait for it.
func (b *bench) ceilingHerds(ctx context.Context) error {
	for _, players := range []int{512, b.Pace.Crowd} {
		l := load{base: b.ceiling, path: gzipPath, gzip: true, connections: players, length: b.Pace.Herd}
		r, err := run(ctx, b.dir, l, b.cpid)
		if err != nil {
			return err
		}
		b.report.Row("none: "+ceilingGzip, fmt.Sprint(players), fmt.Sprintf("%.0f", r.perSecond()), fmt.Sprintf("%.1f", r.P50/1000),
			fmt.Sprintf("%.1f", r.P99/1000), "", "", "")
	}
	return nil
}

// herd loads one channel of a new hop with players. A request before the load,
// which is not measured, fills the cache.
func (b *bench) herd(ctx context.Context, kind string, players int) (r result, fetched int64, err error) {
	stop, err := b.start(ctx)
	if err != nil {
		return r, 0, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	fails := kind == "failing"
	if _, err := ceiling.Fetch(ctx, b.hop.URL+b.path(kind), "gzip"); err != nil && !fails {
		return r, 0, err
	}
	before := b.origin.Fetched(kind)
	l := load{base: b.hop.URL, path: b.path(kind), gzip: true, connections: players, length: b.Pace.Herd, errors: fails}
	r, err = run(ctx, b.dir, l, b.hop.PID())
	return r, b.origin.Fetched(kind) - before, err
}

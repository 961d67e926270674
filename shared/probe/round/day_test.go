package round

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/probe"
)

// A town is a catalog: one stream in twenty is of one host, the others of so
// many hosts; one in a hundred is much played, one in ten dead for long, one in
// twenty dead for shorter.
type town struct {
	targets []probe.Target
	dead    map[catalog.StreamID]bool
	long    map[catalog.StreamID]bool // dead for long
	start   time.Time
	states  map[catalog.StreamID]probe.State
	times   map[catalog.StreamID][]time.Duration // of measurements, since the start
}

func newTown(n, hosts int) *town {
	c := &town{
		dead: map[catalog.StreamID]bool{}, long: map[catalog.StreamID]bool{},
		start: time.Now(), states: map[catalog.StreamID]probe.State{}, times: map[catalog.StreamID][]time.Duration{},
	}
	for i := range n {
		t := probe.Target{ID: idOf(uint64(i) + 1), URL: fmt.Sprintf("https://h%d.example/%d", i%hosts, i), Kind: "hls"}
		switch {
		case i%20 == 7:
			t.URL = fmt.Sprintf("https://big.example/%d", i)
		case i%100 == 3:
			t.Popularity = 500
		case i%10 == 1:
			c.dead[t.ID], c.long[t.ID] = true, true
		case i%20 == 2:
			c.dead[t.ID] = true
		}
		c.targets = append(c.targets, t)
	}
	return c
}

// settle gives all streams the states of a town that has been measured for
// long.
func (c *town) settle() {
	for _, t := range c.targets {
		s := probe.State{Status: probe.Online, At: c.start, ScoredAt: c.start, Score: 100}
		if c.dead[t.ID] {
			s = probe.State{Status: probe.Offline, At: c.start, ScoredAt: c.start, FailingSince: c.start.Add(-5 * 24 * time.Hour), Failures: 5}
		}
		if c.long[t.ID] {
			s.FailingSince = c.start.Add(-30 * 24 * time.Hour)
		}
		// Its last time was one interval before the one that comes next.
		_, every := s.Due(t.ID, t.Popularity)
		s.At = c.start.Add(-every * 15 / 100) // at least that much of an interval passes
		next, _ := s.Due(t.ID, t.Popularity)
		s.At = next.Add(-every)
		c.states[t.ID] = s
	}
}

func (c *town) States(context.Context) (map[catalog.StreamID]probe.State, error) {
	return c.states, nil
}

// Keep has nothing to do: the states are those that the round works on.
func (c *town) Keep(context.Context, []probe.Entry, time.Time, func(catalog.StreamID) bool) error {
	return nil
}

// live has a round every five minutes.
func (c *town) live(t *testing.T, d time.Duration, limits Limits) *world {
	w := newWorld(func(t probe.Target) probe.Result {
		c.times[t.ID] = append(c.times[t.ID], time.Since(c.start))
		if c.dead[t.ID] {
			return probe.Result{Status: probe.Offline, Reason: "gone", Requests: 1, Answered: true}
		}
		return works
	})
	w.takes = func(probe.Target) time.Duration { return 12 * time.Second }
	for time.Since(c.start) < d {
		began := time.Now()
		if rep := run(t, &Round{Measurer: w, Keeper: c, Targets: c.targets, Limits: limits}); rep.Void != "" {
			t.Fatalf("after %v: %+v", time.Since(c.start), rep)
		}
		time.Sleep(time.Until(began.Add(5 * time.Minute)))
		w.order = nil
	}
	return w
}

// gap returns the longest time between two measurements of a stream, and the
// number of them, that end between two moments.
func (c *town) gap(id catalog.StreamID, last, from, to time.Duration) (longest time.Duration, n int) {
	for _, at := range c.times[id] {
		if at > from && at <= to {
			longest = max(longest, at-last)
			n++
		}
		last = at
	}
	return max(longest, to-last), n
}

// even checks that no five minutes have more than twice the load of others.
func (c *town) even(t *testing.T, from, to time.Duration) {
	const bucket = 5 * time.Minute
	buckets := make([]int, (to-from)/bucket)
	sum := 0
	for _, times := range c.times {
		for _, at := range times {
			if at >= from && at < to {
				buckets[(at-from)/bucket]++
				sum++
			}
		}
	}
	mean, most := float64(sum)/float64(len(buckets)), slices.Max(buckets)
	t.Logf("%d measurements in %v, %.0f in five minutes, at most %d", sum, to-from, mean, most)
	if float64(most) > 2*mean {
		t.Errorf("%d measurements in five minutes, on average %.0f", most, mean)
	}
}

// check checks how often streams were measured in the hours between two
// moments.
func (c *town) check(t *testing.T, lastOf func(catalog.StreamID) time.Duration, from, to time.Duration) {
	days := (to - from).Hours() / 24
	for _, target := range c.targets {
		gap, count := c.gap(target.ID, lastOf(target.ID), from, to)
		n := float64(count)
		switch {
		case c.long[target.ID]:
			if n > days/3+1 || gap > 4*24*time.Hour {
				t.Fatalf("dead for long: measured %v times in %v days, not for %v", n, days, gap)
			}
		case gap > 24*time.Hour:
			t.Fatalf("%s: not measured for %v", target.URL, gap)
		case target.Popularity > 0 && n < 8*days-1:
			t.Fatalf("%s: played, and measured %v times in %v days", target.URL, n, days)
		case target.Popularity == 0 && n > days*24/20+1:
			t.Fatalf("%s: not played, and measured %v times in %v days", target.URL, n, days)
		}
	}
}

// TestDay lives through a day of 60,000 streams, 3,000 of them of one host.
func TestDay(t *testing.T) {
	if testing.Short() {
		t.Skip("a day of 60,000 streams takes some seconds")
	}
	synctest.Test(t, func(t *testing.T) {
		const day = 24 * time.Hour
		c := newTown(60_000, 5000)
		c.settle()
		before := map[catalog.StreamID]time.Duration{}
		for id, s := range c.states {
			before[id] = s.At.Sub(c.start)
		}
		w := c.live(t, day, Limits{})
		c.check(t, func(id catalog.StreamID) time.Duration { return before[id] }, 0, day)
		c.even(t, 0, day)
		if w.most["big.example"] > 4 || w.top > 64 {
			t.Errorf("%d at once of one host, %d of all", w.most["big.example"], w.top)
		}
		if most := 20*24*3600 + burst; w.requests > most {
			t.Errorf("%d requests, want at most %d", w.requests, most)
		}
		t.Logf("%d requests: %.1f in a second", w.requests, float64(w.requests)/day.Seconds())
	})
}

// TestFirstDays lives through the days after a first release, when nothing was
// ever measured, of a town and a budget that are a thirtieth of those. Once all
// has been measured each stream keeps its time.
func TestFirstDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hour = time.Hour
		c := newTown(2000, 170)
		c.live(t, 54*hour, Limits{Rate: 20.0 / 30})
		first := func(id catalog.StreamID) time.Duration { return c.times[id][0] }
		for _, target := range c.targets {
			if len(c.times[target.ID]) == 0 || first(target.ID) > 5*hour {
				t.Fatalf("%s: first measured at %v", target.URL, c.times[target.ID])
			}
			delete(c.long, target.ID) // that is not known yet
			if gap, n := c.gap(target.ID, first(target.ID), 5*hour, 54*hour); gap > 24*hour || n > 24 {
				t.Fatalf("%s: measured %d times, not for %v", target.URL, n, gap)
			}
		}
		c.check(t, first, 30*hour, 54*hour)
	})
}

// Package health rates channels by the play reports that were counted: whether a
// channel plays, where, and how well it would play for the caller.
//
// Everything is a pure function of the counts, by these rules. A slice of the reports
// (of the world, a country, an environment) is measured when it has MinReports
// of them; of fewer nothing is concluded, and shares are null.
//
//   - The health of a measured slice is its successes in percent, rounded.
//   - A country refuses a channel when it is measured and has no success.
//   - The geo verdict is unknown while the world is not measured, down without
//     any success, geo when a country refuses what has success elsewhere, and
//     else ok.
//   - For someone in a country that refuses what has success elsewhere a channel
//     is geo_bloqueado. Else it is instavel when less than SteadyFrom percent
//     succeed in their environment, or in their country while the environment
//     is not measured; lenta when the mean wait in their country, of MinReports
//     samples or more, is graded lenta or ruim; boa when it is measured there
//     and neither; and sem_dado without data of their country, whatever the
//     rest of the world says.
package health

import (
	"math"

	"miramundo.dev/shared/social"
)

// MinReports is how many reports a slice needs before anything is concluded
// from it; min_relatos in the interface.
const MinReports = 3

// SteadyFrom is the health, in percent, from which a channel is not called
// unstable: three of ten plays may fail.
const SteadyFrom = 70

// A tally counts the reports of a slice.
type tally struct{ plays, fails int64 }

func tallyOf(plays, fails int64) tally { return tally{max(plays, 0), max(fails, 0)} }

func (t tally) plus(o tally) tally { return tally{t.plays + o.plays, t.fails + o.fails} }

func (t tally) reports() int64 { return t.plays + t.fails }

// measured reports whether t has enough reports.
func (t tally) measured() bool { return t.reports() >= MinReports }

// refuses reports whether t is measured and every play failed.
func (t tally) refuses() bool { return t.measured() && t.plays == 0 }

// health returns the successes in percent, or nil when t is not measured.
func (t tally) health() *int {
	if !t.measured() {
		return nil
	}
	percent := int(math.Round(100 * float64(t.plays) / float64(t.reports())))
	return &percent
}

// isSteady reports whether t, which must be measured, reaches SteadyFrom.
func (t tally) isSteady() bool { return *t.health() >= SteadyFrom }

// worldOf returns all reports of a channel.
func worldOf(c *social.Counts) tally { return tallyOf(c.Plays, c.Fails) }

// environmentOf returns the reports of a place.
func environmentOf(c *social.Counts, p social.Place) tally {
	e := c.Environments[p.Key()]
	return tallyOf(e.Plays, e.Fails)
}

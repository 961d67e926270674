// Package health rates channels by the play reports that were counted: whether a
// channel plays, where, and how well it would play for the caller.
//
// Everything is a pure function of the counts. Counters (plays, fails, favorites,
// comments, reasons, and those of environments and regions) count every report of
// every owner. What is concluded (health percentages, last_fail_code, the geo verdict,
// pra_voce, your_geo_ok, and the place of a channel in lists) follows one rule:
//
//	One network decides nothing. A network, an IPv4 /24 or an IPv6 /48, has one voice a
//	day for each result, however many owners report from it. A report is doubtful when
//	its owner has been known for less than a week or the last probe of the channel
//	found the opposite, and a network with doubtful reports alone has half a voice. A
//	day counts for a slice (the world, a country, an environment) when at least
//	MinReports voices are heard in it, and a result counts on such a day when two
//	networks report it. A slice without a day that counts is not measured, and nothing
//	is concluded from it.
//
// The reasons: an owner costs nothing, since one device makes any number of guests; a
// network costs a contract. The names of networks change every day, so that they
// identify nobody, so voices of three days may all come from one network: therefore
// the three must speak on one day. A result that one network alone reports could
// otherwise lift a block, or make one. New owners and contradictions of
// a probe count half and not nothing, because people do arrive, and the probe stands
// in one country while a channel may be refused in another. Package social collects
// the voices.
//
// The conclusions are these:
//
//   - The health of a measured slice is its successes in percent, rounded.
//   - A country refuses a channel when it is measured and has no success: it is in
//     bloqueado_em, your_geo_ok is false there, and pra_voce is geo_bloqueado.
//     A measured country with a success is in funciona_em, and your_geo_ok is true.
//   - The geo verdict is unknown while the world is not measured, down without any
//     success, geo when a country refuses what has success elsewhere, and else ok.
//   - For a caller in a country that does not refuse, a channel is instavel when less
//     than SteadyFrom percent succeed in their environment, or in their country while
//     the environment is not measured; lenta when the mean wait in their country, of
//     MinReports samples or more, is graded lenta or ruim and the channel is not down;
//     boa when it is measured there and neither; and sem_dado without data of their
//     country, whatever the rest of the world says.
//   - last_fail_code is the code on which MinReports voices of one day last agreed;
//     those of environments (your_fail_code) stay the last that was reported there.
//   - Lists rank a channel by the networks that play it, on days with MinReports of
//     them, and by those that made it a favorite, each once a day and once there are
//     MinReports. The two move it by a fifth of the scale at most.
package health

import (
	"math"
	"time"

	"miramundo.dev/shared/social"
)

// MinReports is how many voices a day needs before anything is concluded from it;
// min_relatos in the interface.
const MinReports = social.MinNetworks

// KnownAfter is how long an owner must have been known for reports that are not
// doubtful, so that guests who are made for an attack count half for its first week.
const KnownAfter = 7 * 24 * time.Hour

// SteadyFrom is the health, in percent, from which a channel is not called
// unstable: three of ten plays may fail.
const SteadyFrom = 70

// A tally counts the voices of a slice, in halves, or its reports.
type tally struct{ plays, fails int64 }

func tallyOf(t social.Tally) tally { return tally{max(t.Plays, 0), max(t.Fails, 0)} }

func (t tally) plus(o tally) tally { return tally{t.plays + o.plays, t.fails + o.fails} }

func (t tally) sum() int64 { return t.plays + t.fails }

// measured reports whether t, of voices, has any: only days that count have voices.
func (t tally) measured() bool { return t.sum() > 0 }

// works reports whether t is measured and some voice succeeded.
func (t tally) works() bool { return t.plays > 0 }

// refuses reports whether t is measured and every play failed.
func (t tally) refuses() bool { return t.measured() && t.plays == 0 }

// health returns the successes in percent, or nil when t is not measured.
func (t tally) health() *int {
	if !t.measured() {
		return nil
	}
	percent := int(math.Round(100 * float64(t.plays) / float64(t.sum())))
	return &percent
}

// isSteady reports whether t, which must be measured, reaches SteadyFrom.
func (t tally) isSteady() bool { return *t.health() >= SteadyFrom }

// worldOf returns the voices of all countries.
func worldOf(c *social.Counts) tally { return tallyOf(c.Heard.World) }

// environmentOf returns the voices of a place.
func environmentOf(c *social.Counts, p social.Place) tally { return tallyOf(c.Heard.Environment(p)) }

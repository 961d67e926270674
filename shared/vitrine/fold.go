package vitrine

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"miramundo.dev/shared/agent"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/usage"
	"miramundo.dev/shared/visit"
)

// Uses are the routes whose successful calls are uses of the service, by their
// patterns.
type Uses struct {
	Reports, Favorites, Comments, Messages, Guests, SignIns []string
}

// A Measured is what was counted on a day.
type Measured struct {
	Day    string // 2006-01-02
	Usage  usage.Day
	Visits visit.Counts
}

// counted reports whether anything counted on the day.
func (m Measured) counted() bool { return !m.Usage.ChangedAt.IsZero() }

// An Input is what the numbers are made from.
type Input struct {
	Now     time.Time
	Since   string     // first day that an earlier publication knew of; empty for the first one
	Days    []Measured // oldest first, the last one today
	Uses    Uses
	Catalog *CatalogNumbers // nil when it is not loaded
}

// Lengths of the windows, in days.
const (
	week  = 7
	month = 30
)

// Fold returns the exact numbers. It depends on its input alone.
func Fold(in Input) OperatorNumbers {
	from := slices.IndexFunc(in.Days, Measured.counted)
	since := in.Since
	if from >= 0 && (since == "" || in.Days[from].Day < since) {
		since = in.Days[from].Day
	}
	listed := slices.DeleteFunc(slices.Clone(in.Days), func(m Measured) bool { return since == "" || m.Day < since })
	d1, d7, d30 := join(last(in.Days, 1)), join(last(in.Days, week)), join(last(in.Days, month))
	out := OperatorNumbers{
		Public: Public{
			Name: config.Product, Since: since, TimeZone: "UTC", Days: []DayNumbers{},
			Windows:    &NumberWindows{Week: d7.window(), Month: d30.window()},
			Visitors:   &NumberSpans{d1.visitors(), d7.visitors(), d30.visitors()},
			People:     &NumberSpans{d1.people(), d7.people(), d30.people()},
			Agents:     &AgentNumbers{NumberSpans{d1.agents(), d7.agents(), d30.agents()}, named(d30.Assistants())},
			Surfaces:   d30.surfaces(),
			MCP:        &MCPNumbers{d30.of(d30.Calls(usage.MCP)), named(d30.Family(usage.Tools))},
			Use:        d30.use(in.Uses),
			Accounts:   &AccountNumbers{d30.successes(in.Uses.Guests), d30.successes(in.Uses.SignIns)},
			Quality:    d30.reliability(),
			Catalog:    in.Catalog,
			Supporters: &SupportNumbers{d30.prices(), d30.purchases()},
		},
		Routes: d7.routes(), Bounds: bounds(), Errors: named(d7.Family(usage.ClientErrors)), Cursor: cursor(in.Days), Kinds: d30.kinds(),
	}
	for _, m := range listed {
		out.Days = append(out.Days, DayNumbers{m.Day, join([]Measured{m}).sums()})
	}
	if len(in.Days) > 0 {
		out.Today = &DayNumbers{in.Days[len(in.Days)-1].Day, d1.sums()}
	}
	return out
}

// last returns the last n days.
func last(days []Measured, n int) []Measured { return days[max(0, len(days)-n):] }

// A span is what was counted in some days together.
type span struct {
	usage.Counts
	visits visit.Counts
	days   int // that were counted
}

func join(days []Measured) (s span) {
	for _, m := range days {
		if !m.counted() {
			continue
		}
		s.days++
		s.Add(m.Usage.Counts)
		s.visits.Pages += m.Visits.Pages
		s.visits.Charges += m.Visits.Charges
	}
	return s
}

// of returns n when something was counted in the span, and null otherwise.
func (s span) of(n int64) Number {
	if s.days == 0 {
		return nil
	}
	return &n
}

func (s span) visitors() Number { return s.of(s.Sketches[usage.Visitors].Estimate()) }
func (s span) people() Number   { return s.of(s.visits.Pages) }
func (s span) prices() Number   { return s.of(s.visits.Charges) }
func (s span) plays() Number    { return s.of(s.Sketches[usage.Plays].Estimate()) }

// purchases returns how many products were sold.
func (s span) purchases() Number {
	var all int64
	for _, n := range s.Family(usage.Purchases) {
		all += n
	}
	return s.of(all)
}

// agents returns the calls of AI agents on every surface. Who calls MCP is one.
func (s span) agents() Number {
	n := s.Calls(usage.MCP)
	for _, surface := range usage.Uses() {
		if surface != usage.MCP {
			n += s.Calls(surface, agent.Assistant)
		}
	}
	return s.of(n)
}

func (s span) sums() NumberSums {
	return NumberSums{
		Pages:    s.of(s.Calls(usage.Site, agent.Person)),
		API:      s.of(s.Calls(usage.API) + s.Calls(usage.MCP)),
		AI:       s.of(s.Calls(usage.API, agent.Assistant) + s.Calls(usage.MCP)),
		Machine:  s.of(s.Calls(usage.Site, programs...) + s.Calls(usage.Documents, programs...)),
		Visitors: s.visitors(),
		Use:      s.plays(),
	}
}

// programs are the kinds of callers that are not people.
var programs = []agent.Kind{agent.Program, agent.Assistant, agent.Crawler, agent.Player}

func (s span) window() WindowNumbers { return WindowNumbers{s.sums(), s.days} }

func (s span) surfaces() *SurfaceNumbers {
	n := func(surface usage.Surface) Number { return s.of(s.Calls(surface)) }
	return &SurfaceNumbers{
		n(usage.Site), n(usage.API), n(usage.MCP), n(usage.Feeds), n(usage.Hop), n(usage.Chat), n(usage.Documents),
	}
}

func (s span) use(u Uses) *UseNumbers {
	return &UseNumbers{
		Plays: s.plays(), Reports: s.successes(u.Reports), Favorites: s.successes(u.Favorites), Comments: s.successes(u.Comments),
		Messages: s.successes(u.Messages), Feeds: s.of(s.Calls(usage.Feeds)),
	}
}

// successes returns how many calls of some routes were answered without a fault.
func (s span) successes(routes []string) Number {
	var n int64
	for _, r := range routes {
		n += s.Routes[r].OK()
	}
	return s.of(n)
}

func (s span) reliability() *ReliabilityNumbers {
	total := s.Total()
	out := &ReliabilityNumbers{Calls: s.of(total.Calls), Median: quantile(total.Times, 50), Slow: quantile(total.Times, 95)}
	if total.Calls > 0 {
		out.Failures = s.of((total.Server*1_000_000 + total.Calls/2) / total.Calls)
	}
	return out
}

// quantile returns the upper bound, in milliseconds, of the bucket in which the
// slowest of percent of the answers is; null when there are no answers, or when it is
// in the last bucket.
func quantile(times usage.Times, percent int64) Number {
	var all, sum int64
	for _, n := range times {
		all += n
	}
	for i, bound := range usage.Bounds {
		if sum += times[i]; all > 0 && sum*100 >= all*percent {
			ms := bound.Milliseconds()
			return &ms
		}
	}
	return nil
}

func bounds() (ms []int64) {
	for _, b := range usage.Bounds {
		ms = append(ms, b.Milliseconds())
	}
	return ms
}

func (s span) routes() []RouteNumbers {
	all := []RouteNumbers{}
	for name, r := range s.Routes {
		all = append(all, RouteNumbers{
			Route: name, Calls: r.Calls, Client: r.Client, Server: r.Server, Bytes: r.Bytes,
			Median: quantile(r.Times, 50), Slow: quantile(r.Times, 95), Times: r.Times[:],
		})
	}
	slices.SortFunc(all, func(a, b RouteNumbers) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Route, b.Route))
	})
	return all
}

func (s span) kinds() []CallerNumbers {
	all := []CallerNumbers{}
	for _, surface := range usage.Uses() {
		for k := range agent.Kinds {
			if n := s.Calls(surface, k); n > 0 {
				all = append(all, CallerNumbers{surface.String(), k.String(), n})
			}
		}
	}
	return all
}

// named returns counts by name, the greatest first.
func named(counts map[string]int64) []NamedNumber {
	all := []NamedNumber{}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		n := counts[name]
		all = append(all, NamedNumber{name, &n})
	}
	slices.SortStableFunc(all, func(a, b NamedNumber) int { return cmp.Compare(*b.Count, *a.Count) })
	return all
}

// cursor returns when a day was counted last.
func cursor(days []Measured) *string {
	var at time.Time
	for _, m := range days {
		if m.Usage.ChangedAt.After(at) {
			at = m.Usage.ChangedAt
		}
	}
	if at.IsZero() {
		return nil
	}
	text := at.UTC().Format(time.RFC3339)
	return &text
}

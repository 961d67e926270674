package report

import (
	"fmt"
	"math"
	"strings"
)

// A Goal is a figure that the service must reach.
type Goal struct {
	Work   string // what is measured, with the unit
	Target float64
	Least  bool // the figure must be at least Target; otherwise at most
	Digits int  // after the decimal point
}

// goalsTitle is the title of the section that Goals adds.
const goalsTitle = "Goals"

// Sizes of the catalog that goals are for.
const (
	Real    = "real"
	Million = "1m"
)

// sizeNames are the sizes in words.
var sizeNames = map[string]string{Real: "real catalog", Million: "1,000,000 channels"}

// A sized has the goals of the same work for catalogs of different sizes. It has none
// for other sizes.
type sized map[string]*Goal

// The goals. Search's are processor times, converted to the machine that they were
// set on; ratios are of requests per second, but for that to another proxy, which is of processor time.
var (
	SearchMix     = both(Goal{Work: "search mix, µs a page, scaled", Digits: 1}, 4, 16)
	HTTPIdentity  = both(Goal{Work: "HTTP, identity, of net/http writing the same bytes", Least: true, Digits: 2}, 0.80, 0.65)
	HTTPZstd      = both(Goal{Work: "HTTP, zstd, of net/http writing the same bytes", Least: true, Digits: 2}, 0.75, 0.75)
	HTTPGzip      = both(Goal{Work: "HTTP, gzip, of net/http writing the same bytes", Least: true, Digits: 2}, 0.75, 0.75)
	FirstAnswer   = both(Goal{Work: "snapshot to first answer, ms, scaled"}, 60, 700)
	PageJSON      = sized{Real: {Work: "page JSON with health and logos spliced in, µs, scaled", Target: 3, Digits: 1}}
	Collection    = sized{Real: {Work: "full collection with the real catalog, ms, scaled", Target: 1.5, Digits: 1}}
	HopCached     = &Goal{Work: "hop cached, 1,000 lines, of net/http writing the same bytes and headers", Target: 0.95, Least: true, Digits: 2}
	HopCachedGzip = &Goal{Work: "hop cached as gzip, of net/http writing the same bytes and headers", Target: 0.95, Least: true, Digits: 2}
	HopMany       = &Goal{Work: "1,000 channels in turn, of one channel", Target: 0.92, Least: true, Digits: 2}
	HopUncached   = &Goal{Work: "hop uncached, 1,000 lines, CPU µs", Target: 120}
	HopOfCeiling  = &Goal{Work: "hop uncached, 1,000 lines, of net/http writing 4 KiB", Target: 0.18, Least: true, Digits: 2}
	HopOfPeer     = &Goal{Work: "hop uncached, 1,000 lines, times less CPU than hls-proxy", Target: 28, Least: true, Digits: 1}
	HopSlow       = &Goal{Work: "512 players while a 2 s origin refreshes, p99 ms", Target: 40, Digits: 1}
	HopCrowd      = &Goal{Work: "10,000 players of one channel, p99 ms", Target: 500}
	FeedFirst     = &Goal{Work: "library feed of 3,840 items, first, ms", Target: 15, Digits: 1}
	FeedAgain     = &Goal{Work: "library feed of 3,840 items, again, ms", Target: 3, Digits: 1}
)

// all returns the goals in the order in which they are shown.
func all() (list []*Goal) {
	for _, s := range []sized{SearchMix, HTTPIdentity, HTTPZstd, HTTPGzip, FirstAnswer, PageJSON} {
		for _, size := range []string{Real, Million} {
			if s[size] != nil {
				list = append(list, s[size])
			}
		}
	}
	return append(list, HopCached, HopCachedGzip, HopMany, HopUncached, HopOfCeiling, HopOfPeer, HopSlow, HopCrowd,
		Collection[Real], FeedFirst, FeedAgain)
}

// both returns g with its targets for the real catalog and for a million channels.
func both(g Goal, forReal, forMillion float64) sized {
	s := sized{}
	for size, target := range map[string]float64{Real: forReal, Million: forMillion} {
		one := g
		one.Work, one.Target = g.Work+": "+sizeNames[size], target
		s[size] = &one
	}
	return s
}

// Reached reports whether a figure, with the digits that are shown, reaches the goal.
func (g *Goal) Reached(figure float64) bool {
	scale := math.Pow10(g.Digits)
	figure = math.Round(figure*scale) / scale
	if g.Least {
		return figure >= g.Target
	}
	return figure <= g.Target
}

// Text returns a figure with the digits of the goal.
func (g *Goal) Text(figure float64) string { return fmt.Sprintf("%.*f", g.Digits, figure) }

// Asked returns the target in words, such as "≤ 40.0".
func (g *Goal) Asked() string {
	sign := "≤ "
	if g.Least {
		sign = "≥ "
	}
	text := g.Text(g.Target)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return sign + text
}

// Judge notes the figure that was measured for a goal. Without a goal, which is nil,
// it does nothing.
func (r *Report) Judge(g *Goal, figure float64) {
	if g != nil {
		r.reached[g] = figure
	}
}

// Goals adds a section with all goals beside what the run reached. A run that is not
// judged, such as a small one, has no verdicts.
func (r *Report) Goals(judged bool) {
	r.Title(goalsTitle)
	r.Head("work", "reached", "goal", "verdict")
	for _, g := range all() {
		figure, measured := r.reached[g]
		switch {
		case !measured:
			r.Row(g.Work, "-", g.Asked(), "not measured")
		case !judged:
			r.Row(g.Work, g.Text(figure), g.Asked(), "not judged")
		default:
			r.Row(g.Work, g.Text(figure), g.Asked(), Verdict(g.Reached(figure)))
		}
	}
	r.Flush()
}

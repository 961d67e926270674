package capacity

import (
	"math"
	"slices"
)

// A Limit is where a part breaks.
type Limit struct {
	First Use     // of the load of the world, at its peak
	At    float64 // of what the load grows by; +Inf where the part breaks at no load that was tried
	What  string  // the resource that breaks at At
}

// leastLoad is the first load that is tried.
const leastLoad = 1e3

// Breaking returns the least load at which a part breaks. It tries loads up to m.Most, each
// about three times the one before.
func (m *Model) Breaking(p Part, s Setup) Limit {
	peak := m.Peak()
	limit := Limit{First: m.Outcome(p, peak, s).First(), At: math.Inf(1)}
	var before []Use
	var at float64
	for n := leastLoad; n <= 1.01*m.Most; n *= math.Sqrt(10) {
		uses := m.Outcome(p, grow(peak, p, n), s).Uses
		for _, u := range uses {
			if u.Share() <= 1 {
				continue
			}
			if x := crossing(at, n, before, u); x < limit.At {
				limit.At, limit.What = x, u.Resource
			}
		}
		if !math.IsInf(limit.At, 1) {
			return limit
		}
		before, at = uses, n
	}
	return limit
}

// crossing returns the load between two loads at which a use reaches what there is, on the
// straight line between them in a plot with logarithmic axes.
func crossing(before, after float64, uses []Use, u Use) float64 {
	i := slices.IndexFunc(uses, func(v Use) bool { return v.Resource == u.Resource })
	if i < 0 || uses[i].Used <= 0 {
		return after
	}
	share := uses[i].Share()
	return before * math.Pow(after/before, math.Log(1/share)/math.Log(u.Share()/share))
}

// grow returns the peak of the world with so many people or channels.
func grow(l Load, p Part, n float64) Load {
	if p.Grows == ByChannels {
		l.Channels = n
		return l
	}
	l.People = n
	return l
}

package probe

import (
	"cmp"
	"slices"
	"time"
)

// Results that are not kept yet are suspected when nearly nobody has answered:
// then it may be the network of who measures that fails, and to keep them would
// call the whole catalog dead. What decides are witnesses, streams of other
// hosts that worked when last measured: one that answers clears the network.
// When none of them does, or there are too few to ask, many results without an
// answer are enough to drop them all.
const (
	deaf           = 0.02 // of the results that are answered, below which they are suspected
	fewTargets     = 5    // with fewHosts, below which nothing is suspected
	fewHosts       = 3
	manyTargets    = 20 // with manyHosts, enough without witnesses
	manyHosts      = 10
	mostWitnesses  = 5
	leastWitnesses = 3
	clearFor       = 30 * time.Second // that a witness clears the network
)

// hearing is what the results that are not kept yet say of the network. Hosts
// on the operator's list say nothing.
type hearing struct {
	targets, answered int
	hosts             map[*host]bool
}

func (h *hearing) add(k *task, r *Result) {
	if !k.outside || !r.Status.tells() {
		return
	}
	if h.hosts == nil {
		h.hosts = map[*host]bool{}
	}
	h.targets++
	h.hosts[k.host] = true
	if answered(r) {
		h.answered++
	}
}

// answered reports whether some origin said anything.
func answered(r *Result) bool {
	return r.Answered || r.Latency > 0 || r.Bytes > 0 || r.Status == Online || r.Status == Blocked
}

// suspect reports whether so many results were so little answered.
func (h *hearing) suspect(targets, hosts int) bool {
	return h.targets >= targets && len(h.hosts) >= hosts && float64(h.answered) < deaf*float64(h.targets)
}

// witnesses returns streams to ask when the results of h are suspected: those
// of hosts that have not been asked, measured longest ago, and not due.
func (x *round) witnesses(now time.Time) []*task {
	var known []Target
	for _, t := range x.Targets {
		s := x.states[t.ID]
		if due, _ := s.Due(t.ID, t.Popularity); s.Status == Online && due.After(now) {
			known = append(known, t)
		}
	}
	slices.SortFunc(known, func(a, b Target) int {
		return cmp.Or(x.states[a.ID].At.Compare(x.states[b.ID].At), cmp.Compare(a.ID, b.ID))
	})
	asked := map[*host]bool{}
	var list []*task
	for _, t := range known {
		k := x.agenda.task(t)
		if len(list) < mostWitnesses && k.outside && !x.hearing.hosts[k.host] && !asked[k.host] {
			asked[k.host] = true
			list = append(list, k)
		}
	}
	return list
}

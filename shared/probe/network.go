package probe

import (
	"cmp"
	"net/netip"
	"slices"
	"time"
)

// Results that are not kept yet are suspected when nearly nobody vouches for the
// own network: to keep them would call the whole catalog dead when a cable is
// cut, a name server is down, or a proxy answers in place of all origins. What
// decides are witnesses, streams of other hosts that worked when last measured:
// one that vouches clears the network. When none of them does, or there are too
// few to ask, many results are enough to drop them all, once those under way
// have not said otherwise.
const (
	deaf           = 0.02 // of the results that vouch, below which they are suspected
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
	all   tally
	named tally // of hosts that have a name: others answer also when no name is found
}

// A tally counts results.
type tally struct {
	targets, vouch int
	hosts          map[*host]bool
}

func (h *hearing) add(k *task, r *Result) {
	if !k.outside || !r.Status.tells() {
		return
	}
	h.all.add(k, r)
	if k.host.named() {
		h.named.add(k, r)
	}
}

func (c *tally) add(k *task, r *Result) {
	if c.hosts == nil {
		c.hosts = map[*host]bool{}
	}
	c.targets++
	c.hosts[k.host] = true
	if vouches(r) {
		c.vouch++
	}
}

// named reports whether a host has to be looked up.
func (h *host) named() bool {
	_, err := netip.ParseAddr(h.name)
	return err != nil
}

// vouches reports whether a result cannot come of a network that fails: some
// origin answered, and not with what a proxy answers in its place.
func vouches(r *Result) bool {
	switch r.Status {
	case Online, Blocked:
		return true
	case Error:
		return false
	}
	return r.Answered
}

// suspect reports whether of so many results so few vouch.
func (h *hearing) suspect(targets, hosts int) bool {
	return h.all.suspect(targets, hosts) || h.named.suspect(targets, hosts)
}

func (c *tally) suspect(targets, hosts int) bool {
	return c.targets >= targets && len(c.hosts) >= hosts && float64(c.vouch) < deaf*float64(c.targets)
}

// witnesses returns streams to ask when what was found is suspected: some that
// worked when last measured, each of a host that was not heard, and with a name
// when only those are suspected. They are others each time, so that a few that
// have died do not hold up round after round. Those that are due are taken from
// the agenda.
func (x *round) witnesses(now time.Time) []*task {
	var known []Target
	for _, t := range x.Targets {
		s := x.states[t.ID]
		if due, _ := s.Due(t.ID, t.Popularity); s.Status == Online && (due.After(now) || x.agenda.waiting[t.ID] != nil) {
			known = append(known, t)
		}
	}
	turn := uint64(now.UnixNano())
	slices.SortFunc(known, func(a, b Target) int { return cmp.Compare(mix(uint64(a.ID)^turn), mix(uint64(b.ID)^turn)) })
	numbered := x.hearing.all.suspect(fewTargets, fewHosts)
	asked := map[*host]bool{}
	var list []*task
	for _, t := range known {
		if len(list) == mostWitnesses {
			break
		}
		k := x.agenda.task(t)
		if k.outside && (numbered || k.host.named()) && !x.hearing.all.hosts[k.host] && !asked[k.host] {
			asked[k.host] = true
			list = append(list, x.agenda.withdraw(k))
		}
	}
	return list
}

package round

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"miramundo.dev/shared/origin"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/probe"
)

// Results that are not stored yet are suspected when nearly none of them proves
// that our own network works, as origin.Outage says. Then witnesses decide:
// streams of other hosts that worked when last measured. One witness that answers
// clears the network. When none does, or there are too few to ask, many suspected
// results are enough to drop them all, unless a measurement under way still proves
// that the network works.
//
// Results of the operator's own addresses are no evidence, and are stored even
// when the others are dropped: they need no network.
const (
	fewTargets     = 5 // with fewHosts, the least results that can be suspected
	fewHosts       = 3
	manyTargets    = 20 // with manyHosts, enough to drop results without witnesses
	manyHosts      = 10
	mostWitnesses  = 5                // measured at once
	leastWitnesses = 3                // with a conclusive result, for a judgement by witnesses alone
	clearFor       = 30 * time.Second // how long a witness that answers clears the network
)

// evidence counts the results that are not stored yet, as evidence of the network.
// Hosts on the operator's list are no evidence.
type evidence struct {
	all   origin.Outage
	named origin.Outage // of hosts with a name: numeric ones answer also when DNS fails
}

// add counts the result of a task, if it is evidence.
func (h *evidence) add(k *task, r *probe.Result) {
	if !k.outside || !r.Status.Conclusive() {
		return
	}
	h.all.Add(k.host.name, vouches(r))
	if k.host.named() {
		h.named.Add(k.host.name, vouches(r))
	}
}

// named reports whether a host has to be looked up.
func (h *host) named() bool {
	_, err := netip.ParseAddr(h.name)
	return err != nil
}

// vouches reports whether a result proves that our own network works: the origin
// itself answered, and not a proxy in its place.
func vouches(r *probe.Result) bool {
	switch r.Status {
	case probe.Online, probe.Blocked:
		return true
	case probe.Error:
		return false
	}
	return r.Answered
}

// suspect reports whether the results come from at least so many targets and
// hosts, and nearly none of them proves that the network works.
func (h *evidence) suspect(targets, hosts int) bool {
	return h.all.Likely(targets, hosts) || h.named.Likely(targets, hosts)
}

// witnesses returns tasks that check a suspicion: at most mostWitnesses streams
// that were online when last measured, each of another host without a result in
// this batch, and of a named host when only those are suspected. The choice
// changes from call to call, so that a few streams that have died do not void
// every round. Witnesses that are due are withdrawn from the agenda.
func (x *round) witnesses(now time.Time) []*task {
	var known []probe.Target
	for _, t := range x.Targets {
		s := x.states[t.ID]
		if due, _ := s.Due(t.ID, t.Popularity); s.Status == probe.Online && (due.After(now) || x.agenda.waiting[t.ID] != nil) {
			known = append(known, t)
		}
	}
	turn := catalog.StreamID(now.UnixNano())
	slices.SortFunc(known, func(a, b probe.Target) int { return cmp.Compare(probe.Slot(a.ID^turn), probe.Slot(b.ID^turn)) })
	numbered := x.evidence.all.Likely(fewTargets, fewHosts)
	asked := map[*host]bool{}
	var list []*task
	for _, t := range known {
		if len(list) == mostWitnesses {
			break
		}
		k := x.agenda.task(t)
		if k.outside && (numbered || k.host.named()) && !x.evidence.all.Asked(k.host.name) && !asked[k.host] {
			asked[k.host] = true
			list = append(list, x.agenda.withdraw(k))
		}
	}
	return list
}

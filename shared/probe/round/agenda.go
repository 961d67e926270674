package round

import (
	"cmp"
	"container/heap"
	"net/url"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/probe"
)

// The agenda is a queue of queues. Each host has its due tasks in order of
// urgency; the hosts that may take another measurement are a heap, ordered by the
// urgency of their first task. Taking and finishing a task cost the logarithm of
// the number of hosts. A host at its limit leaves the heap until one of its
// measurements ends, so that it holds up no other.

// A task is a target to measure in this round.
type task struct {
	probe.Target
	host    *host
	outside bool      // reached over the network: not one of the operator's own addresses
	due     time.Time // zero when never measured
	late    float64   // how long it has been due, in intervals
	witness bool      // not due, but measured to check our own network
}

// A host is a host name or address of targets, with its tasks.
type host struct {
	name   string
	queue  []*task // due and not given out, most urgent first
	busy   int     // measurements under way
	placed bool    // in agenda.ready

	measured int           // measurements in this round
	spent    time.Duration // in these measurements
}

// An agenda holds the tasks of a round. It gives out the most urgent task whose
// host is below its limit. It is not safe for concurrent use.
type agenda struct {
	perHost int      // measurements of one host at a time
	own     []string // addresses that are reached without a network
	hosts   map[string]*host
	ready   ready                      // the hosts below their limit that have tasks
	waiting map[catalog.StreamID]*task // due and not given out
}

// newAgenda returns the agenda of the targets that are due. Of several targets
// with one id the first counts.
func newAgenda(targets []probe.Target, states map[catalog.StreamID]probe.State, own []string, perHost int, now time.Time) *agenda {
	a := &agenda{perHost: perHost, own: own, hosts: map[string]*host{}, waiting: map[catalog.StreamID]*task{}}
	var due []*task
	for _, t := range targets {
		s := states[t.ID]
		if at, every := s.Due(t.ID, t.Popularity); !now.Before(at) && a.waiting[t.ID] == nil {
			k := a.task(t)
			k.due, k.late = at, float64(now.Sub(at))/float64(every)
			a.waiting[t.ID] = k
			due = append(due, k)
		}
	}
	slices.SortFunc(due, moreUrgent)
	for _, k := range due {
		k.host.queue = append(k.host.queue, k)
	}
	for _, h := range a.hosts {
		a.place(h)
	}
	return a
}

// task returns the task of t, which it does not queue. A target whose URL does
// not parse is a host of its own; its measurement reports the problem.
func (a *agenda) task(t probe.Target) *task {
	name, address := t.URL, ""
	if u, err := url.Parse(t.URL); err == nil && u.Hostname() != "" {
		name, address = strings.ToLower(u.Hostname()), u.Host
	}
	h := a.hosts[name]
	if h == nil {
		h = &host{name: name}
		a.hosts[name] = h
	}
	return &task{Target: t, host: h, outside: !slices.Contains(a.own, address)}
}

// moreUrgent compares tasks by urgency. First come tasks that need no network,
// which are few and succeed whatever happens to it. Then come streams never
// measured: the most played ones, then in the order of shards, so that few shards
// are written. The others follow by how late they are in intervals, by plays and
// by id.
func moreUrgent(a, b *task) int {
	fresh := 0
	switch {
	case a.due.IsZero() && b.due.IsZero():
		fresh = cmp.Or(cmp.Compare(probe.Audience(a.Popularity), probe.Audience(b.Popularity)), cmp.Compare(probe.Slot(a.ID), probe.Slot(b.ID)))
	case a.due.IsZero():
		fresh = -1
	case b.due.IsZero():
		fresh = 1
	}
	return cmp.Or(local(b)-local(a), fresh, cmp.Compare(b.late, a.late), cmp.Compare(b.Popularity, a.Popularity), cmp.Compare(a.ID, b.ID))
}

// local returns 1 for a target that is reached without a network, and else 0.
func local(k *task) int {
	if k.outside {
		return 0
	}
	return 1
}

// place adds h to the ready hosts when it is below its limit and has tasks.
func (a *agenda) place(h *host) {
	if !h.placed && h.busy < a.perHost && len(h.queue) > 0 {
		h.placed = true
		heap.Push(&a.ready, h)
	}
}

// next returns the task to do next, without giving it out. It returns nil when
// no host is ready.
func (a *agenda) next() *task {
	if len(a.ready) == 0 {
		return nil
	}
	return a.ready[0].queue[0]
}

// take gives out the task that next returned.
func (a *agenda) take() {
	h := heap.Pop(&a.ready).(*host)
	h.placed = false
	delete(a.waiting, h.queue[0].ID)
	h.queue = h.queue[1:]
	h.busy++
	a.place(h)
}

// withdraw returns the task to measure a witness with. When the stream of k is
// due, that is the waiting task, which the agenda then no longer gives out;
// otherwise it is k, marked as a witness.
func (a *agenda) withdraw(k *task) *task {
	due := a.waiting[k.ID]
	if due == nil {
		k.witness = true
		return k
	}
	delete(a.waiting, k.ID)
	h := due.host
	h.queue = slices.DeleteFunc(h.queue, func(k *task) bool { return k == due })
	if h.placed && len(h.queue) == 0 {
		h.placed = false
		a.ready = slices.DeleteFunc(a.ready, func(r *host) bool { return r == h })
	}
	heap.Init(&a.ready) // the host may be less urgent now
	return due
}

// done records that a task given out by take has ended.
func (a *agenda) done(k *task) {
	k.host.busy--
	a.place(k.host)
}

// ready is a heap of hosts by the urgency of their first tasks.
type ready []*host

func (r ready) Len() int           { return len(r) }
func (r ready) Less(i, j int) bool { return moreUrgent(r[i].queue[0], r[j].queue[0]) < 0 }
func (r ready) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *ready) Push(h any)        { *r = append(*r, h.(*host)) }

func (r *ready) Pop() any {
	last := len(*r) - 1
	h := (*r)[last]
	*r = (*r)[:last]
	return h
}

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

// A task is a target of a run.
type task struct {
	probe.Target
	host    *host
	outside bool // not on the operator's list
	due     time.Time
	late    float64 // how long it is due, in intervals
	witness bool    // not due, but asked whether the own network works
}

// A host is one that targets name, with what is left to do of it.
type host struct {
	name   string
	queue  []*task // due, most urgent first
	busy   int     // measurements under way
	placed bool    // among the hosts that are ready

	measured int
	spent    time.Duration // in measurements
}

// An agenda is what a run has to do. It gives out the most urgent of the tasks
// whose hosts are not busy: a host with many streams keeps few workers, and
// delays no other.
type agenda struct {
	perHost int
	own     []string // addresses that are reached without a network
	hosts   map[string]*host
	ready   ready
	waiting map[catalog.StreamID]*task // not given out
}

// newAgenda returns what is due of targets.
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

// task returns t with its host. What is no URL is a host of its own, for
// whoever measures to say so.
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

// moreUrgent orders tasks: those that no network is needed for, which are few
// and say something whatever becomes of the others; then those never measured,
// the most played and then those of one shard together; then by how late they
// are.
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

// local counts a target that is reached without a network.
func local(k *task) int {
	if k.outside {
		return 0
	}
	return 1
}

// place has h among the hosts that are ready when it is one.
func (a *agenda) place(h *host) {
	if !h.placed && h.busy < a.perHost && len(h.queue) > 0 {
		h.placed = true
		heap.Push(&a.ready, h)
	}
}

// next returns the task to do next, without giving it out; nil when there is
// none, or none whose host is not busy.
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

// withdraw returns the task of a witness: the one that waits for the same
// stream, which is no longer to be given out, or else k itself.
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

// done takes note that a task which was given out has ended.
func (a *agenda) done(k *task) {
	k.host.busy--
	a.place(k.host)
}

// ready are the hosts that have a task to give out, as a heap by its urgency.
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

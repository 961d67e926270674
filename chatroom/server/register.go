package server

import (
	"sync"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

// Faults of sockets.
var (
	// ErrSockets means that the network or the owner has too many sockets open.
	ErrSockets = fault.New(fault.Limited, "too_many_sockets").With("retry_after", 60)
	// ErrFull means that this instance holds as many sockets as it can, or stops.
	ErrFull = fault.New(fault.Unavailable, "chat_unavailable").With("retry_after", 5)
)

// slots is how many groups the sockets are divided into: each second one group is
// looked after, so that pings are spread over time.
const slots = 25

// A register holds the sockets of an instance. Its methods may be called concurrently.
type register struct {
	limits Limits

	mu       sync.Mutex
	groups   [slots]map[*socket]struct{} // guarded by mu
	next     int                         // group of the next socket; guarded by mu
	total    int                         // guarded by mu
	networks map[string]int              // sockets; guarded by mu
	owners   map[identity.Owner]int      // identified sockets; guarded by mu
	stopped  bool                        // no more sockets are added; guarded by mu
}

func newRegister(l Limits) *register {
	r := &register{limits: l, networks: map[string]int{}, owners: map[identity.Owner]int{}}
	for i := range r.groups {
		r.groups[i] = map[*socket]struct{}{}
	}
	return r
}

// add counts a socket that is about to be opened, or returns ErrSockets or ErrFull.
func (r *register) add(k *socket) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.stopped || r.total >= r.limits.Sockets:
		return ErrFull
	case k.network != "" && r.networks[k.network] >= r.limits.SocketsPerNetwork:
		return ErrSockets
	}
	k.added = true
	r.networks[k.network]++
	r.total++
	return nil
}

// open has a socket that was added looked after. It reports false when the instance
// has been stopped since.
func (r *register) open(k *socket) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	k.group = r.next
	r.next = (r.next + 1) % slots
	r.groups[k.group][k] = struct{}{}
	return !r.stopped
}

// remove removes a socket that was added.
func (r *register) remove(k *socket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !k.added {
		return
	}
	k.added = false
	delete(r.groups[k.group], k)
	r.total--
	less(r.networks, k.network)
	less(r.owners, k.counted)
	k.counted = ""
}

// identify counts a socket for an owner, or returns ErrSockets.
func (r *register) identify(k *socket, o identity.Owner) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k.counted == o {
		return nil
	}
	if r.owners[o] >= r.limits.SocketsPerOwner {
		return ErrSockets
	}
	less(r.owners, k.counted)
	r.owners[o]++
	k.counted = o
	return nil
}

// less takes one from a count, and forgets counts of zero.
func less[K comparable](counts map[K]int, k K) {
	if counts[k]--; counts[k] <= 0 {
		delete(counts, k)
	}
}

// count returns the number of sockets.
func (r *register) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// group returns the sockets of a group.
func (r *register) group(i int) []*socket {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*socket, 0, len(r.groups[i]))
	for k := range r.groups[i] {
		list = append(list, k)
	}
	return list
}

// stop lets no more sockets in.
func (r *register) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
}

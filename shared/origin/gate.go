package origin

import (
	"context"
	"sync"
)

// A gate limits the requests in progress. One host may have a quarter of the
// places, so that a host that does not answer cannot block requests to
// others.
type gate struct {
	all   chan struct{} // holds a token for each request inside
	hosts *shares
}

func newGate(places int) *gate {
	return &gate{all: make(chan struct{}, places), hosts: newShares(max(places/4, 1))}
}

// enter waits for a place, and reports whether it got one before ctx was
// done. A request waiting for its host's share takes no place of others.
func (g *gate) enter(ctx context.Context, host string) bool {
	if !g.hosts.enter(ctx, host) {
		return false
	}
	if take(ctx, g.all) {
		return true
	}
	g.hosts.leave(host)
	return false
}

// leave frees a place.
func (g *gate) leave(host string) {
	<-g.all
	g.hosts.leave(host)
}

// shares limit the requests to each host, first come, first served.
type shares struct {
	each int

	mu    sync.Mutex
	hosts map[string]*queue // of those that are inside or wait; guarded by mu
}

// A queue holds the seats of one host.
type queue struct {
	places  chan struct{}
	callers int // inside or waiting; guarded by the mu of the shares
}

func newShares(each int) *shares {
	return &shares{each: each, hosts: map[string]*queue{}}
}

// enter waits for a seat at a host, and reports whether it got one before ctx
// was done.
func (s *shares) enter(ctx context.Context, host string) bool {
	if take(ctx, s.join(host).places) {
		return true
	}
	s.release(host)
	return false
}

// leave frees a seat.
func (s *shares) leave(host string) {
	<-s.release(host).places
}

// take puts a token into tokens. It succeeds at once if there is room, even
// when ctx is done.
func take(ctx context.Context, tokens chan<- struct{}) bool {
	select {
	case tokens <- struct{}{}:
		return true
	default:
	}
	select {
	case tokens <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *shares) join(host string) *queue {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.hosts[host]
	if q == nil {
		q = &queue{places: make(chan struct{}, s.each)}
		s.hosts[host] = q
	}
	q.callers++
	return q
}

// release drops the host's queue when no other request uses it.
func (s *shares) release(host string) *queue {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.hosts[host]
	if q.callers--; q.callers == 0 {
		delete(s.hosts, host)
	}
	return q
}

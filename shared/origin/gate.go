package origin

import (
	"context"
	"sync"
)

// A gate lets so many requests through at a time. One host has a quarter of
// the places at most, so that a host which does not answer keeps nobody from
// the others.
type gate struct {
	all   chan struct{} // holds a token for each request inside
	hosts *shares
}

func newGate(places int) *gate {
	return &gate{all: make(chan struct{}, places), hosts: newShares(max(places/4, 1))}
}

// enter waits for a place for a host, and reports whether there was one before
// the end of ctx. Who waits for the host's own share takes none of the others'.
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

// leave gives a place back.
func (g *gate) leave(host string) {
	<-g.all
	g.hosts.leave(host)
}

// Shares let so many requests at a time through to each host, in the order in
// which they come.
type shares struct {
	each int

	mu    sync.Mutex
	hosts map[string]*queue // of those that are inside or wait; guarded by mu
}

// A queue is the places of one host.
type queue struct {
	places  chan struct{}
	callers int // inside or waiting; guarded by the mu of the shares
}

func newShares(each int) *shares {
	return &shares{each: each, hosts: map[string]*queue{}}
}

// enter waits for a place of a host, and reports whether there was one before
// the end of ctx.
func (s *shares) enter(ctx context.Context, host string) bool {
	if take(ctx, s.join(host).places) {
		return true
	}
	s.quit(host)
	return false
}

// leave gives a place back.
func (s *shares) leave(host string) {
	<-s.quit(host).places
}

// take puts a token into tokens, at once if there is room, even when ctx is
// done.
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

// quit forgets the host when nobody else needs its queue.
func (s *shares) quit(host string) *queue {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.hosts[host]
	if q.callers--; q.callers == 0 {
		delete(s.hosts, host)
	}
	return q
}

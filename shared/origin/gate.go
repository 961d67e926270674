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
	share int           // of one host

	mu    sync.Mutex
	hosts map[string]*queue // of those that are inside or wait; guarded by mu
}

// A queue is the places of one host.
type queue struct {
	places  chan struct{}
	callers int // inside or waiting; guarded by the gate's mu
}

func newGate(places int) *gate {
	return &gate{all: make(chan struct{}, places), share: max(places/4, 1), hosts: map[string]*queue{}}
}

// enter waits for a place for a host, and reports whether there was one before
// the end of ctx. Who waits for the host's own share takes none of the others'.
func (g *gate) enter(ctx context.Context, host string) bool {
	q := g.join(host)
	if take(ctx, q.places) {
		if take(ctx, g.all) {
			return true
		}
		<-q.places
	}
	g.quit(host)
	return false
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

// leave gives a place back.
func (g *gate) leave(host string) {
	<-g.all
	<-g.quit(host).places
}

func (g *gate) join(host string) *queue {
	g.mu.Lock()
	defer g.mu.Unlock()
	q := g.hosts[host]
	if q == nil {
		q = &queue{places: make(chan struct{}, g.share)}
		g.hosts[host] = q
	}
	q.callers++
	return q
}

// quit forgets the host when nobody else needs its queue.
func (g *gate) quit(host string) *queue {
	g.mu.Lock()
	defer g.mu.Unlock()
	q := g.hosts[host]
	if q.callers--; q.callers == 0 {
		delete(g.hosts, host)
	}
	return q
}

// Package share divides the fetches that a hop may have in progress among the
// clients that ask, the streams and the hosts of origins.
//
// A fetch that waits for its origin costs a connection and little else, so a
// pool has many places. What it must prevent is that a few hostile streams or
// clients take them all with origins that never answer. So each client, stream
// and host may have a few places at a time, and a fetch over one of these
// budgets waits for others of that same client, stream or host alone. When all
// places are taken, a client with fewer places than another takes one of the
// other's: its oldest fetch is cut off. So a client that has nothing in progress
// waits only when there are as many clients as places.
//
// A host that hangs loses half of its places each time, down to one, until it
// answers.
package share

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"

	"miramundo.dev/shared/catalog"
)

// Limits are the numbers of places in a pool. All are required.
type Limits struct {
	Total  int // in the pool
	Client int // for one client
	Stream int // for one stream
	Host   int // for one host

	Waiting       int // fetches that wait, in all
	ClientWaiting int // fetches of one client that wait
}

// A Claim says for what a place is.
type Claim struct {
	Client netip.Prefix // the network of the client that asks; unknown networks are one client
	Stream catalog.StreamID
	Host   string // of the origin, without its port; empty for none
	Ahead  bool   // no request waits for the fetch: it renews a copy that is still served
}

// ErrRefused means that a place was not to be had: too many fetches wait, or
// those before it at the same host have shown that the host hangs.
var ErrRefused = errors.New("no place for the fetch")

// A Pool divides its places. Its methods, and those of its places, may be
// called concurrently.
type Pool struct {
	limits Limits

	mu      sync.Mutex // guards everything below, and the fields of places
	inside  []*Place   // the oldest first
	waiting []*Place   // likewise
	clients map[netip.Prefix]*tally
	streams map[catalog.StreamID]int // places inside
	hosts   map[string]*host
}

// A tally counts the places of a client.
type tally struct{ inside, waiting int }

// A host is one that has places, or that hung when it was last asked.
type host struct{ inside, hangs int }

// maxHosts bounds the hosts of a pool. Beyond it, hosts without a place are
// forgotten.
const maxHosts = 4096

// New returns a pool.
func New(l Limits) *Pool {
	return &Pool{
		limits: l, clients: map[netip.Prefix]*tally{}, streams: map[catalog.StreamID]int{}, hosts: map[string]*host{},
	}
}

// A Place is the right to fetch, or the wait for it.
type Place struct {
	pool    *Pool
	claim   Claim         // guarded by the mu of the pool, as is all below
	state   state         //
	kept    bool          // it may not be taken away
	cutOff  func()        // ends the fetch
	decided chan struct{} // closed once state is not waiting
	queued  atomic.Bool   // state is waiting; read without the lock
}

// A state is how far a place has come.
type state int

const (
	waiting state = iota
	inside
	refused // while it was waiting
	revoked // while it was inside
	left
)

// Claim returns a place for c, or one that waits until there is room. The
// caller must call Wait, and Leave in the end. cutOff is called at most once,
// without delay, when the place is taken away; it must not block.
func (p *Pool) Claim(c Claim, cutOff func()) *Place {
	p.mu.Lock()
	defer p.mu.Unlock()
	pl := &Place{pool: p, claim: c, cutOff: cutOff, decided: make(chan struct{})}
	switch {
	case p.fits(c) && p.vacate(c.Client):
		p.admit(pl)
	case p.queue(c):
		p.tally(c.Client).waiting++
		pl.queued.Store(true)
		p.waiting = append(p.waiting, pl)
	default:
		pl.decide(refused)
	}
	return pl
}

// Wait waits until the fetch may begin. It returns ErrRefused, or the error of
// ctx.
func (pl *Place) Wait(ctx context.Context) error {
	select {
	case <-pl.decided:
	case <-ctx.Done():
		return ctx.Err()
	}
	pl.pool.mu.Lock()
	defer pl.pool.mu.Unlock()
	if pl.state == refused {
		return ErrRefused
	}
	return nil
}

// Waiting reports whether the fetch may not begin yet.
func (pl *Place) Waiting() bool { return pl.queued.Load() }

// Share charges the place to another client that wants the same fetch, when
// that client has fewer places. So a fetch that many want does not wait for
// the other fetches of the client that happened to ask first.
func (pl *Place) Share(client netip.Prefix) {
	p := pl.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	has, had := p.load(client), p.load(pl.claim.Client)
	switch {
	case pl.state == inside && has+1 < had:
		p.tally(client).inside++
		p.tally(pl.claim.Client).inside--
	case pl.state == waiting && has < had:
		p.tally(client).waiting++
		p.tally(pl.claim.Client).waiting--
	default:
		return
	}
	p.forget(pl.claim.Client)
	pl.claim.Client = client
	if pl.state == waiting && p.fits(pl.claim) && p.vacate(client) {
		p.unqueue(pl)
		p.admit(pl)
	}
	p.dispatch()
}

// Keep makes sure that the place is not taken away any more.
func (pl *Place) Keep() {
	pl.pool.mu.Lock()
	defer pl.pool.mu.Unlock()
	pl.kept = true
}

// An Outcome is what a fetch says about its host.
type Outcome int

const (
	Unknown  Outcome = iota // nothing
	Answered                // the host sent a response, of any kind
	Hung                    // the host was silent, or too slow
)

// Leave gives the place back, and reports whether it had been taken away.
// Calling it again does nothing.
func (pl *Place) Leave(o Outcome) (cutOff bool) {
	p := pl.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	was := pl.state
	switch was {
	case waiting:
		p.drop(pl, left)
	case inside:
		p.remove(pl)
		pl.state = left
	}
	if was == inside || was == revoked {
		p.learn(pl.claim.Host, o)
		pl.state = left
	}
	p.dispatch()
	return was == revoked
}

// decide ends the wait of a place.
func (pl *Place) decide(s state) {
	pl.state = s
	pl.queued.Store(false)
	close(pl.decided)
}

// fits reports whether c is within the budgets of its client, stream and host.
func (p *Pool) fits(c Claim) bool {
	if p.load(c.Client) >= p.limits.Client || p.streams[c.Stream] >= p.limits.Stream {
		return false
	}
	h := p.hosts[c.Host]
	return h == nil || c.Host == "" || h.inside < p.capacity(h)
}

// capacity returns how many places a host may have.
func (p *Pool) capacity(h *host) int { return max(p.limits.Host>>h.hangs, 1) }

// vacate reports whether there is room for another place of a client. When
// all are taken, it takes the oldest one of the client that has the most.
func (p *Pool) vacate(client netip.Prefix) bool {
	if len(p.inside) < p.limits.Total {
		return true
	}
	most := p.load(client) + 1
	var victim *Place
	for _, pl := range p.inside {
		if n := p.load(pl.claim.Client); n > most && !pl.kept {
			most, victim = n, pl
		}
	}
	if victim == nil {
		return false
	}
	p.remove(victim)
	victim.state = revoked
	victim.cutOff()
	return true
}

// queue reports whether another fetch may wait. When too many wait, the newest
// one of the client that has the most is refused for it. Fetches ahead get half
// of the places to wait in, and push nothing out: so a client that renews many
// copies at once can still ask for a playlist that is not cached.
func (p *Pool) queue(c Claim) bool {
	own := p.queued(c.Client)
	if c.Ahead {
		return own < p.limits.ClientWaiting/2 && len(p.waiting) < p.limits.Waiting/2
	}
	if own >= p.limits.ClientWaiting {
		return false
	}
	if len(p.waiting) < p.limits.Waiting {
		return true
	}
	most := own + 1
	var victim *Place
	for _, pl := range p.waiting {
		if n := p.queued(pl.claim.Client); n >= most && n > own+1 {
			most, victim = n, pl
		}
	}
	if victim == nil {
		return false
	}
	p.drop(victim, refused)
	return true
}

// dispatch admits those that wait, as far as there is room: of the client with
// the fewest places, then of the stream with the fewest, then the oldest.
func (p *Pool) dispatch() {
	for len(p.waiting) > 0 && len(p.inside) < p.limits.Total {
		var next *Place
		var client, stream int
		for _, pl := range p.waiting {
			c, s := p.load(pl.claim.Client), p.streams[pl.claim.Stream]
			if (next == nil || c < client || c == client && s < stream) && p.fits(pl.claim) {
				next, client, stream = pl, c, s
			}
		}
		if next == nil {
			return
		}
		p.unqueue(next)
		p.admit(next)
	}
}

// admit lets a fetch begin.
func (p *Pool) admit(pl *Place) {
	p.inside = append(p.inside, pl)
	p.tally(pl.claim.Client).inside++
	p.streams[pl.claim.Stream]++
	if pl.claim.Host != "" {
		p.host(pl.claim.Host).inside++
	}
	pl.decide(inside)
}

// remove takes a place out of those inside.
func (p *Pool) remove(pl *Place) {
	p.inside = without(p.inside, pl)
	p.tally(pl.claim.Client).inside--
	p.forget(pl.claim.Client)
	if p.streams[pl.claim.Stream]--; p.streams[pl.claim.Stream] == 0 {
		delete(p.streams, pl.claim.Stream)
	}
	if h := p.hosts[pl.claim.Host]; h != nil {
		if h.inside--; h.inside == 0 && h.hangs == 0 {
			delete(p.hosts, pl.claim.Host)
		}
	}
}

// drop ends the wait of a place, for which there will be no fetch.
func (p *Pool) drop(pl *Place, s state) {
	p.unqueue(pl)
	pl.decide(s)
}

func (p *Pool) unqueue(pl *Place) {
	p.waiting = without(p.waiting, pl)
	p.tally(pl.claim.Client).waiting--
	p.forget(pl.claim.Client)
}

// learn notes what a fetch has shown about its host. Once a host has hung so
// often that it has one place left, fetches do not wait for it any more.
func (p *Pool) learn(name string, o Outcome) {
	if name == "" || o == Unknown {
		return
	}
	if o == Answered {
		if h := p.hosts[name]; h != nil {
			if h.hangs = 0; h.inside == 0 {
				delete(p.hosts, name)
			}
		}
		return
	}
	h := p.host(name)
	if h.hangs < 16 {
		h.hangs++
	}
	if p.capacity(h) > 1 {
		return
	}
	for i := len(p.waiting) - 1; i >= 0; i-- {
		if pl := p.waiting[i]; pl.claim.Host == name {
			p.drop(pl, refused)
		}
	}
}

// host returns the host with a name, and adds it when it is missing.
func (p *Pool) host(name string) *host {
	h := p.hosts[name]
	if h != nil {
		return h
	}
	if len(p.hosts) >= maxHosts {
		for other, h := range p.hosts {
			if h.inside == 0 {
				delete(p.hosts, other)
			}
		}
	}
	h = &host{}
	p.hosts[name] = h
	return h
}

// tally returns the count of a client, and adds it when it is missing.
func (p *Pool) tally(client netip.Prefix) *tally {
	t := p.clients[client]
	if t == nil {
		t = &tally{}
		p.clients[client] = t
	}
	return t
}

// forget drops the count of a client that has nothing in the pool.
func (p *Pool) forget(client netip.Prefix) {
	if t := p.clients[client]; t != nil && *t == (tally{}) {
		delete(p.clients, client)
	}
}

func (p *Pool) load(client netip.Prefix) int {
	if t := p.clients[client]; t != nil {
		return t.inside
	}
	return 0
}

func (p *Pool) queued(client netip.Prefix) int {
	if t := p.clients[client]; t != nil {
		return t.waiting
	}
	return 0
}

// Size returns how many places are taken, and how many fetches wait.
func (p *Pool) Size() (taken, waiting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.inside), len(p.waiting)
}

// without removes a place from a list, and keeps the order of the others.
func without(list []*Place, pl *Place) []*Place {
	for i, other := range list {
		if other == pl {
			copy(list[i:], list[i+1:])
			list[len(list)-1] = nil
			return list[:len(list)-1]
		}
	}
	return list
}

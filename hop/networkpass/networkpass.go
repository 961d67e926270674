// Package networkpass finds out whether the network of a caller has a pass for more
// minutes of the hop.
//
// The documents of passes are those of package pass, and are written where a pass is
// sold: by this hop or by another. They are read only for networks that have spent
// their free minutes. That a network has no pass is cached for 4 seconds, so that a
// pass is in force at every hop within 5; a pass is cached for a minute. Of each
// network one read is under way at a time, for at most 300 ms: when the database does
// not answer within that time, the caller may go on.
package networkpass

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/store"
)

const (
	absentFor   = 4 * time.Second
	validFor    = time.Minute
	readTime    = 300 * time.Millisecond
	maxNetworks = 1 << 14 // at this bound the cache is emptied
	logEvery    = time.Minute
)

// Options are what Passes use. All fields are required.
type Options struct {
	DB   store.DB
	Keys *keyring.Ring // that name networks, see identity.NetworkNames
	Now  func() time.Time
	Log  *slog.Logger
}

// Passes looks up the passes of networks. Its methods may be called concurrently.
type Passes struct {
	o Options

	mu       sync.Mutex
	networks map[string]*network // by their first names; guarded by mu, like their fields
	logged   time.Time           // when a failure was last logged; guarded by mu
}

// A network is what is cached of one network.
type network struct {
	until   time.Time // of its pass; zero without one
	unknown bool      // the last read failed
	readAt  time.Time // when it is to be read again
	sales   int       // here; a read that began before a sale is outdated
	read    *read     // under way; nil when none is
}

// A read is one read of the database, which its callers share.
type read struct {
	ctx  context.Context // ends when callers no longer wait
	done chan struct{}   // closed at the end
}

// New returns Passes that use o.
func New(o Options) *Passes { return &Passes{o: o, networks: map[string]*network{}} }

// Valid reports whether the network of c has a pass, or the database fails to say so.
// It takes at most 300 ms, and mostly no time. It is false for a caller whose network
// has no name, since nobody can buy a pass for it.
func (p *Passes) Valid(c identity.Caller) bool {
	names := identity.NetworkNames(p.o.Keys, c)
	if len(names) == 0 {
		return false
	}
	n, r := p.find(names)
	if r != nil {
		select {
		case <-r.done:
		case <-r.ctx.Done():
			return true
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return n.unknown || p.o.Now().Before(n.until)
}

// find returns what is cached of a network, with the read that renews it, which find
// begins when it is due.
func (p *Passes) find(names []string) (*network, *read) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.network(names[0])
	if n.read == nil && !p.o.Now().Before(n.readAt) {
		ctx, cancel := context.WithTimeout(context.Background(), readTime)
		r := &read{ctx, make(chan struct{})}
		n.read = r
		go func(sales int) {
			defer cancel()
			until, err := p.load(ctx, names)
			p.note(n, sales, until, err)
			close(r.done)
		}(n.sales)
	}
	return n, n.read
}

// network returns the entry of a network; the caller holds mu.
func (p *Passes) network(name string) *network {
	n := p.networks[name]
	if n == nil {
		if len(p.networks) >= maxNetworks {
			clear(p.networks)
		}
		n = new(network)
		p.networks[name] = n
	}
	return n
}

// load returns until when the passes of a network under all its names are valid.
func (p *Passes) load(ctx context.Context, names []string) (until time.Time, err error) {
	paths := make([]store.Path, len(names))
	for i, name := range names {
		paths[i] = pass.NetworkPath(name)
	}
	docs, err := p.o.DB.GetAll(ctx, paths)
	if err != nil {
		return until, err
	}
	for _, doc := range docs {
		var one pass.NetworkPass
		if doc.Decode == nil {
			continue
		}
		if err := doc.Decode(&one); err != nil {
			return until, err
		}
		if one.Until.After(until) {
			until = one.Until.Time
		}
	}
	return until, nil
}

// note notes the result of a read.
func (p *Passes) note(n *network, sales int, until time.Time, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n.read = nil
	if n.sales != sales {
		return
	}
	now := p.o.Now()
	if n.unknown = err != nil; err == nil {
		n.until = until
	} else if now.Sub(p.logged) >= logEvery {
		p.logged = now
		p.o.Log.Warn("networks watch without a pass, because the database fails", "cause", err.Error())
	}
	n.readAt = now.Add(absentFor)
	if now.Before(n.until) && err == nil {
		n.readAt = now.Add(validFor)
	}
}

// Name returns the name under which a pass of c's network is stored; empty for a caller
// whose network has none.
func (p *Passes) Name(c identity.Caller) string {
	if names := identity.NetworkNames(p.o.Keys, c); len(names) > 0 {
		return names[0]
	}
	return ""
}

// Sold notes a pass that was sold here to the network of c, which is in force at once.
func (p *Passes) Sold(c identity.Caller, until time.Time) {
	name := p.Name(c)
	if name == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.network(name)
	if now := p.o.Now(); until.Before(n.until) || !now.Before(until) { // the answer to a payment that was made before
		return
	}
	n.until, n.unknown, n.readAt = until, false, p.o.Now().Add(validFor)
	n.sales++
}

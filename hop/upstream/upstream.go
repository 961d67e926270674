// Package upstream knows the last playlist of each address that players ask
// for, as each stream shows it.
//
// An address is asked for once a second, however many players there are and
// whatever it answers. A player waits for that only when nothing recent is
// known; one that asks for what is not there yet waits with all others that
// ask for the same.
package upstream

import (
	"cmp"
	"context"
	"encoding/binary"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/hop/ticket"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/origin"
)

// Options are the settings of a cache. Client and Signer are required.
type Options struct {
	Client  *origin.Client
	Signer  *ticket.Signer
	HopURL  string           // of this hop, without a slash at its end; it stands before every reference
	Now     func() time.Time // the zero is time.Now
	Timeout time.Duration    // of a fetch with all that it takes; the zero is 8 s

	// MaxBytes is how much of what is known is kept, by a close estimate. The
	// zero is 192 MiB. What was not asked for the longest goes first.
	MaxBytes int64

	Log *slog.Logger // told of defects; the zero tells nobody
}

// A Request asks for the playlist of a stream, or for one below it.
type Request struct {
	Stream    catalog.StreamID
	Origin    string // the stream's URL in the catalog
	Referrer  string // that its origin must see; empty for none
	UserAgent string // likewise; empty for the client's own

	Ticket     *ticket.Ticket // of the playlist below; nil for the stream's own
	Directives Directives
}

// via is what the requests of a hop carry, so that one that reaches a hop
// again is known.
const via = "miramundo-hop"

// Looped reports whether a request with the header h came from a hop.
func Looped(h http.Header) bool {
	for _, value := range h["Via"] {
		if strings.Contains(value, via) {
			return true
		}
	}
	return false
}

// shards is how many parts the views are kept in, each with a lock of its own.
const shards = 64

// A Cache is the memory of playlists. Its methods may be called concurrently.
type Cache struct {
	opts  Options
	views [shards]shard
	bytes atomic.Int64 // of all that is kept, as tidying sees it

	mu      sync.Mutex
	sources map[target]*source // guarded by mu

	rewriting chan struct{} // holds a token for each playlist that is being rewritten
	bodies    chan struct{} // the same for those that are read, or wait for that

	began   time.Time // from when on seconds are counted
	tidying sync.Mutex
	tidied  atomic.Int64 // when, in seconds from began
}

type shard struct {
	mu    sync.RWMutex
	views map[key]*view // guarded by mu
}

// New returns an empty cache.
func New(o Options) *Cache {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Timeout = cmp.Or(o.Timeout, 8*time.Second)
	o.MaxBytes = cmp.Or(o.MaxBytes, 192<<20)
	c := &Cache{
		opts: o, sources: map[target]*source{}, began: o.Now(),
		rewriting: make(chan struct{}, runtime.GOMAXPROCS(0)), bodies: make(chan struct{}, maxBodies),
	}
	for i := range c.views {
		c.views[i].views = map[key]*view{}
	}
	return c
}

// Get returns the playlist that r asks for, as recent as it must be. Its errors
// are those of packages origin, playlist and ticket; fault.ErrInvalid, with the
// field "param", when the directives ask for what is too far ahead; and that of
// ctx when the caller does not wait any longer. A caller that goes away takes
// nothing from the others.
func (c *Cache) Get(ctx context.Context, r Request) (*Copy, error) {
	now := c.opts.Now()
	if r.Directives != (Directives{}) {
		return c.directed(ctx, r, now)
	}
	return c.current(ctx, c.view(&r, Directives{}, now), now)
}

// seconds returns a time in whole seconds since the cache began, which go on
// when the clock of the machine is set.
func (c *Cache) seconds(t time.Time) int64 { return int64(t.Sub(c.began) / time.Second) }

// A key names a view: what is asked for, and for whom it is rewritten.
type key struct {
	target
	stream catalog.StreamID
	origin string // empty for the stream's own playlist, whose origin is the target
	depth  int
	vars   string
}

// keyOf returns the key of what r asks for with directives d. It allocates
// nothing but for playlists with variables.
func keyOf(r *Request, d Directives) key {
	k := key{stream: r.Stream}
	k.target = target{url: r.Origin, referrer: r.Referrer, agent: r.UserAgent, directives: d}
	if t := r.Ticket; t != nil {
		k.url, k.origin, k.depth = t.URL, r.Origin, t.Depth
		if len(t.Vars) > 0 {
			k.vars = folded(t.Vars)
		}
	}
	return k
}

// folded returns variables as one text, different for different ones.
func folded(vars []playlist.Var) string {
	var b []byte
	for _, v := range vars {
		b = binary.AppendUvarint(b, uint64(len(v.Name)))
		b = append(b, v.Name...)
		b = binary.AppendUvarint(b, uint64(len(v.Value)))
		b = append(b, v.Value...)
	}
	return string(b)
}

// clone returns k with texts of its own, so that what is kept does not hold
// the catalog or the request it came from.
func (k key) clone() key {
	k.url, k.referrer, k.agent = strings.Clone(k.url), strings.Clone(k.referrer), strings.Clone(k.agent)
	k.origin = strings.Clone(k.origin)
	return k
}

// view returns the view that r asks for with directives d, a new one if need be.
func (c *Cache) view(r *Request, d Directives, now time.Time) *view {
	k := keyOf(r, d)
	s := &c.views[uint64(k.stream)%shards]
	s.mu.RLock()
	v := s.views[k]
	s.mu.RUnlock()
	if v == nil {
		v = s.add(c, k.clone(), r, now)
	}
	v.touch(c.seconds(now))
	return v
}

// add returns the view of k, which is new unless somebody was faster.
func (s *shard) add(c *Cache, k key, r *Request, now time.Time) *view {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.views[k]; v != nil {
		return v
	}
	v := &view{key: k}
	v.born = c.seconds(now)
	if r.Ticket != nil {
		v.vars = r.Ticket.Vars
	}
	v.total, v.frame = &c.bytes, recordWeight+k.weight()+int64(len(k.origin)+len(k.vars))
	s.views[k] = v
	return v
}

// current returns what v shows now. While a new copy is made, the last one
// stands in for it when it had not been old for long.
func (c *Cache) current(ctx context.Context, v *view, now time.Time) (*Copy, error) {
	o := v.kept.Load()
	if o != nil && now.Before(o.until) {
		return o.answer(now)
	}
	call := c.renew(ctx, v, o, now)
	if o != nil && o.standsIn(call.began, now) {
		return o.copy, nil
	}
	return c.await(ctx, call)
}

// renew starts the making of a new copy for v, or joins it.
func (c *Cache) renew(ctx context.Context, v *view, seen *outcome, now time.Time) *making[outcome] {
	c.tidy(now)
	return v.next(seen, now, func() *outcome { return c.refresh(context.WithoutCancel(ctx), v) })
}

// await returns what comes of a call, or the error of ctx.
func (c *Cache) await(ctx context.Context, call *making[outcome]) (*Copy, error) {
	select {
	case <-call.done:
		return call.value.answer(c.opts.Now())
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

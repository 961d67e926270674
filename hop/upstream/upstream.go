// Package upstream fetches the playlists that players ask for and caches
// them, rewritten for each stream.
//
// An address is fetched at most once a second, however many players ask for
// it and whatever it answers. A player waits for a fetch only when no recent
// copy is cached; players that wait for the same playlist share one fetch.
//
// The cache has two levels. A source holds the bytes that an address answered
// last; a rendering holds those bytes as one stream shows them, with its own
// tickets. Several streams with the same address share the source. Both are
// memos: they keep the last value and let one goroutine at a time produce the
// next.
package upstream

import (
	"cmp"
	"context"
	"encoding/binary"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/hop/ticket"
	"miramundo.dev/hop/upstream/lowlatency"
	"miramundo.dev/hop/upstream/memo"
	"miramundo.dev/hop/upstream/share"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/origin"
)

// Options are the settings of a cache. Client and Signer are required.
type Options struct {
	Client  *origin.Client
	Signer  *ticket.Signer
	HopURL  string           // the URL of this hop without a trailing slash, the prefix of every reference
	Now     func() time.Time // nil is time.Now
	Timeout time.Duration    // of a whole fetch, with redirects and body; 0 is 8 s

	// MaxBytes bounds the cache, by a close estimate of its size. 0 is 192
	// MiB. Beyond it, entries that were not requested for the longest time
	// are evicted first.
	MaxBytes int64

	Log *slog.Logger // for recovered panics; nil discards them

	// Fetched is called with the error of each finished fetch, an *[Other] included, and
	// with the time since it was wanted. It must not block. Nil counts nothing.
	Fetched func(err error, took time.Duration)
}

// A Request asks for the playlist of a stream, or for a playlist that it
// refers to.
type Request struct {
	Stream    catalog.StreamID
	Origin    string // the stream's URL in the catalog
	Referrer  string // sent to its origin; empty sends none
	UserAgent string // sent to its origin; empty sends the client's own

	Client netip.Prefix // the network of the caller, which fetches are charged to; may be unknown

	Ticket     *ticket.Ticket // the ticket of a playlist below; nil for the stream's own
	Directives lowlatency.Directives
}

// via is sent with each request of a hop, so that a hop can recognize a
// request that comes back to it.
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

// shards is the number of parts that the renderings are divided into, each
// with its own lock.
const shards = 64

// A Cache fetches playlists and keeps the last one of each address. Its
// methods may be called concurrently.
type Cache struct {
	opts       Options
	renderings [shards]shard
	bytes      atomic.Int64 // estimated size of all entries

	mu      sync.Mutex
	sources map[target]*source // guarded by mu

	rewriting chan struct{} // holds a token for each playlist that is being rewritten; bounds the CPU in use

	fetches, held, bodies *share.Pool // places of fetches, of those that wait for a part, and of large bodies

	began    time.Time // seconds are counted from here
	sweeping sync.Mutex
	sweptAt  atomic.Int64 // when the last sweep began, in seconds since began
}

type shard struct {
	mu         sync.RWMutex
	renderings map[key]*rendering // guarded by mu
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
		rewriting: make(chan struct{}, runtime.GOMAXPROCS(0)),
		fetches:   share.New(fetchPlaces), held: share.New(heldPlaces), bodies: share.New(bodyPlaces),
	}
	for i := range c.renderings {
		c.renderings[i].renderings = map[key]*rendering{}
	}
	return c
}

// Get returns the playlist that r asks for, at most about a second older than
// the origin's, or a few seconds older while a new copy is on its way. It
// blocks until there is one.
//
// Its errors are those of packages origin, playlist and ticket; an *Other when
// the origin sends something else that players play;
// fault.ErrInvalid, with the field "param", when the directives ask for a
// segment too far ahead; and the error of ctx when the caller stops waiting.
// A caller that stops waiting does not cancel the fetch that others share.
func (c *Cache) Get(ctx context.Context, r Request) (*Copy, error) {
	now := c.opts.Now()
	if r.Directives != (lowlatency.Directives{}) {
		return c.directed(ctx, r, now)
	}
	return c.current(ctx, c.rendering(&r, lowlatency.Directives{}, now), r.Client, now)
}

// seconds returns t in whole seconds since the cache was made. It uses the
// monotonic clock, so setting the machine's clock does not change it.
func (c *Cache) seconds(t time.Time) int64 { return int64(t.Sub(c.began) / time.Second) }

// A key identifies a rendering: what is fetched, and which stream it is
// rewritten for.
type key struct {
	target
	stream catalog.StreamID
	origin string // empty for the stream's own playlist, whose origin is the target
	depth  int
	vars   string
}

// keyOf returns the key of what r asks for with directives d. It allocates
// only for playlists with variables.
func keyOf(r *Request, d lowlatency.Directives) key {
	k := key{stream: r.Stream}
	k.target = target{url: r.Origin, referrer: r.Referrer, agent: r.UserAgent, directives: d}
	if t := r.Ticket; t != nil {
		k.url, k.origin, k.depth = t.URL, r.Origin, t.Depth
		if len(t.Vars) > 0 {
			k.vars = encodeVars(t.Vars)
		}
	}
	return k
}

// encodeVars returns variables as one string. Different variables give
// different strings.
func encodeVars(vars []playlist.Var) string {
	var b []byte
	for _, v := range vars {
		b = binary.AppendUvarint(b, uint64(len(v.Name)))
		b = append(b, v.Name...)
		b = binary.AppendUvarint(b, uint64(len(v.Value)))
		b = append(b, v.Value...)
	}
	return string(b)
}

// clone returns k with copies of its strings, so that the cache does not keep
// the catalog or the request in memory that they came from.
func (k key) clone() key {
	k.url, k.referrer, k.agent = strings.Clone(k.url), strings.Clone(k.referrer), strings.Clone(k.agent)
	k.origin = strings.Clone(k.origin)
	return k
}

// rendering returns the rendering that r asks for with directives d, and adds
// it when it is missing.
func (c *Cache) rendering(r *Request, d lowlatency.Directives, now time.Time) *rendering {
	k := keyOf(r, d)
	s := &c.renderings[uint64(k.stream)%shards]
	s.mu.RLock()
	v := s.renderings[k]
	s.mu.RUnlock()
	if v == nil {
		v = s.add(c, k.clone(), r, now)
	}
	v.Touch(c.seconds(now))
	return v
}

// add returns the rendering of k. It makes a new one unless another goroutine
// was faster.
func (s *shard) add(c *Cache, k key, r *Request, now time.Time) *rendering {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.renderings[k]; v != nil {
		return v
	}
	v := &rendering{key: k}
	if r.Ticket != nil {
		v.vars = r.Ticket.Vars
	}
	v.Init(&c.bytes, recordWeight+k.weight()+int64(len(k.origin)+len(k.vars)), c.seconds(now))
	s.renderings[k] = v
	return v
}

// current returns the latest copy of v. While a new copy is fetched, the last
// copy is served if it became stale only just before.
func (c *Cache) current(ctx context.Context, v *rendering, client netip.Prefix, now time.Time) (*Copy, error) {
	o := v.Kept()
	if o != nil && now.Before(o.until) {
		return o.answer(now)
	}
	ahead := o != nil && o.servesStale(now, now)
	call := c.renew(ctx, v, client, o, now, ahead)
	if o != nil && o.servesStale(call.Began, now) {
		v.wanted.hurry(client)
		return o.copy, nil
	}
	return c.await(ctx, v, client, call)
}

// renew starts a refresh of v for a client, or joins the one under way. The
// refresh goes on when ctx is canceled. When it is begun ahead, seen is served
// meanwhile.
func (c *Cache) renew(ctx context.Context, v *rendering, client netip.Prefix, seen *outcome, now time.Time, ahead bool) *memo.Pending[outcome] {
	c.sweepSoon(now)
	return v.Next(seen, now, func() *outcome { return c.refresh(context.WithoutCancel(ctx), v, client, ahead) })
}

// await waits for a refresh and returns its copy, or returns the error of
// ctx.
func (c *Cache) await(ctx context.Context, v *rendering, client netip.Prefix, call *memo.Pending[outcome]) (*Copy, error) {
	v.wanted.join(client)
	select {
	case <-call.Done:
		return call.Value.answer(c.opts.Now())
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

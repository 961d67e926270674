package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/hop/ticket"
	"miramundo.dev/hop/upstream/lowlatency"
	"miramundo.dev/hop/upstream/memo"
	"miramundo.dev/shared/catalog"
)

// This file refreshes a rendering. A refresh fetches the source, rewrites its
// body unless nothing changed, and decides for how long the copy is fresh
// (served without asking) and for how long it is stale (served while the next
// one is fetched, or when that fails).

const (
	staleGrace = time.Second      // since a copy was fresh; after it, callers wait for a new copy
	minStale   = time.Second      // a stale copy may be served for at least as long
	maxStale   = 6 * time.Second  // and at most; between them, a target duration decides
	stuckTime  = 30 * time.Second // without a change, after which redirects are followed anew
	endedFresh = 10 * time.Second // for which a playlist that cannot change is fresh
)

// A rendering is a playlist as one stream shows it.
type rendering struct {
	memo.Memo[outcome, *outcome]
	key    key
	vars   []playlist.Var
	newest atomic.Pointer[playlist.Info] // from the last delta playlist (changes alone); nil before the first
	lane   atomic.Int32                  // in which it waits for a segment that is not published yet
	wanted demand                        // for the fetch of its refresh
}

// An outcome is the result of the last refresh.
type outcome struct {
	copy  *Copy     // the last good copy; nil before the first
	err   error     // of the last refresh, when it failed
	until time.Time // no other refresh begins before
}

// answer returns the copy, or the error when the copy is too stale to be
// served instead.
func (o *outcome) answer(now time.Time) (*Copy, error) {
	if o.err != nil && (o.copy == nil || !now.Before(o.copy.stale)) {
		return nil, o.err
	}
	return o.copy, nil
}

// servesStale reports whether the copy may be served at the time now while
// the next is fetched. It must have been fresh just before: a lone player
// that asks now and then would otherwise always get the copy of its previous
// request.
func (o *outcome) servesStale(began, now time.Time) bool {
	return o.copy != nil && began.Sub(o.until) <= staleGrace && now.Before(o.copy.stale)
}

func (o *outcome) Weight() int64 {
	if o.copy == nil {
		return 0
	}
	return o.copy.weight()
}

// merge keeps the copy that is further on, when two were fetched at the same
// time: a request that waited for a part may have overtaken one that did not.
func (o *outcome) Merge(kept *outcome) *outcome {
	switch {
	case kept == nil || kept.copy == nil:
		return o
	case o.err != nil:
		return &outcome{copy: kept.copy, err: o.err, until: o.until}
	case o.copy.began.Before(kept.copy.At) && isFurther(&kept.copy.Info, &o.copy.Info):
		return kept
	}
	return o
}

// isFurther reports whether a's last segment or part comes after b's.
func isFurther(a, b *playlist.Info) bool {
	if a.NextMSN != b.NextMSN {
		return a.NextMSN > b.NextMSN
	}
	return a.NextPart > b.NextPart
}

// refresh fetches and rewrites the playlist of v for a client, ahead of when it
// is needed or because a request waits. It always returns an outcome, also after
// a panic.
func (c *Cache) refresh(ctx context.Context, v *rendering, client netip.Prefix, ahead bool) (o *outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = &outcome{err: c.logPanic(p), until: c.opts.Now().Add(askInterval)}
		}
	}()
	e := c.fetcher(v, client)
	e.ahead = ahead
	defer e.release()
	r := e.fetch(ctx)
	if r.err != nil {
		return &outcome{err: r.err, until: r.until}
	}
	cp, err := c.render(v, r)
	if err != nil {
		if errors.Is(err, playlist.ErrOrigin) {
			c.distrust(v.key.target)
		}
		return &outcome{err: err, until: r.until}
	}
	if cp.stuck() {
		cp.since = r.at
		c.distrust(v.key.target)
	}
	o = &outcome{copy: cp, until: cp.fresh}
	if v.key.directives.Block {
		c.promote(v, o)
	}
	return o
}

// logPanic logs a recovered panic with its stack, and returns it as an error.
func (c *Cache) logPanic(p any) error {
	err := fmt.Errorf("panic: %v", p)
	c.opts.Log.Error("panic while refreshing a playlist", "error", err, "stack", string(debug.Stack()))
	return err
}

// distrust makes the next request for a target start at its own address,
// because the address that its redirects ended at has no playlist, or one
// that no longer changes.
func (c *Cache) distrust(t target) { c.source(t.whole(), c.opts.Now()).edge.reset() }

// promote hands the outcome of a blocking request to the rendering of the
// whole playlist, so that players that poll get the newer copy too. A delta
// playlist cannot be shown to them; only its position is noted.
func (c *Cache) promote(v *rendering, o *outcome) {
	k := v.key
	k.directives = lowlatency.Directives{}
	s := &c.renderings[uint64(k.stream)%shards]
	s.mu.RLock()
	whole := s.renderings[k]
	s.mu.RUnlock()
	switch {
	case whole == nil:
	case v.key.directives.Skip == "":
		whole.Offer(o)
	default:
		whole.newest.Store(&o.copy.Info)
	}
}

// render returns the fetched playlist as v shows it. When nothing has
// changed, that is the previous body. At most GOMAXPROCS playlists are
// rewritten at a time, and room is made in the cache for each.
func (c *Cache) render(v *rendering, r *result) (*Copy, error) {
	c.rewriting <- struct{}{}
	defer func() { <-c.rewriting }()
	c.makeRoom(r.at)
	cp := &Copy{
		Status: r.status, URL: r.url, At: r.at, began: r.began, since: r.at, sum: r.sum,
		tickets: c.opts.Signer.Until(),
	}
	if last := v.Kept(); last != nil && last.copy != nil && last.copy.same(cp) {
		cp.Body, cp.Info, cp.compressed, cp.since = last.copy.Body, last.copy.Info, last.copy.compressed, last.copy.since
	} else if err := c.rewrite(cp, v, r.body); err != nil {
		return nil, err
	}
	cp.fresh = r.until
	if cp.Info.End || cp.Info.VOD {
		cp.fresh = r.at.Add(endedFresh)
	}
	cp.stale = cp.fresh.Add(min(max(cp.Info.Target, minStale), maxStale))
	return cp, nil
}

// stuck reports whether a live playlist has not changed for stuckTime: the
// server it came from may no longer receive the stream.
func (c *Copy) stuck() bool {
	return c.Info.Media && !c.Info.End && !c.Info.VOD && c.At.Sub(c.since) >= stuckTime
}

// same reports whether two copies have the same body.
func (c *Copy) same(d *Copy) bool {
	return c.sum == d.sum && c.URL == d.URL && c.tickets.Equal(d.tickets)
}

// buffers are reused for rewriting.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer is the size in bytes above which a buffer is not reused.
const maxBuffer = 256 << 10

// rewrite sets the body and the info of cp.
func (c *Cache) rewrite(cp *Copy, v *rendering, src []byte) error {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	out, info, err := playlist.Rewrite((*buf)[:0], src, playlist.Options{
		Base: cp.URL, Vars: v.vars, Route: c.router(v), Host: c.opts.Client.Public, MaxBlock: c.opts.Timeout,
	})
	if err != nil {
		return err
	}
	cp.Body, cp.Info, cp.compressed = out, info, &compressed{length: lengthOf(out)}
	if cap(out) <= maxBuffer || len(out) < cap(out)/4*3 { // else cloning would save little memory
		cp.Body = bytes.Clone(out)
	}
	if *buf = out; cap(out) > maxBuffer {
		*buf = nil
	}
	return nil
}

// router returns the function that writes v's references to other playlists,
// as URLs of the hop with a ticket.
//
// A rendition report refers to a sibling, for which the parent playlist has a
// ticket already. A player matches the report to the sibling by URL, so the
// report carries the same ticket: with the depth and the variables of v
// itself.
func (c *Cache) router(v *rendering) func([]byte, playlist.Reference) ([]byte, error) {
	b := ticket.Binding{Stream: v.key.stream, Origin: v.key.origin}
	if v.key.depth == 0 {
		b.Origin = v.key.url
	}
	return func(dst []byte, r playlist.Reference) ([]byte, error) {
		t := ticket.Ticket{URL: string(r.URL), Depth: v.key.depth + 1, Vars: r.Vars}
		if r.Report {
			t.Depth, t.Vars = max(v.key.depth, 1), v.vars
		} else {
			dst = append(dst, c.opts.HopURL...)
			dst = append(dst, catalog.StreamsPath...)
			dst = v.key.stream.Append(dst)
		}
		return c.opts.Signer.Append(append(dst, "?p="...), b, t)
	}
}

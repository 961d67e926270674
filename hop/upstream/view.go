package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/hop/ticket"
	"miramundo.dev/shared/catalog"
)

const (
	slack     = time.Second      // since a copy was last fresh, after which it stands in for none
	leastWait = time.Second      // for which a copy stands in at least
	mostWait  = 6 * time.Second  // and at most
	stuckTime = 30 * time.Second // without a change, after which a live playlist is looked for elsewhere
	endTime   = 10 * time.Second // for which a playlist that cannot change is fresh
)

// A view is a playlist as one stream shows it.
type view struct {
	memo[outcome, *outcome]
	key   key
	vars  []playlist.Var
	front atomic.Pointer[playlist.Info] // that a copy of the changes alone has shown; nil when there was none
	lane  atomic.Int32                  // in which it waits for what is not there yet
}

// An outcome is what came of looking after a playlist the last time.
type outcome struct {
	copy  *Copy     // the last that was good; nil when there is none
	err   error     // when there is no newer one because of it
	until time.Time // before which it is not looked after again
}

// answer returns the copy, or the error when there is none that stands in.
func (o *outcome) answer(now time.Time) (*Copy, error) {
	if o.err != nil && (o.copy == nil || !now.Before(o.copy.stale)) {
		return nil, o.err
	}
	return o.copy, nil
}

// standsIn reports whether the copy may be shown at the time now while another
// is made. It must have been fresh just before: who asks alone, now and then,
// would otherwise always be shown what was there the last time.
func (o *outcome) standsIn(began, now time.Time) bool {
	return o.copy != nil && began.Sub(o.until) <= slack && now.Before(o.copy.stale)
}

func (o *outcome) weight() int64 {
	if o.copy == nil {
		return 0
	}
	return o.copy.weight()
}

// over keeps the copy that is further on, when two were asked for at the same
// time: a request that waited for a part may have overtaken one that did not.
func (o *outcome) over(kept *outcome) *outcome {
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

// isFurther reports whether a has more than b has.
func isFurther(a, b *playlist.Info) bool {
	if a.NextMSN != b.NextMSN {
		return a.NextMSN > b.NextMSN
	}
	return a.NextPart > b.NextPart
}

// refresh looks after the playlist of v.
func (c *Cache) refresh(ctx context.Context, v *view) (o *outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = &outcome{err: c.defect(p), until: c.opts.Now().Add(second)}
		}
	}()
	e := c.errand(v)
	defer e.end()
	r := e.fetch(ctx)
	if r.err != nil {
		return &outcome{err: r.err, until: r.until}
	}
	cp, err := c.show(v, r)
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

// defect tells of a panic, and returns it as an error.
func (c *Cache) defect(p any) error {
	err := fmt.Errorf("panic: %v", p)
	c.opts.Log.Error("looking after a playlist", "error", err, "stack", string(debug.Stack()))
	return err
}

// distrust makes the next request for a target begin at its own address: where
// its redirects ended there is no playlist, or none that goes on.
func (c *Cache) distrust(t target) { c.source(t.whole(), c.opts.Now()).edge.leave() }

// promote tells the view of the whole playlist what came of waiting. Those who
// do not wait are shown it too, unless it has the changes alone.
func (c *Cache) promote(v *view, o *outcome) {
	k := v.key
	k.directives = Directives{}
	s := &c.views[uint64(k.stream)%shards]
	s.mu.RLock()
	whole := s.views[k]
	s.mu.RUnlock()
	switch {
	case whole == nil:
	case v.key.directives.Skip == "":
		whole.offer(o)
	default:
		whole.front.Store(&o.copy.Info)
	}
}

// show returns what an address answered as v shows it. When nothing has
// changed, that is what it showed before. As many are made at a time as there
// are processors, with room for each.
func (c *Cache) show(v *view, r *result) (*Copy, error) {
	c.rewriting <- struct{}{}
	defer func() { <-c.rewriting }()
	c.makeRoom(r.at)
	cp := &Copy{
		Status: r.status, URL: r.url, At: r.at, began: r.began, since: r.at, sum: r.sum,
		tickets: c.opts.Signer.Until(),
	}
	if last := v.kept.Load(); last != nil && last.copy != nil && last.copy.same(cp) {
		cp.Body, cp.Info, cp.packed, cp.since = last.copy.Body, last.copy.Info, last.copy.packed, last.copy.since
	} else if err := c.rewrite(cp, v, r.body); err != nil {
		return nil, err
	}
	cp.fresh = r.until
	if cp.Info.End || cp.Info.VOD {
		cp.fresh = r.at.Add(endTime)
	}
	cp.stale = cp.fresh.Add(min(max(cp.Info.Target, leastWait), mostWait))
	return cp, nil
}

// stuck reports whether the place that the copy came from may be one that is
// not fed any more.
func (c *Copy) stuck() bool {
	return c.Info.Media && !c.Info.End && !c.Info.VOD && c.At.Sub(c.since) >= stuckTime
}

// same reports whether two copies have the same body.
func (c *Copy) same(d *Copy) bool {
	return c.sum == d.sum && c.URL == d.URL && c.tickets.Equal(d.tickets)
}

// buffers are those that playlists are rewritten in.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer is the size above which a buffer is not used again.
const maxBuffer = 256 << 10

// rewrite fills in the body of cp.
func (c *Cache) rewrite(cp *Copy, v *view, src []byte) error {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	out, info, err := playlist.Rewrite((*buf)[:0], src, playlist.Options{
		Base: cp.URL, Vars: v.vars, Route: c.router(v), MaxBlock: c.opts.Timeout,
	})
	if err != nil {
		return err
	}
	cp.Body, cp.Info, cp.packed = out, info, &packed{}
	if cap(out) <= maxBuffer || len(out) < cap(out)/4*3 { // else there is little to save
		cp.Body = bytes.Clone(out)
	}
	if *buf = out; cap(out) > maxBuffer {
		*buf = nil
	}
	return nil
}

// router returns the function that writes the references of v to other
// playlists: as addresses of the hop with a ticket.
//
// A rendition report leads to a sibling, for which the parent wrote a ticket
// already. A player finds the sibling by its address, so the report has the
// same ticket: with the depth and the variables of v itself.
func (c *Cache) router(v *view) func([]byte, playlist.Reference) ([]byte, error) {
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

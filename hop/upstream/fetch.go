package upstream

import (
	"context"
	"errors"
	"hash/maphash"
	"net/http"
	"strings"
	"time"

	"miramundo.dev/hop/upstream/lowlatency"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/origin"
)

// This file asks an origin for a playlist. It bounds the load that a hop puts
// on origins: one request a second for each target, growing pauses after
// failures, at most maxBlocked waiting requests of one kind, and at most
// maxBodies bodies in memory.

const (
	maxBlocked = 2   // requests that wait in one lane
	maxBodies  = 128 // bodies that are being read or wait to be rewritten
)

// A fetcher fetches a target once, for one of the renderings that show it.
type fetcher struct {
	*Cache
	target target
	lane   int // for requests that wait
	began  time.Time
	base   *source // of the complete playlist
	slot   slot    // for the body
}

// fetcher returns a fetcher for v. The caller must release it.
func (c *Cache) fetcher(v *rendering) *fetcher {
	now := c.opts.Now()
	return &fetcher{
		Cache: c, target: v.key.target, lane: int(v.lane.Load()), began: now,
		base: c.source(v.key.whole(), now), slot: slot{all: c.bodies},
	}
}

// release frees the fetcher's slot. The body that it fetched must have been
// dealt with.
func (e *fetcher) release() { e.slot.release() }

// fetch returns the target's answer, which may be up to a second old. It is
// called from refreshes, which run to their end.
func (e *fetcher) fetch(ctx context.Context) *result {
	s := e.source(e.target, e.began)
	last := s.Kept()
	if last != nil && e.began.Before(last.until) {
		return last
	}
	return s.Do(last, e.began, func() *result { return e.ask(ctx, last) })
}

// ask requests the target now. The last result is the one before.
func (e *fetcher) ask(ctx context.Context, last *result) (r *result) {
	defer func() {
		if p := recover(); p != nil {
			r = e.failed(last, e.logPanic(p))
		}
	}()
	if e.target.directives.Block {
		return e.fetchAhead(ctx)
	}
	return e.fetchNow(ctx, last)
}

// fetchAhead requests a segment or part that is not published yet, in its
// lane. While requests for the next part fail, parts further ahead are not
// requested either.
func (e *fetcher) fetchAhead(ctx context.Context) *result {
	own := &e.base.lanes[e.lane]
	for _, l := range []*lane{own, &e.base.lanes[lowlatency.NextLane]} {
		if r := l.refusal.Load(); r != nil && e.began.Before(r.until) {
			return r
		}
	}
	select {
	case own.places <- struct{}{}:
		defer func() { <-own.places }()
	default:
		return e.failed(nil, origin.ErrBusy.Because(errors.New("too many requests wait for parts of this playlist")))
	}
	r := e.fetchNow(ctx, own.refusal.Load())
	if own.refusal.Store(nil); r.err != nil {
		own.refusal.Store(r)
	}
	return r
}

// fetchNow requests the target and returns the result, which counts failures
// on from last.
func (e *fetcher) fetchNow(ctx context.Context, last *result) *result {
	res, body, err := e.follow(ctx)
	if err != nil {
		return e.failed(last, err)
	}
	at := e.opts.Now()
	return &result{
		body: body, status: res.Status, url: res.URL, sum: maphash.Bytes(seed, body),
		began: e.began, at: at, until: at.Add(askInterval),
	}
}

// seed makes the checksums that tell whether a playlist has changed. It is
// random, so nobody outside can make two bodies with one checksum.
var seed = maphash.MakeSeed()

// failed returns the result of a failed fetch. It is kept for a second, then
// for longer after each failure, so that an origin that is down is left
// alone.
func (c *Cache) failed(last *result, err error) *result {
	r := &result{err: err, fails: 1, at: c.opts.Now()}
	if last != nil {
		r.fails = min(last.fails+1, 16)
	}
	r.until = r.at.Add(min(askInterval<<(r.fails-1), maxBackOff))
	return r
}

// follow requests the target at its edge, and at its own address when the
// edge is gone, within one timeout.
func (e *fetcher) follow(ctx context.Context) (*origin.Response, []byte, error) {
	url := e.target.url
	from := e.base.edge.start(url, e.began)
	res, body, err := e.get(ctx, from, e.opts.Timeout)
	if err != nil && from != url {
		e.base.edge.fail(e.began)
		if left := e.opts.Timeout - e.opts.Now().Sub(e.began); left > 0 && isGone(err) {
			from = url
			res, body, err = e.get(ctx, from, left)
		}
	}
	if err == nil && e.target.directives == (lowlatency.Directives{}) {
		e.base.edge.record(res.URL, url, from != url, e.began)
	}
	return res, body, err
}

// isGone reports whether an error says that an address has expired.
func isGone(err error) bool {
	switch fault.From(err).Fields["upstream_status"] {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

// get requests the address from, which stands for the target. Headers meant
// for the target's own host are sent to no other.
func (e *fetcher) get(ctx context.Context, from string, timeout time.Duration) (*origin.Response, []byte, error) {
	t := &e.target
	h := http.Header{"Via": {"1.1 " + via}}
	if sameHost(from, t.url) {
		set(h, "Referer", t.referrer)
		set(h, "User-Agent", t.agent)
	}
	from, _, _ = strings.Cut(from, "#")
	query := t.directives.Query(from)
	req := origin.Request{URL: from + query, Header: h, Timeout: timeout}
	if t.directives.Block {
		req.Wait = timeout // the answer begins once the part is published
	}
	res, err := e.opts.Client.Open(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	res.URL, _, _ = strings.Cut(res.URL, "#")
	res.URL = strings.TrimSuffix(res.URL, query)
	if err := e.slot.take(timeout); err != nil {
		res.Body.Close() // its body has not been read
		return nil, nil, err
	}
	body, err := res.ReadAll()
	return res, body, err
}

// A slot bounds the bodies in memory. A fetcher without one waits with the
// connection open, so that no more is read than is dealt with.
type slot struct {
	all   chan struct{} // holds a token for each slot in use
	taken bool
}

// take waits for a slot, unless it has one. It fails with origin.ErrBusy
// after timeout.
func (p *slot) take(timeout time.Duration) error {
	if p.taken {
		return nil
	}
	late := time.NewTimer(timeout)
	defer late.Stop()
	select {
	case p.all <- struct{}{}:
		p.taken = true
		return nil
	case <-late.C:
		return origin.ErrBusy.Because(errors.New("too many playlists wait to be rewritten"))
	}
}

// release frees the slot, if it was taken.
func (p *slot) release() {
	if p.taken {
		<-p.all
	}
}

func set(h http.Header, name, value string) {
	if value != "" {
		h[name] = []string{value}
	}
}

// sameHost reports whether two URLs have the same host and port, compared as
// text.
func sameHost(a, b string) bool { return strings.EqualFold(hostOf(a), hostOf(b)) }

func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return rest[:i]
	}
	return rest
}

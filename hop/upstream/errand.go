package upstream

import (
	"context"
	"errors"
	"hash/maphash"
	"net/http"
	"strings"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/origin"
)

const (
	maxBlocked = 2   // requests of one lane that wait for what is not there yet
	maxBodies  = 128 // playlists that are read, or wait to be rewritten
)

// An errand is one look after a target, for one of the views that show it.
type errand struct {
	*Cache
	target target
	lane   int // in which it waits for what is not there yet
	began  time.Time
	base   *source // of the whole playlist
	place  place   // of what is read
}

// errand returns one for v. It must be ended.
func (c *Cache) errand(v *view) *errand {
	now := c.opts.Now()
	return &errand{
		Cache: c, target: v.key.target, lane: int(v.lane.Load()), began: now,
		base: c.source(v.key.whole(), now), place: place{all: c.bodies},
	}
}

// end gives up what the errand took. What it brought must have been dealt with.
func (e *errand) end() { e.place.leave() }

// fetch returns what the target answers, or answered within the last second. It
// is called where views are made, which nothing interrupts.
func (e *errand) fetch(ctx context.Context) *result {
	s := e.source(e.target, e.began)
	last := s.kept.Load()
	if last != nil && e.began.Before(last.until) {
		return last
	}
	return s.do(last, e.began, func() *result { return e.ask(ctx, last) })
}

// ask asks for the target now. The last result is the one before.
func (e *errand) ask(ctx context.Context, last *result) (r *result) {
	defer func() {
		if p := recover(); p != nil {
			r = e.failed(last, e.defect(p))
		}
	}()
	if e.target.directives.Block {
		return e.hold(ctx)
	}
	return e.send(ctx, last)
}

// hold asks for what is not there yet, in a lane of its own. Where what is next
// fails, what is further on is not asked for either.
func (e *errand) hold(ctx context.Context) *result {
	own := &e.base.lanes[e.lane]
	for _, l := range []*lane{own, &e.base.lanes[nextLane]} {
		if r := l.refusal.Load(); r != nil && e.began.Before(r.until) {
			return r
		}
	}
	select {
	case own.places <- struct{}{}:
		defer func() { <-own.places }()
	default:
		return e.failed(nil, origin.ErrBusy.Because(errors.New("players wait for too many parts at a time")))
	}
	r := e.send(ctx, own.refusal.Load())
	if own.refusal.Store(nil); r.err != nil {
		own.refusal.Store(r)
	}
	return r
}

// send asks for the target, and says how it ended after the last time.
func (e *errand) send(ctx context.Context, last *result) *result {
	res, body, err := e.follow(ctx)
	if err != nil {
		return e.failed(last, err)
	}
	at := e.opts.Now()
	return &result{
		body: body, status: res.Status, url: res.URL, sum: maphash.Bytes(seed, body),
		began: e.began, at: at, until: at.Add(second),
	}
}

// seed makes the sums of bodies, which tell whether a playlist has changed.
// Nobody outside knows it, so nobody can make two bodies of one sum.
var seed = maphash.MakeSeed()

// failed returns the result of a fetch that failed. It is remembered for a
// second, then for longer, so that an origin that is down is left alone.
func (c *Cache) failed(last *result, err error) *result {
	r := &result{err: err, fails: 1, at: c.opts.Now()}
	if last != nil {
		r.fails = min(last.fails+1, 16)
	}
	r.until = r.at.Add(min(second<<(r.fails-1), maxBackOff))
	return r
}

// follow asks for the target where its redirects ended the last time. When that
// place is gone, it begins anew.
func (e *errand) follow(ctx context.Context) (*origin.Response, []byte, error) {
	url := e.target.url
	from := e.base.edge.start(url, e.began)
	res, body, err := e.get(ctx, from, e.opts.Timeout)
	if err != nil && from != url {
		e.base.edge.flee(e.began)
		if left := e.opts.Timeout - e.opts.Now().Sub(e.began); left > 0 && isGone(err) {
			from = url
			res, body, err = e.get(ctx, from, left)
		}
	}
	if err == nil && e.target.directives == (Directives{}) {
		e.base.edge.settleAt(res.URL, url, from != url, e.began)
	}
	return res, body, err
}

// isGone reports whether an answer says that an address was good for a time
// and is no more.
func isGone(err error) bool {
	switch fault.From(err).Fields["upstream_status"] {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

// get asks for an address that stands for the target. What only the target's
// own host may see goes to no other.
func (e *errand) get(ctx context.Context, from string, timeout time.Duration) (*origin.Response, []byte, error) {
	t := &e.target
	h := http.Header{"Via": {"1.1 " + via}}
	if sameHost(from, t.url) {
		set(h, "Referer", t.referrer)
		set(h, "User-Agent", t.agent)
	}
	from, _, _ = strings.Cut(from, "#")
	query := t.directives.query(from)
	req := origin.Request{URL: from + query, Header: h, Timeout: timeout}
	if t.directives.Block {
		req.Wait = timeout // the answer begins when what is waited for is there
	}
	res, err := e.opts.Client.Open(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	res.URL, _, _ = strings.Cut(res.URL, "#")
	res.URL = strings.TrimSuffix(res.URL, query)
	if err := e.place.take(timeout); err != nil {
		res.Body.Close() // nothing was read
		return nil, nil, err
	}
	body, err := res.ReadAll()
	return res, body, err
}

// A place is one of those for playlists that are read, or wait to be rewritten.
// Who has none yet waits with the connection open, so that no more is asked for
// than is dealt with.
type place struct {
	all   chan struct{} // holds a token for each place that is taken
	taken bool
}

// take waits for the place, unless it is taken already.
func (p *place) take(timeout time.Duration) error {
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

// leave gives the place back, if it was taken.
func (p *place) leave() {
	if p.taken {
		<-p.all
	}
}

func set(h http.Header, name, value string) {
	if value != "" {
		h[name] = []string{value}
	}
}

// sameHost reports whether two addresses have the same host and port, in the
// same words.
func sameHost(a, b string) bool { return strings.EqualFold(hostOf(a), hostOf(b)) }

func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return rest[:i]
	}
	return rest
}

package upstream

import (
	"context"
	"errors"
	"hash/maphash"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/origin"
)

const (
	second     = time.Second     // for which what an address answered is not asked for again
	maxBackOff = 8 * time.Second // the same for one that failed again and again
	edgeTime   = time.Minute     // since its last use, for which the end of a redirect is gone to directly
	maxBlocked = 4               // requests to an address that wait for what is not there yet
)

// A target is what a request asks for, and as whom. Everyone who asks for the
// same gets the same answer.
type target struct {
	url, referrer, agent string
	directives           Directives
}

func (t target) weight() int64 { return int64(len(t.url) + len(t.referrer) + len(t.agent)) }

// A source is the memory of what a target answered.
type source struct {
	memo[result, *result]

	edge struct {
		sync.Mutex
		url  string // where the redirects of the target ended; empty when there are none
		used time.Time
	}

	blocked chan struct{}          // holds a token for each request that waits
	refusal atomic.Pointer[result] // of the last request to wait, when it failed; nil otherwise
}

// A result is what an address answered.
type result struct {
	body   []byte
	status int
	url    string // after redirects, without directives
	sum    uint64 // of the body
	began  time.Time
	at     time.Time // when it was whole
	until  time.Time // before which the target is not asked again
	err    error
	fails  int // in a row, this one included
}

// recordWeight is about what a record weighs besides its texts.
const recordWeight = 512

func (r *result) weight() int64 { return int64(len(r.body) + len(r.url)) }

func (r *result) over(*result) *result { return r }

// source returns the source of a target, a new one if need be.
func (c *Cache) source(t target, now time.Time) *source {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sources[t]
	if s == nil {
		s = &source{blocked: make(chan struct{}, maxBlocked)}
		s.total, s.frame = &c.bytes, recordWeight+t.weight()
		c.sources[t] = s
	}
	s.touch(now)
	return s
}

// fetch returns what a target answers, or answered within the last second.
func (c *Cache) fetch(ctx context.Context, t target) *result {
	now := c.opts.Now()
	s := c.source(t, now)
	last := s.kept.Load()
	if last != nil && now.Before(last.until) {
		return last
	}
	call := s.next(last, now, func() *result { return c.ask(ctx, t, last, now) })
	<-call.done
	return call.value
}

// ask asks for a target now.
func (c *Cache) ask(ctx context.Context, t target, last *result, began time.Time) (r *result) {
	defer func() {
		if p := recover(); p != nil {
			r = c.failed(last, c.defect(p))
		}
	}()
	base := c.source(t.whole(), began)
	if t.directives.Block {
		return c.hold(ctx, t, base, began)
	}
	return c.send(ctx, t, base, last, began)
}

// whole returns the target that t asks the changes of.
func (t target) whole() target {
	t.directives = Directives{}
	return t
}

// hold asks for what is not there yet. A few such requests are under way to an
// address at a time; when one fails, no other is sent for a while.
func (c *Cache) hold(ctx context.Context, t target, base *source, began time.Time) *result {
	last := base.refusal.Load()
	if last != nil && began.Before(last.until) {
		return last
	}
	select {
	case base.blocked <- struct{}{}:
		defer func() { <-base.blocked }()
	default:
		return c.failed(nil, origin.ErrBusy.Because(errors.New("players wait for too many parts at a time")))
	}
	r := c.send(ctx, t, base, last, began)
	if base.refusal.Store(nil); r.err != nil {
		base.refusal.Store(r)
	}
	return r
}

// send asks for a target, and says how it ended after the last time.
func (c *Cache) send(ctx context.Context, t target, base *source, last *result, began time.Time) *result {
	res, body, err := c.follow(ctx, t, base, began)
	if err != nil {
		return c.failed(last, err)
	}
	at := c.opts.Now()
	return &result{
		body: body, status: res.Status, url: res.URL, sum: maphash.Bytes(seed, body),
		began: began, at: at, until: at.Add(second),
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

// follow asks for a target where its redirects ended the last time. When that
// place is gone, it begins anew.
func (c *Cache) follow(ctx context.Context, t target, base *source, began time.Time) (*origin.Response, []byte, error) {
	from := base.start(t.url, began)
	res, body, err := c.get(ctx, t, from, c.opts.Timeout)
	if err != nil && from != t.url {
		base.leave()
		if left := c.opts.Timeout - c.opts.Now().Sub(began); left > 0 && isGone(err) {
			res, body, err = c.get(ctx, t, t.url, left)
		}
	}
	if err == nil && t.directives == (Directives{}) {
		base.settleAt(res.URL, t.url, began)
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

// get asks for an address that stands for a target. What only the target's own
// host may see goes to no other.
func (c *Cache) get(ctx context.Context, t target, from string, timeout time.Duration) (*origin.Response, []byte, error) {
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
	res, body, err := c.opts.Client.Fetch(ctx, req)
	if err == nil {
		res.URL, _, _ = strings.Cut(res.URL, "#")
		res.URL = strings.TrimSuffix(res.URL, query)
	}
	return res, body, err
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

// start returns the address at which to ask for a target.
func (s *source) start(url string, now time.Time) string {
	s.edge.Lock()
	defer s.edge.Unlock()
	if s.edge.url == "" || now.Sub(s.edge.used) >= edgeTime {
		return url
	}
	return s.edge.url
}

// leave forgets where redirects ended.
func (s *source) leave() {
	s.edge.Lock()
	defer s.edge.Unlock()
	s.edge.url = ""
}

// settleAt remembers where redirects ended, when there were any. An origin that
// leads each request to a session of its own is so asked for one session only.
func (s *source) settleAt(end, url string, now time.Time) {
	s.edge.Lock()
	defer s.edge.Unlock()
	s.edge.url, s.edge.used = "", now
	if end != url {
		s.edge.url = end
	}
}

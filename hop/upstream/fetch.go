package upstream

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/hop/upstream/lowlatency"
	"miramundo.dev/hop/upstream/share"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/origin"
)

// This file asks an origin for a playlist. It bounds the load that a hop puts
// on origins: one request a second for each target, pauses after failures, and
// at most maxBlocked waiting requests of one kind; place.go bounds what is in
// progress at a time.

const maxBlocked = 2 // requests that wait in one lane

// A fetcher fetches a target once, for one of the renderings that show it.
type fetcher struct {
	*Cache
	target    target
	rendering *rendering
	client    netip.Prefix // that asked first
	ahead     bool         // when it began, no request waited for it
	lane      int          // for requests that wait
	began     time.Time
	base      *source       // of the complete playlist
	source    *source       // of the target
	body      *share.Place  // for a large body; nil without one
	buffer    *bytes.Buffer // that the body is read into; nil before
	cutOff    func()        // ends the request under way
}

// fetcher returns a fetcher for v. The caller must release it.
func (c *Cache) fetcher(v *rendering, client netip.Prefix) *fetcher {
	now := c.opts.Now()
	return &fetcher{
		Cache: c, target: v.key.target, rendering: v, client: client, lane: int(v.lane.Load()), began: now,
		base: c.source(v.key.whole(), now), source: c.source(v.key.target, now),
	}
}

// release frees the fetcher's place for a body, and its buffer. The body that it
// fetched must have been dealt with.
func (e *fetcher) release() {
	if b := e.buffer; b != nil && b.Cap() <= maxBuffer {
		bodyBuffers.Put(b)
	}
	e.buffer = nil
	if e.body != nil {
		e.body.Leave(share.Unknown)
	}
}

// fetch returns the target's answer, which may be up to a second old. It is
// called from refreshes, which run to their end.
func (e *fetcher) fetch(ctx context.Context) *result {
	last := e.source.Kept()
	if last != nil && e.began.Before(last.until) {
		return last
	}
	e.source.wanted.join(e.client)
	return e.source.Do(last, e.began, func() *result { return e.ask(ctx, last) })
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
	res, body, err := e.follow(ctx, e.patience(last))
	at := e.opts.Now()
	if e.opts.Fetched != nil {
		e.opts.Fetched(err, at.Sub(e.began))
	}
	if _, ok := errors.AsType[*Other](err); ok {
		return &result{err: err, at: at, until: at.Add(foundTime), took: at.Sub(e.began)}
	}
	if err != nil {
		return e.failed(last, err)
	}
	r := &result{
		status: res.Status, url: res.URL, sum: maphash.Bytes(seed, body),
		began: e.began, at: at, until: at.Add(askInterval), took: at.Sub(e.began),
	}
	r.body = e.keep(body, r.sum, last)
	return r
}

// bodyBuffers are the buffers that bodies are read into. Playlists come without their
// length as often as with it, and a new buffer that grows with each is most of what a
// fetch allocates.
var bodyBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keep returns a body that was read into the buffer of e, for as long as it is needed:
// that of the last result when it is the same, or a copy. A large body takes the buffer
// with it.
func (e *fetcher) keep(body []byte, sum uint64, last *result) []byte {
	switch {
	case last != nil && last.sum == sum && len(last.body) == len(body):
		return last.body
	case cap(body) > maxBuffer:
		e.buffer = nil
		return body
	}
	return bytes.Clone(body)
}

// seed makes the checksums that tell whether a playlist has changed. It is
// random, so nobody outside can make two bodies with one checksum.
var seed = maphash.MakeSeed()

// patience returns how long a fetch after the last one may take. An origin that
// hung is asked for a short time, and then again: a request that it received
// while it hung may never be answered, also once it works. An origin that needed
// longer before gets twice as long as it needed. Every patientAgain times it gets
// the whole time: it may have become slow, or have been slow from the first.
func (e *fetcher) patience(last *result) time.Duration {
	if last == nil || !last.hung || e.target.directives.Block || last.fails%patientAgain == 0 {
		return e.opts.Timeout
	}
	return min(max(retryTime, 2*last.took), e.opts.Timeout)
}

// failed returns the result of a failed fetch. The next fetch begins a second
// after this one began, and two seconds after it while fetches fail: so an
// origin that is down is left alone, and soon found again. A fetch that was
// refused for the load of the hop says nothing of the origin.
func (e *fetcher) failed(last *result, err error) *result {
	r := &result{err: err, fails: 1, at: e.opts.Now(), hung: errors.Is(err, origin.ErrTimeout)}
	if last != nil {
		r.fails, r.took = last.fails+1, last.took
	}
	if errors.Is(err, origin.ErrBusy) {
		r.hung = last != nil && last.hung
		r.until = r.at.Add(askInterval)
		return r
	}
	if r.until = e.began.Add(min(askInterval<<min(r.fails-1, 4), maxBackOff)); r.until.Before(r.at) {
		r.until = r.at
	}
	return r
}

// follow requests the target at its edge, and at its own address when the
// edge is gone, within one timeout.
func (e *fetcher) follow(ctx context.Context, timeout time.Duration) (*origin.Response, []byte, error) {
	url := origin.ASCII(e.target.url)
	from := e.base.edge.start(url, e.began)
	res, body, err := e.get(ctx, from, timeout)
	if err != nil && from != url {
		e.base.edge.fail(e.began)
		if left := e.left(timeout); left > 0 && (isGone(err) || errors.Is(err, playlist.ErrOrigin)) {
			from = url
			res, body, err = e.get(ctx, from, left)
		}
	}
	if list, ok := errors.AsType[*listing](err); ok {
		res, body, err = e.followList(ctx, list, timeout)
	}
	if err == nil && e.target.directives == (lowlatency.Directives{}) {
		e.base.edge.record(res.URL, url, from != url, e.began)
	}
	return res, body, err
}

// left returns how much of the time for the fetch is left.
func (e *fetcher) left(timeout time.Duration) time.Duration {
	return timeout - e.opts.Now().Sub(e.began)
}

// isGone reports whether an error says that an address has expired.
func isGone(err error) bool {
	switch fault.From(err).Fields["upstream_status"] {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

// get requests the address from, which stands for the target, in turn with
// other fetches. Headers meant for the target's own host are sent to no other.
func (e *fetcher) get(ctx context.Context, from string, timeout time.Duration) (res *origin.Response, body []byte, err error) {
	t := &e.target
	h := http.Header{"Via": {"1.1 " + via}}
	if sameHost(from, origin.ASCII(t.url)) {
		set(h, "Referer", t.referrer)
		set(h, "User-Agent", t.agent)
	}
	from, _, _ = strings.Cut(from, "#")
	query := t.directives.Query(from)
	req := origin.Request{URL: from + query, Header: h, First: playlist.MaxInput + 1}
	if t.directives.Block {
		req.Wait = timeout // the answer begins once the part is published
	}
	err = e.inTurn(ctx, hostname(from), timeout, func(ctx context.Context, left time.Duration) (err error) {
		req.Timeout = left
		if res, err = e.opts.Client.Open(ctx, req); err == nil {
			body, err = e.read(ctx, res, left)
		}
		return err
	})
	if list, ok := errors.AsType[*listing](err); ok {
		list.base = res.URL
	}
	if err != nil {
		return nil, nil, err
	}
	res.URL, _, _ = strings.Cut(res.URL, "#")
	res.URL = strings.TrimSuffix(res.URL, query)
	return res, body, nil
}

// read returns the body of a response and closes it. It reads only the first
// bytes of what is not a playlist (recognize.go). After smallBody bytes it waits
// for a place, with the connection open. The body is in the buffer of e, which the next
// read uses again.
func (e *fetcher) read(ctx context.Context, res *origin.Response, timeout time.Duration) ([]byte, error) {
	defer res.Body.Close() // reading reports all errors that matter
	if e.buffer == nil {
		e.buffer = bodyBuffers.Get().(*bytes.Buffer)
	}
	data := e.buffer
	data.Reset()
	data.Grow(int(min(max(res.Length, 0), smallBody)) + bytes.MinRead)
	ended, err := readHead(data, res.Body)
	if err == nil && res.Length > playlist.MaxInput {
		err = errTooLarge
	}
	if err == nil && !ended {
		if _, err = io.CopyN(data, res.Body, int64(smallBody-data.Len())); errors.Is(err, io.EOF) {
			ended, err = true, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if ended {
		return data.Bytes(), checkText(data.Bytes())
	}
	place := e.claim(e.bodies, "")
	if err := wait(ctx, place, timeout); err != nil {
		return nil, err
	}
	e.body = place
	if _, err := data.ReadFrom(res.Body); err != nil {
		if place.Leave(share.Unknown) {
			err = origin.ErrBusy.Because(errCutOff)
		}
		return nil, err
	}
	if err := checkText(data.Bytes()); err != nil {
		place.Leave(share.Unknown) // a list leads to another body, which may need a place too
		return nil, err
	}
	place.Keep()
	return data.Bytes(), nil
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

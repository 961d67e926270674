package measure

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/probe/measure/manifest"
)

// A run is a measurement in progress.
type run struct {
	opts   Options
	ctx    context.Context // the caller's
	target probe.Target
	result probe.Result

	end    time.Time     // of the measurement; moved when requests wait for seats
	queued time.Duration // total time that requests waited for seats

	foreign  bool // the origin refuses requests from pages; later requests omit Origin
	unshared bool // some response that a player needs has no CORS headers
	played   int  // measured bits per second of all tracks
	claimed  int  // bits per second according to a playlist or a header

	kind string // of the content that was found last; empty when it has none in the interface
}

// An ask is one request of a measurement.
type ask struct {
	url  string
	most int64         // greatest number of bytes of the body
	span manifest.Span // whose offset and length are requested; zero requests everything
	bare bool          // without the headers that the stream needs
}

// A reply is a response while it is read.
type reply struct {
	run   *run
	res   *origin.Response
	asked string        // its address before redirects
	span  manifest.Span // of it
	body  io.Reader
	most  int64
	data  []byte        // read so far
	done  bool          // the body has ended
	sent  time.Time     // when the request began, waiting included
	seen  time.Duration // from getting a seat to the first byte; 0 before
}

// ask sends a request and returns the response when its headers are complete.
// The reply must be closed.
func (r *run) ask(a ask) (*reply, error) {
	left := maxBytes - r.result.Bytes
	if r.result.Requests >= maxRequests || left <= 0 {
		return nil, exhausted
	}
	if r.remaining() <= 0 {
		return nil, context.DeadlineExceeded
	}
	r.result.Requests++
	sent := r.opts.Now()
	most := min(a.most, left)
	res, err := r.opts.Origin.Open(r.ctx, origin.Request{
		URL: a.url, Header: r.header(a), First: most + skipped(a.span), Timeout: min(r.opts.Patience, r.remaining()),
		Queue: max(maxQueue-r.queued, 1), Queued: r.queue,
	})
	r.result.Answered = r.result.Answered || err == nil || reached(err)
	if err != nil {
		return nil, err
	}
	p := &reply{run: r, res: res, asked: a.url, span: a.span, body: res.Body, most: most, sent: sent}
	if interval, err := strconv.Atoi(res.Header.Get("Icy-Metaint")); err == nil {
		p.body = stripICY(p.body, interval)
	}
	return p, p.seek(a.span)
}

// remaining returns the time left for the measurement.
func (r *run) remaining() time.Duration { return time.Until(r.end) }

// queue extends the measurement by the time that a request waited for a seat.
func (r *run) queue(took time.Duration) {
	r.queued += took
	r.end = r.end.Add(took)
}

// reached reports whether a request failed because of the origin's response.
func reached(err error) bool {
	return errors.Is(err, origin.ErrOrigin) || errors.Is(err, origin.ErrAccess) || errors.Is(err, origin.ErrLimit) || errors.Is(err, origin.ErrRedirects) ||
		errors.Is(err, origin.ErrUnreachable) && unreachable(err) == untrusted
}

// header returns the headers of a request, with canonical names.
func (r *run) header(a ask) map[string][]string {
	h := map[string][]string{"Accept": {"*/*"}}
	set := func(name, value string) {
		if value = strings.TrimSpace(value); value != "" && !strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			h[name] = []string{value}
		}
	}
	set("User-Agent", r.opts.UserAgent)
	if !a.bare {
		set("User-Agent", r.target.UserAgent)
		set("Referer", r.target.Referrer)
	}
	if !r.foreign {
		set("Origin", r.opts.Page)
	}
	if a.span.Offset > 0 || a.span.Length > 0 {
		set("Range", ranged(a.span))
	}
	return h
}

// ranged formats a span as an HTTP range.
func ranged(s manifest.Span) string {
	from := "bytes=" + strconv.FormatInt(s.Offset, 10) + "-"
	if s.Length <= 0 {
		return from
	}
	return from + strconv.FormatInt(s.Offset+s.Length-1, 10)
}

// maxSkip is the greatest number of bytes that are read to reach a span when
// the origin ignores ranges.
const maxSkip = 512 << 10

// skipped returns how many bytes may precede a span.
func skipped(s manifest.Span) int64 { return min(s.Offset, maxSkip) }

// seek skips the bytes before a span, which an origin without range support
// sends too.
func (p *reply) seek(s manifest.Span) error {
	if s.Offset == 0 || p.res.Status == 206 {
		return nil
	}
	if s.Offset > maxSkip {
		p.done = true // it cannot be read, and says nothing
		return nil
	}
	n, err := io.CopyN(io.Discard, p.body, s.Offset)
	p.run.result.Bytes += n
	if err != nil {
		p.close()
		return broken
	}
	return nil
}

// close ends reading.
func (p *reply) close() { _ = p.res.Body.Close() } // read only: what matters was seen while reading

// fill reads until there are n bytes, or all.
func (p *reply) fill(n int) error {
	n = int(min(int64(n), p.most))
	for len(p.data) < n && !p.done {
		if cap(p.data)-len(p.data) < 16<<10 {
			p.data = append(p.data, make([]byte, 32<<10)...)[:len(p.data)]
		}
		got, err := p.body.Read(p.data[len(p.data):min(cap(p.data), n)])
		if got > 0 && p.seen == 0 {
			p.seen = max(p.run.opts.Now().Sub(p.sent)-p.res.Waited, 1)
		}
		p.data = p.data[:len(p.data)+got]
		p.run.result.Bytes += int64(got)
		switch {
		case errors.Is(err, io.EOF):
			p.done = true
		case err != nil:
			return err
		}
	}
	return nil
}

// good notes that a response is what a player needs.
func (p *reply) good() {
	r := p.run
	if r.result.Latency == 0 {
		r.result.Latency = p.seen
	}
	allowed := p.res.Header.Get("Access-Control-Allow-Origin")
	r.unshared = r.unshared || allowed != "*" && (allowed != r.opts.Page || r.foreign)
}

// size returns the size in bytes of the whole resource, or 0.
func (p *reply) size() int64 {
	switch {
	case p.span.Length > 0:
		return p.span.Length
	case p.done && len(p.data) > 0:
		return int64(len(p.data))
	case p.res.Header.Get("Content-Encoding") == "":
		return max(p.res.Length, 0)
	}
	return 0
}

// fetch returns a successful response with its whole body, closed.
func (r *run) fetch(a ask) (*reply, error) {
	p, err := r.ask(a)
	if err != nil {
		return nil, err
	}
	defer p.close()
	return p, p.fill(int(a.most))
}

package origin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/fault"
)

// A flight is one request under way, until its body is closed. Its deadline
// covers all redirects and the body, so that a server that drips cannot hold a
// place for longer than any other, and the waiting for a place among all. Where
// places at hosts are counted who waits does so for requests that end in time,
// and all waiting has a time of its own.
type flight struct {
	client *Client
	host   string
	in     *gate           // where its place is; nil when it has none
	seat   string          // the host, without its port, at which it has a place; empty for none
	outer  context.Context // the caller's
	within context.Context // with the request's own deadline
	cancel context.CancelFunc
	once   sync.Once
	line   line // where it waits, when that has a time of its own

	connecting atomic.Bool // no connection is there yet for the request that was sent last

	wait  time.Duration // for an answer's header
	timer *time.Timer   // that ends the request when the header is late
	late  atomic.Bool   // it was
	there atomic.Bool   // the last header has arrived
}

// flightKey is where the context of a request has its flight.
type flightKey struct{}

// moved moves the flight of a redirected request to the host that it leads to.
// The answer that redirects is closed before: a place is held until then.
func moved(req *http.Request) error {
	f, ok := req.Context().Value(flightKey{}).(*flight)
	if !ok || f.client.seats == nil {
		return nil
	}
	f.timer.Stop()
	if rest := req.Response.ContentLength; rest >= 0 && rest <= maxSlurp {
		_, _ = io.CopyN(io.Discard, req.Response.Body, rest+1) // a connection whose answer was read can be used again
	}
	_ = req.Response.Body.Close() // nobody wants the rest
	return f.move(req.URL.Hostname())
}

// traced returns the context of the request, which notes when it connects, and
// gives each answer in a chain of redirects its time from when it is asked for.
func (f *flight) traced() context.Context {
	f.timer = time.AfterFunc(f.wait, func() {
		f.late.Store(true)
		f.cancel()
	})
	f.timer.Stop()
	return httptrace.WithClientTrace(context.WithValue(f.within, flightKey{}, f), &httptrace.ClientTrace{
		GetConn: func(string) {
			f.timer.Stop()
			f.connecting.Store(true)
		},
		GotConn:      func(httptrace.GotConnInfo) { f.connecting.Store(false) },
		WroteRequest: func(httptrace.WroteRequestInfo) { f.wrote() },
	})
}

// wrote starts the time for a header. The answer may have overtaken the news
// that it was asked for.
func (f *flight) wrote() {
	f.timer.Reset(f.wait)
	if f.there.Load() {
		f.timer.Stop()
	}
}

// arrived ends the waiting for headers.
func (f *flight) arrived() {
	f.there.Store(true)
	f.timer.Stop()
}

// start waits for a place at the host, and among the requests under way. One
// that an origin may hold back has its place among its like until the answer
// begins.
func (f *flight) start(host string) error {
	if err := f.sit(host); err != nil {
		return err
	}
	if f.wait > f.client.opts.Header {
		return f.enter(f.client.holding)
	}
	return f.enter(f.client.reading)
}

// read waits for a place among the requests whose answers are read, unless the
// request has one.
func (f *flight) read() error {
	if f.in == f.client.reading {
		return nil
	}
	f.in.leave(f.host)
	f.in = nil
	return f.enter(f.client.reading)
}

// sit waits for a place at a host, if these are counted. Who waits for one has
// no place elsewhere, so that nobody waits in a circle.
func (f *flight) sit(host string) error {
	if f.client.seats == nil {
		return nil
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if !f.queue(func(ctx context.Context) bool { return f.client.seats.enter(ctx, host) }) {
		return f.unseated()
	}
	f.seat = host
	return nil
}

// stand gives up the place at the host.
func (f *flight) stand() {
	if f.seat != "" {
		f.client.seats.leave(f.seat)
		f.seat = ""
	}
}

// move gives up all places and waits for those at another host.
func (f *flight) move(host string) error {
	if f.client.seats == nil || f.seat == host {
		return nil
	}
	g := f.in
	g.leave(f.host)
	f.in = nil
	f.stand()
	if err := f.sit(host); err != nil {
		return err
	}
	return f.enter(g)
}

func (f *flight) enter(g *gate) error {
	if f.queue(func(ctx context.Context) bool { return g.enter(ctx, f.host) }) {
		f.in = g
		return nil
	}
	return f.unseated()
}

// unseated says why there was no place: the caller gave up, or it took too long.
func (f *flight) unseated() error {
	if err := f.outer.Err(); err != nil {
		return err
	}
	return ErrBusy
}

// end gives the place to another request.
func (f *flight) end() {
	f.once.Do(func() {
		f.line.hold()
		f.cancel()
		if f.in != nil {
			f.in.leave(f.host)
		}
		f.stand()
	})
}

// answer turns a raw answer into a Response, or says why it is none.
func (f *flight) answer(res *http.Response, req Request) (*Response, error) {
	conditional := req.IfNoneMatch != "" || req.IfModifiedSince != ""
	if err := checkStatus(res.StatusCode, conditional); err != nil {
		return nil, err
	}
	if err := f.read(); err != nil {
		return nil, err
	}
	limit := cmp.Or(req.First, req.MaxBytes, f.client.opts.MaxBytes)
	if res.ContentLength > limit && req.First == 0 {
		return nil, ErrLimit.Because(fmt.Errorf("the body takes %d bytes", res.ContentLength))
	}
	unpacked, err := unpack(res, limit)
	if err != nil {
		return nil, f.failure(err)
	}
	return &Response{
		Status: res.StatusCode,
		Header: res.Header,
		URL:    res.Request.URL.String(),
		Length: res.ContentLength,
		Waited: f.line.waited,
		Body:   &content{flight: f, raw: res.Body, r: unpacked, first: req.First > 0},
	}, nil
}

// checkStatus refuses what is not an answer with a body.
func checkStatus(status int, conditional bool) error {
	err := fmt.Errorf("the origin answered %d", status)
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return ErrAccess.Because(err).With("upstream_status", status)
	case status == http.StatusNotModified && conditional:
		return nil
	case status < 200, status > 299, status == http.StatusNoContent, status == http.StatusResetContent:
		return ErrOrigin.Because(err).With("upstream_status", status)
	}
	return nil
}

// content is the body of a Response.
type content struct {
	flight *flight
	raw    io.Closer
	r      io.Reader
	first  bool  // the limit is where the body ends
	err    error // what ended the body; further reads repeat it
}

func (b *content) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.r.Read(p)
	if b.first && errors.Is(err, ErrLimit) {
		err = io.EOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.flight.failure(err)
	}
	b.err = err
	return n, err
}

func (b *content) Close() error {
	err := b.raw.Close()
	b.flight.end()
	return err
}

// failure returns err as a fault of this package. When the caller gave up, it
// is the caller's own error.
func (f *flight) failure(err error) error {
	if errors.Is(f.outer.Err(), context.Canceled) {
		return context.Canceled
	}
	if known, ok := errors.AsType[*fault.Error](err); ok {
		return known
	}
	var network net.Error
	late := errors.As(err, &network) && network.Timeout() || errors.Is(err, os.ErrDeadlineExceeded)
	if late || f.late.Load() || errors.Is(f.within.Err(), context.DeadlineExceeded) {
		return ErrTimeout.Because(err)
	}
	if f.connecting.Load() {
		return ErrUnreachable.Because(err)
	}
	return ErrOrigin.Because(err)
}

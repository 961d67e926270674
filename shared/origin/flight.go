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

// A flight is a request in progress, until its body is closed. Its deadline
// covers waiting, redirects and the body, so that a server that sends slowly
// cannot hold a place for longer than any other. With seats per host, waiting
// has a time limit of its own (clock.go).
type flight struct {
	client *Client
	host   string
	in     *gate           // where its place is; nil when it has none
	seat   string          // the host, without its port, at which it has a place; empty for none
	outer  context.Context // the caller's
	within context.Context // with the request's own deadline
	cancel context.CancelFunc
	once   sync.Once
	clock  clock // where it waits, when that has a time of its own

	connecting atomic.Bool // no connection is there yet for the request that was sent last

	held          bool          // the origin may hold its response, as the request says
	wait          time.Duration // for an answer's header
	timer         *time.Timer   // that ends the request when the header is late
	late          atomic.Bool   // it was
	arrivedHeader atomic.Bool   // the last header has arrived
}

// flightKey is the context key of a request's flight.
type flightKey struct{}

// moveFlight moves the flight of a redirected request to the new host. It
// closes the redirect response first, which holds a seat until then.
func moveFlight(req *http.Request) error {
	f, ok := req.Context().Value(flightKey{}).(*flight)
	if !ok || f.client.seats == nil {
		return nil
	}
	f.timer.Stop()
	if rest := req.Response.ContentLength; rest >= 0 && rest <= maxSlurp {
		_, _ = io.CopyN(io.Discard, req.Response.Body, rest+1) // so that the connection can be reused
	}
	_ = req.Response.Body.Close() // the rest is not needed
	return f.move(req.URL.Hostname())
}

// traceContext returns the context of the request. It notes when a connection
// is being made, and times each response of a chain of redirects from when
// its request was sent.
func (f *flight) traceContext() context.Context {
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
		WroteRequest: func(httptrace.WroteRequestInfo) { f.startHeaderTimer() },
	})
}

// startHeaderTimer starts the time limit for a header. The response may
// arrive before this is called.
func (f *flight) startHeaderTimer() {
	f.timer.Reset(f.wait)
	if f.arrivedHeader.Load() {
		f.timer.Stop()
	}
}

// stopHeaderTimer ends waiting for headers.
func (f *flight) stopHeaderTimer() {
	f.arrivedHeader.Store(true)
	f.timer.Stop()
}

// start waits for a seat at the host and for a place. A request whose
// response may be held by the origin waits among its kind until the response
// begins.
func (f *flight) start(host string) error {
	if err := f.takeSeat(host); err != nil {
		return err
	}
	if f.held {
		return f.enter(f.client.holding)
	}
	return f.enter(f.client.reading)
}

// read waits for a place among the requests whose responses are read, unless
// the request has one.
func (f *flight) read() error {
	if f.in == f.client.reading {
		return nil
	}
	f.in.leave(f.host)
	f.in = nil
	return f.enter(f.client.reading)
}

// takeSeat waits for a seat at a host, if seats are limited. It must be
// called without any other place, so that requests cannot wait for each other
// in a circle.
func (f *flight) takeSeat(host string) error {
	if f.client.seats == nil {
		return nil
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if !f.queue(func(ctx context.Context) bool { return f.client.seats.enter(ctx, host) }) {
		return f.noPlace()
	}
	f.seat = host
	return nil
}

// leaveSeat frees the seat.
func (f *flight) leaveSeat() {
	if f.seat != "" {
		f.client.seats.leave(f.seat)
		f.seat = ""
	}
}

// move frees all places and waits for those at another host.
func (f *flight) move(host string) error {
	if f.client.seats == nil || f.seat == host {
		return nil
	}
	g := f.in
	g.leave(f.host)
	f.in = nil
	f.leaveSeat()
	if err := f.takeSeat(host); err != nil {
		return err
	}
	return f.enter(g)
}

func (f *flight) enter(g *gate) error {
	if f.queue(func(ctx context.Context) bool { return g.enter(ctx, f.host) }) {
		f.in = g
		return nil
	}
	return f.noPlace()
}

// noPlace returns why there was no place: the caller's context ended, or it
// took too long.
func (f *flight) noPlace() error {
	if err := f.outer.Err(); err != nil {
		return err
	}
	return ErrBusy
}

// end frees everything that the request holds. It may be called twice.
func (f *flight) end() {
	f.once.Do(func() {
		f.clock.stop()
		f.cancel()
		if f.in != nil {
			f.in.leave(f.host)
		}
		f.leaveSeat()
	})
}

// answer converts a raw response to a Response, or returns the reason why it
// is not valid.
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
		Waited: f.clock.waited,
		Body:   &responseBody{flight: f, raw: res.Body, r: unpacked, first: req.First > 0},
	}, nil
}

// checkStatus refuses statuses without a usable body.
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

// responseBody is the body of a Response.
type responseBody struct {
	flight *flight
	raw    io.Closer
	r      io.Reader
	first  bool  // the limit is where the body ends
	err    error // what ended the body; further reads repeat it
}

func (b *responseBody) Read(p []byte) (int, error) {
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

func (b *responseBody) Close() error {
	err := b.raw.Close()
	b.flight.end()
	return err
}

// failure converts err to a fault of this package, or to the error of the
// caller's context if that was canceled.
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
		return ErrTimeout.Because(plain(err))
	}
	if f.connecting.Load() {
		return ErrUnreachable.Because(plain(err))
	}
	return ErrOrigin.Because(plain(err))
}

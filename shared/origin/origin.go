// Package origin makes HTTP requests to addresses that the service did not
// choose.
//
// Addresses come from sources and users. Requests go to public addresses
// only: the address is checked when it is dialled, after DNS, and again after
// each redirect. Requests are bounded in bytes, time and redirects, and carry
// nothing from the environment, no cookies of other requests and no
// credentials.
package origin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"miramundo.dev/shared/fault"
)

// Faults of a request. Each is returned with its cause; ErrAccess and
// ErrOrigin have the field "upstream_status" when there was a response.
var (
	ErrRefused     = fault.New(fault.Unprocessable, "origin_refused")   // the address, or one that it redirects to, is not allowed
	ErrUnreachable = fault.New(fault.Unavailable, "origin_unreachable") // no connection: unknown name, no server, or no agreement on TLS
	ErrAccess      = fault.New(fault.BadGateway, "origin_access")       // the origin answered 401 or 403
	ErrOrigin      = fault.New(fault.BadGateway, "origin_failed")       // the origin was reached, but its response was not valid
	ErrLimit       = fault.New(fault.BadGateway, "origin_limit")        // the response is larger than allowed
	ErrRedirects   = fault.New(fault.BadGateway, "origin_redirects")    // the origin redirected more often than is followed
	ErrTimeout     = fault.New(fault.Unavailable, "origin_timeout")     // the response was not complete in time
	ErrBusy        = fault.New(fault.Unavailable, "origin_busy")        // too many requests are in progress
)

// Bounds of every request.
const (
	MaxURL       = 4500     // bytes of an address; the longest in real lists takes 3,248
	maxHost      = 253      // bytes of a host name, as in DNS
	maxRedirects = 3        // in one request
	maxHeader    = 16 << 10 // bytes of the response headers, informational responses included
	maxSlurp     = 2 << 10  // bytes of a redirect response that are read so that its connection can be reused
	hostConns    = 8        // connections to one host
	holdFactor   = 4        // requests that may wait for a held response, as a multiple of MaxInFlight
)

// Options are the settings of a client. Every zero value has a meaning.
type Options struct {
	UserAgent   string        // empty names the service
	MaxBytes    int64         // of a body, unless the request sets it; 0 is 512 KiB
	Timeout     time.Duration // of a request with its body, unless the request sets it; 0 is 8 s
	Header      time.Duration // until the response headers are complete; 0 is 8 s
	MaxInFlight int           // requests at a time, at most a quarter of them to one host; 0 is 64

	// PerHost is how many requests at a time go to one host, on any port,
	// each from when it is sent until its body is closed. A redirect frees
	// the seat at its host before it waits for one at the next. 0 leaves only
	// the limit of a quarter.
	PerHost int

	// Shoutcast accepts responses that begin with "ICY 200 OK", as those of
	// old radio servers do.
	Shoutcast bool

	// Allow lists addresses as "host:port", exactly as in URLs, that are
	// always allowed. It is for local stacks.
	Allow []string

	// Deny lists hosts that are never allowed: the service's own, so that a
	// source cannot make it call itself.
	Deny []string

	Resolver *net.Resolver // nil is Go's own resolver

	// Wrap returns a transport that sees each request, redirects too, before next sends
	// it, such as to trace it. Nil leaves next as it is.
	Wrap func(next http.RoundTripper) http.RoundTripper
}

// A Client makes guarded requests. Its methods may be called concurrently.
type Client struct {
	opts  Options
	guard *guard
	http  http.Client // without a cookie jar; each request has its own

	reading *gate   // for requests whose responses are read
	holding *gate   // for requests that may wait long for their response
	seats   *shares // for each host, when Options.PerHost is set; taken before a place at a gate
}

// A Request is a GET request.
type Request struct {
	URL    string
	Header http.Header // more headers; those that would weaken the guard are ignored

	MaxBytes int64         // of the decompressed body; 0 is the client's
	First    int64         // read at most this many bytes and then end the body without error; 0 reads up to MaxBytes
	Timeout  time.Duration // with the body; 0 is the client's

	// Wait is how long the response headers may take from when the request is
	// sent; 0 is the client's. A request that sets it waits among its kind for a
	// place, since the origin may hold its response.
	Wait time.Duration

	// Queue is how long the request may wait for seats, at first and at each
	// redirect, in addition to Timeout; 0 is four times Timeout. It has no
	// effect without the client's PerHost: waiting is then part of Timeout.
	Queue  time.Duration
	Queued func(time.Duration) // called after each wait with its duration, before Open returns; may be nil

	IfNoneMatch     string // the ETag of the known body; may be empty
	IfModifiedSince string // the Last-Modified of the known body; may be empty
}

// A Response is a successful response, or 304 for a conditional request.
type Response struct {
	Status int
	Header http.Header
	URL    string        // after redirects
	Length int64         // of the body as sent; -1 when unknown
	Waited time.Duration // time spent waiting for seats

	// Body is decompressed and bounded in bytes and time. Its errors are
	// faults of this package. It must be closed.
	Body io.ReadCloser
}

// New returns a client.
func New(opts Options) *Client {
	opts.UserAgent = cmp.Or(opts.UserAgent, "Miramundo/1.0 (+https://miramundo.dev)")
	opts.MaxBytes = cmp.Or(opts.MaxBytes, 512<<10)
	opts.Timeout = cmp.Or(opts.Timeout, 8*time.Second)
	opts.Header = cmp.Or(opts.Header, 8*time.Second)
	opts.MaxInFlight = cmp.Or(opts.MaxInFlight, 64)
	opts.Resolver = cmp.Or(opts.Resolver, &net.Resolver{PreferGo: true})
	c := &Client{
		opts: opts, guard: newGuard(opts),
		reading: newGate(opts.MaxInFlight), holding: newGate(holdFactor * opts.MaxInFlight),
	}
	if opts.PerHost > 0 {
		c.seats = newShares(opts.PerHost)
	}
	dial := c.guard.dial
	if opts.Shoutcast {
		dial = shoutcast(dial)
	}
	c.http = http.Client{
		CheckRedirect: c.redirect,
		Transport: &http.Transport{
			Proxy:                  nil, // not from the environment
			DialContext:            dial,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // decompressed here, within bounds
			TLSHandshakeTimeout:    4 * time.Second,
			MaxResponseHeaderBytes: maxHeader,
			MaxConnsPerHost:        hostConns,
			MaxIdleConns:           256,
			MaxIdleConnsPerHost:    hostConns, // a playlist is requested again within seconds
			IdleConnTimeout:        30 * time.Second,
		},
	}
	if opts.Wrap != nil {
		c.http.Transport = opts.Wrap(c.http.Transport)
	}
	return c
}

// Fetch makes a request and returns the response with its whole body.
func (c *Client) Fetch(ctx context.Context, req Request) (*Response, []byte, error) {
	res, err := c.Open(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	data, err := res.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	return res, data, nil
}

// ReadAll returns the whole body and closes it.
func (r *Response) ReadAll() ([]byte, error) {
	defer r.Body.Close() // reading reports all errors that matter
	var data bytes.Buffer
	if r.Length > 0 { // a larger Content-Length is not trusted
		data.Grow(int(min(r.Length, 512<<10)) + bytes.MinRead)
	}
	if _, err := data.ReadFrom(r.Body); err != nil {
		return nil, err
	}
	return data.Bytes(), nil
}

// Open makes a request and returns the response once its headers are
// complete. Canceling ctx cancels reading the body too.
func (c *Client) Open(ctx context.Context, req Request) (*Response, error) {
	u, err := c.guard.check(req.URL)
	if err != nil {
		return nil, err
	}
	f := &flight{client: c, host: u.Host, outer: ctx, held: req.Wait > 0, wait: cmp.Or(req.Wait, c.opts.Header)}
	f.limit(cmp.Or(req.Timeout, c.opts.Timeout), req)
	if err := f.start(u.Hostname()); err != nil {
		f.end()
		return nil, err
	}
	r := (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: c.header(req)}).WithContext(f.traceContext())
	once := c.http
	once.Jar = &jar{}
	res, err := once.Do(r)
	f.stopHeaderTimer()
	if err != nil {
		defer f.end()
		return nil, f.failure(err)
	}
	answer, err := f.answer(res, req)
	if err != nil {
		res.Body.Close() // err already says what failed
		f.end()
		return nil, err
	}
	return answer, nil
}

// header returns the headers of a request. The client's own take precedence.
func (c *Client) header(req Request) http.Header {
	h := req.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	for _, name := range guarded {
		h.Del(name)
	}
	if h.Get("User-Agent") == "" {
		h.Set("User-Agent", c.opts.UserAgent)
	}
	h.Set("Accept-Encoding", "gzip, br, deflate")
	for name, value := range map[string]string{"If-None-Match": req.IfNoneMatch, "If-Modified-Since": req.IfModifiedSince} {
		if value != "" {
			h.Set(name, value)
		}
	}
	return h
}

// guarded are the headers that a caller cannot set.
var guarded = []string{
	"Host", "Connection", "Proxy-Authorization", "Proxy-Connection", "Authorization", "Cookie",
	"Content-Length", "Transfer-Encoding", "Te", "Trailer", "Upgrade", "Expect", "Accept-Encoding",
}

// redirect checks the target of a redirect. To another host it sends none of
// the caller's headers except Via, by which services detect loops of
// requests.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return ErrRedirects.Because(fmt.Errorf("more than %d", maxRedirects))
	}
	u, err := c.guard.check(redirectTarget(req, via[len(via)-1].URL))
	if err != nil {
		return err
	}
	*req.URL = *u
	if err := moveFlight(req); err != nil {
		return err
	}
	first := via[0]
	if u.Host == first.URL.Host {
		return nil
	}
	req.Header = http.Header{
		"User-Agent":      {c.opts.UserAgent},
		"Accept-Encoding": first.Header["Accept-Encoding"],
	}
	if passed := first.Header["Via"]; passed != nil {
		req.Header["Via"] = passed
	}
	return nil
}

// redirectTarget returns the target of a redirect response from last, byte
// for byte as the origin wrote it; package url would normalize it.
func redirectTarget(req *http.Request, last *url.URL) string {
	location := req.Response.Header.Get("Location")
	if isAbsolute(location) {
		return location
	}
	if to, err := last.Parse(encode(location)); err == nil {
		return to.String()
	}
	return req.URL.String()
}

// isAbsolute reports whether an address begins with http:// or https://.
func isAbsolute(address string) bool {
	scheme, _, ok := strings.Cut(address, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// Package origin knows which requests may leave the service for an address
// that it did not choose.
//
// Addresses come from sources and users. A request goes to public addresses
// only, checked on the address that is really dialled, and again after each
// redirect. It is bounded in bytes, time and redirects. Nothing of the
// environment, no cookie and no credential goes with it.
package origin

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"miramundo.dev/shared/fault"
)

// Faults of a request. Each is returned with its cause; ErrAccess and
// ErrOrigin have the field "upstream_status" when there was an answer.
var (
	ErrRefused     = fault.New(fault.Unprocessable, "origin_refused")   // the address, or one it redirects to, may not be asked
	ErrUnreachable = fault.New(fault.Unavailable, "origin_unreachable") // no connection: no such name, nobody there, no agreement on TLS
	ErrAccess      = fault.New(fault.BadGateway, "origin_access")       // the origin answered 401 or 403
	ErrOrigin      = fault.New(fault.BadGateway, "origin_failed")       // the origin was reached, but did not answer as it should
	ErrLimit       = fault.New(fault.BadGateway, "origin_limit")        // the answer is larger than allowed
	ErrTimeout     = fault.New(fault.Unavailable, "origin_timeout")     // the answer was not complete in time
	ErrBusy        = fault.New(fault.Unavailable, "origin_busy")        // too many requests are under way
)

// Bounds that hold for every request.
const (
	MaxURL       = 4500     // bytes of an address; the longest in real lists takes 3,248
	maxHost      = 253      // bytes of a host name, as in DNS
	maxRedirects = 3        // after which the answer must come
	maxHeader    = 16 << 10 // bytes of an answer's header, those of informational answers included
	maxSlurp     = 2 << 10  // bytes of an answer that redirects which are read, so that its connection can be used again
	hostConns    = 8        // connections to one host
	holdFactor   = 4        // as many requests may be held back by origins as are under way else
)

// Options are the settings of a client. The zero value of each has a meaning.
type Options struct {
	UserAgent   string        // says who asks; the zero names the service
	MaxBytes    int64         // of a body, unless the request says otherwise; the zero is 512 KiB
	Timeout     time.Duration // of a request with its body, likewise; the zero is 8 s
	Header      time.Duration // until the answer's header is complete; the zero is 6 s
	MaxInFlight int           // requests at a time, a quarter of them to one host; the zero is 64

	// PerHost is how many requests at a time go to one host, whatever its
	// ports, each from when it is sent until its body is closed. A redirect
	// gives up the place at its host before it waits for one at the next. The
	// zero leaves it at the quarter.
	PerHost int

	// Shoutcast accepts answers that begin with "ICY 200 OK", as those of old
	// radio servers do.
	Shoutcast bool

	// Allow lists addresses as "host:port", exactly as they stand in URLs,
	// that may be asked whatever they are. It is for local stacks.
	Allow []string

	// Deny lists hosts that are never asked: the service's own, so that a
	// source cannot make it call itself.
	Deny []string

	Resolver *net.Resolver // finds addresses; the zero is Go's own
}

// A Client makes guarded requests. Its methods may be called concurrently.
type Client struct {
	opts  Options
	guard *guard
	http  http.Client // without a jar, which each request has of its own

	reading *gate   // of requests whose answers are read, or will be at once
	holding *gate   // of requests that wait for longer for their answers to begin
	seats   *shares // of each host, when Options.PerHost says how many; taken before a place at a gate
}

// A Request asks for one address with GET.
type Request struct {
	URL    string
	Header http.Header // further headers; those that would change the guard are ignored

	MaxBytes int64         // of the body, unpacked; the zero is the client's
	First    int64         // takes only so many bytes of a body, however long it is; the zero takes all, up to MaxBytes
	Timeout  time.Duration // with the body; the zero is the client's
	Wait     time.Duration // until the answer's header is complete, from when the request is sent; the zero is the client's

	// Queue is how long the request may wait for places, at first and wherever
	// it is redirected, besides its Timeout; the zero is four times that. It
	// has no meaning without the client's PerHost: then all is part of Timeout.
	Queue  time.Duration
	Queued func(time.Duration) // is told after each wait how long it was, before Open returns; may be nil

	IfNoneMatch     string // the ETag of what is known; empty for none
	IfModifiedSince string // the Last-Modified of what is known; empty for none
}

// A Response is an answer with a good status, or 304 when the request was
// conditional.
type Response struct {
	Status int
	Header http.Header
	URL    string        // after redirects
	Length int64         // of the body as it travels; -1 when unknown
	Waited time.Duration // for places at hosts, which is no time of the origin's

	// Body is unpacked and bounded in bytes and time; its errors are faults of
	// this package. It must be closed.
	Body io.ReadCloser
}

// New returns a client.
func New(opts Options) *Client {
	opts.UserAgent = cmp.Or(opts.UserAgent, "Miramundo/1.0 (+https://miramundo.dev)")
	opts.MaxBytes = cmp.Or(opts.MaxBytes, 512<<10)
	opts.Timeout = cmp.Or(opts.Timeout, 8*time.Second)
	opts.Header = cmp.Or(opts.Header, 6*time.Second)
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
			DisableCompression:     true, // unpacked here, within bounds
			TLSHandshakeTimeout:    4 * time.Second,
			MaxResponseHeaderBytes: maxHeader,
			MaxConnsPerHost:        hostConns,
			MaxIdleConns:           256,
			MaxIdleConnsPerHost:    hostConns, // a playlist is asked for again within seconds
			IdleConnTimeout:        30 * time.Second,
		},
	}
	return c
}

// Fetch returns the answer to a request with its whole body.
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

// ReadAll returns the whole body, and closes it.
func (r *Response) ReadAll() ([]byte, error) {
	defer r.Body.Close() // read only: what matters is seen while reading
	var data bytes.Buffer
	if r.Length > 0 { // what it says is not believed for more than a playlist
		data.Grow(int(min(r.Length, 512<<10)) + bytes.MinRead)
	}
	if _, err := data.ReadFrom(r.Body); err != nil {
		return nil, err
	}
	return data.Bytes(), nil
}

// Open returns the answer to a request as soon as its header is there.
func (c *Client) Open(ctx context.Context, req Request) (*Response, error) {
	u, err := c.guard.check(req.URL)
	if err != nil {
		return nil, err
	}
	f := &flight{client: c, host: u.Host, outer: ctx, wait: cmp.Or(req.Wait, c.opts.Header)}
	f.limit(cmp.Or(req.Timeout, c.opts.Timeout), req)
	if err := f.start(u.Hostname()); err != nil {
		f.end()
		return nil, err
	}
	r := (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: c.header(req)}).WithContext(f.traced())
	once := c.http
	once.Jar = &chain{}
	res, err := once.Do(r)
	f.arrived()
	if err != nil {
		defer f.end()
		return nil, f.failure(err)
	}
	answer, err := f.answer(res, req)
	if err != nil {
		res.Body.Close() // the failure is told already
		f.end()
		return nil, err
	}
	return answer, nil
}

// header returns the headers of a request. The client's own win.
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

// guarded are the headers that a caller may not set.
var guarded = []string{
	"Host", "Connection", "Proxy-Authorization", "Proxy-Connection", "Authorization", "Cookie",
	"Content-Length", "Transfer-Encoding", "Te", "Trailer", "Upgrade", "Expect", "Accept-Encoding",
}

// redirect checks where a redirect leads. To another host goes nothing that
// the caller asked to send, but for Via: which services a request has passed
// must stay with it, or a circle of them would never end.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return ErrOrigin.Because(errors.New("too many redirects"))
	}
	u, err := c.guard.check(leadsTo(req, via[len(via)-1].URL))
	if err != nil {
		return err
	}
	*req.URL = *u
	if err := moved(req); err != nil {
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

// leadsTo returns where a redirect leads that an answer from last has, in the
// origin's own words, which package url would not keep.
func leadsTo(req *http.Request, last *url.URL) string {
	location := req.Response.Header.Get("Location")
	if isAbsolute(location) {
		return location
	}
	if to, err := last.Parse(encode(location)); err == nil {
		return to.String()
	}
	return req.URL.String()
}

// isAbsolute reports whether an address begins with a scheme of the web.
func isAbsolute(address string) bool {
	scheme, _, ok := strings.Cut(address, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

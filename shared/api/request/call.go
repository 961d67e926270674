package request

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"runtime/debug"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/trace"
)

// A Call is one request while it is served. It is the context of its handler,
// and the [api.Request] in it. It is not pooled, since a handler may pass its
// context to work that goes on after the answer.
type Call struct {
	context.Context
	Request *http.Request
	Start   time.Time
	Segment string     // that the wildcard of a route of [Exact] matched
	Note    *slog.Attr // logged with the request; nil adds nothing

	w      response
	layer  *layer
	route  *Route // nil when no route matches
	like   *Route // one with the path and another method; nil when route is set or none has the path
	id     string
	cause  error     // of a failure
	end    time.Time // when the answer was finished
	logged cloudlog.Request

	span *trace.Span // nil where nothing is traced

	locale     atomic.Int32 // 1 + the locale; 0 until a handler asks for it
	negotiated atomic.Bool  // a handler has asked which media types the caller accepts
	panicked   bool
	hungUp     bool // the caller did not wait for the answer
}

// Writer returns the writer of the answer. It leaves out the body in answer to
// HEAD.
func (c *Call) Writer() http.ResponseWriter { return &c.w }

// finish recovers from a panic, which becomes an answer when none was begun, and
// counts and logs the call. http.ErrAbortHandler is passed on to the server, which then
// closes the connection.
func (c *Call) finish() {
	p := recover()
	err, _ := p.(error)
	aborted := errors.Is(err, http.ErrAbortHandler)
	if p != nil && !aborted {
		c.panicked = true
		c.fail(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
	c.hungUp = c.hungUp || c.w.lost
	c.end = c.layer.Now()
	if c.span != nil {
		c.span.Answered(c.Status(), c.FaultCode())
	}
	if c.layer.Count != nil {
		c.layer.Count(c)
	}
	c.log()
	if aborted {
		panic(http.ErrAbortHandler)
	}
}

// Value returns the call itself, the trace of the request, or a value of the
// request's context.
func (c *Call) Value(key any) any {
	switch key {
	case api.RequestKey:
		return c
	case cloudlog.Trace:
		return c.Request.Header.Get("Traceparent")
	}
	return c.Context.Value(key)
}

// ID returns the id under which the log records this request.
func (c *Call) ID() string {
	if c.id == "" {
		c.id = newID()
	}
	return c.id
}

// newID returns a random id.
func newID() string {
	const digits = "0123456789abcdef"
	var b [16]byte
	for i, n := 0, rand.Uint64(); i < len(b); i, n = i+1, n>>4 {
		b[i] = digits[n&15]
	}
	return string(b[:])
}

// Credentials returns the credentials that the request shows.
func (c *Call) Credentials() identity.Credentials { return credential.Of(c.Request.Header) }

// Browser returns what the request shows of the page that sent it.
func (c *Call) Browser() identity.Browser { return credential.BrowserOf(c.Request.Header) }

// Addr returns the network address of the caller (see [api.AddrOf]). A request without the
// header of the trusted edge is logged: its caller would be taken for the edge, and all
// such callers for one network, which shares one allowance of everything.
func (c *Call) Addr() netip.Addr {
	told := last(c.Request.Header, c.layer.AddressHeader)
	if told == "" && c.layer.AddressHeader != "" {
		c.layer.unaddressed.Add(c.layer.AddressHeader)
	}
	return identity.AddrOf(c.Request.RemoteAddr, told)
}

// UserAgent returns the User-Agent of the request as it was sent.
func (c *Call) UserAgent() string { return c.Request.UserAgent() }

// Country returns the country of the caller (see [api.CountryOf]). Edges send
// "ZZ" or "XX" for a country that they do not know, and "T1" for a network
// without countries: these are not countries.
func (c *Call) Country() string {
	return Country(last(c.Request.Header, c.layer.CountryHeader))
}

// Country returns the country that an edge sent in a header, as [Call.Country]
// does.
func Country(code string) string {
	if len(code) != 2 || !isUpper(code[0]) || !isUpper(code[1]) || code == "ZZ" || code == "XX" {
		return ""
	}
	return code
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// last returns the last value of the header of a trusted edge: an edge that adds
// its own leaves those before it, which callers may have sent. It is empty when
// no edge is trusted, and name is empty. The name is in canonical form.
func last(h http.Header, name string) string {
	if name == "" {
		return ""
	}
	values := h[name]
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// AcceptLanguage returns the Accept-Language header of the request as it was
// sent.
func (c *Call) AcceptLanguage() string {
	c.Locale()
	return c.Request.Header.Get("Accept-Language")
}

// Accept returns the Accept header of the request as it was sent.
func (c *Call) Accept() string {
	c.negotiated.Store(true)
	return c.Request.Header.Get("Accept")
}

// CheckToken compares a token with the operator's (see [api.Gate.CheckToken]).
func (c *Call) CheckToken(name, token string) error {
	gate := api.Gate{Tokens: c.layer.Tokens, Guesses: c.layer.Guesses}
	return gate.CheckToken(name, token, c)
}

// Locale returns the locale of the caller (see [api.LocaleOf]).
func (c *Call) Locale() i18n.Locale {
	if l := c.locale.Load(); l > 0 {
		return i18n.Locale(l - 1)
	}
	l, ok := i18n.PT, false
	if c.route != nil && c.route.Lang {
		l, ok = i18n.Find(input.Query(c.Request.URL.RawQuery, "lang"))
	}
	if !ok {
		l = i18n.Match(c.Request.Header.Get("Accept-Language"))
	}
	c.locale.Store(int32(l) + 1)
	return l
}

// A response is the writer of one call. It remembers what was answered, and
// answers HEAD with the headers alone.
type response struct {
	http.ResponseWriter
	call   *Call
	bytes  int64
	status int32 // 0 before the header is written
	lost   bool  // a write failed: the caller hung up
}

// Localized reports whether the answer depends on the caller's language.
func (w *response) Localized() bool { return w.call.locale.Load() > 0 }

// Negotiated reports whether the answer depends on the media types that the caller
// accepts.
func (w *response) Negotiated() bool { return w.call.negotiated.Load() }

// WriteHeader writes the header, once.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= 200 || status == http.StatusSwitchingProtocols {
		w.status = int32(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes to the body, but not in answer to HEAD.
func (w *response) Write(data []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.call.Request.Method == http.MethodHead {
		return len(data), nil
	}
	n, err := w.ResponseWriter.Write(data)
	w.bytes += int64(n)
	w.lost = w.lost || isLost(err)
	return n, err
}

// Unwrap returns the server's writer, for [http.ResponseController].
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

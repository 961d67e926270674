package api

import (
	"context"
	"net/http"
	"net/netip"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
)

// A call is one request while it is served: the context that its handler gets,
// and what the log tells of it afterwards. It is not pooled, since a handler
// may leave its context with what goes on without it.
type call struct {
	context.Context
	r       *http.Request
	w       response
	service *service
	route   *route // nil when the path is nobody's
	start   time.Time
	id      string
	locale  atomic.Int32 // 1 + the locale; 0 when nobody asked for it
	cause   error        // of a failure
	logged  cloudlog.Request
}

type callKey struct{}

// Value returns the call itself, the trace of the request, or what the
// request's context has.
func (c *call) Value(key any) any {
	switch key {
	case callKey{}:
		return c
	case cloudlog.Trace:
		return c.r.Header.Get("Traceparent")
	}
	return c.Context.Value(key)
}

// decode fills v, a copy of the endpoint's preset, from the request. A body that
// was read whole has no time limit any more: the server listens on, to tell the
// handler when the caller goes away.
func (c *call) decode(v reflect.Value) error {
	e := &c.route.endpoint
	err := e.plan.Decode(c.r, v, e.MaxBody)
	if err == nil && e.plan.Body {
		c.limitBody(time.Time{})
	}
	return err
}

// limitBody sets when the rest of the request body must have arrived, if there
// is one: a body that drips holds a connection, even one that nobody reads,
// since the server reads what is left of it. The server of a function has no
// timeout of its own. Writers without deadlines are those of tests.
func (c *call) limitBody(deadline time.Time) {
	if c.r.Body != nil && c.r.Body != http.NoBody {
		_ = http.NewResponseController(c.w.ResponseWriter).SetReadDeadline(deadline)
	}
}

// bodyTimeout is how long a request body may take to arrive.
const bodyTimeout = 15 * time.Second

// language returns the locale that the caller reads: of the parameter lang
// when the endpoint has it and it names one, else of Accept-Language.
func (c *call) language() i18n.Locale {
	if l := c.locale.Load(); l > 0 {
		return i18n.Locale(l - 1)
	}
	l, ok := i18n.PT, false
	if c.route != nil && c.route.endpoint.plan.Has("lang") {
		l, ok = i18n.Find(input.Query(c.r.URL.RawQuery, "lang"))
	}
	if !ok {
		l = i18n.Match(c.r.Header.Get("Accept-Language"))
	}
	c.locale.Store(int32(l) + 1)
	return l
}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// LocaleOf returns the locale of the caller: that of the parameter lang when
// the endpoint has one and the caller names a locale in it, else that of
// Accept-Language, else the default. An answer whose handler asked says so in
// Vary.
func LocaleOf(ctx context.Context) i18n.Locale {
	if c := callOf(ctx); c != nil {
		return c.language()
	}
	return i18n.PT
}

// AcceptLanguageOf returns the Accept-Language header of the request, whatever
// it holds; empty outside of one. The answer says in Vary that it was asked for.
func AcceptLanguageOf(ctx context.Context) string {
	c := callOf(ctx)
	if c == nil {
		return ""
	}
	c.language()
	return c.r.Header.Get("Accept-Language")
}

// RequestIDOf returns the id under which the log tells of this request; empty
// outside of one.
func RequestIDOf(ctx context.Context) string {
	if c := callOf(ctx); c != nil {
		return c.id
	}
	return ""
}

// AddrOf returns the network address of the caller: as the trusted edge told
// it, or that of the connection where none is trusted. It is zero when it is not
// known, and outside of a request.
func AddrOf(ctx context.Context) netip.Addr {
	c := callOf(ctx)
	if c == nil {
		return netip.Addr{}
	}
	told := ""
	if name := c.service.AddressHeader; name != "" {
		told = strings.Join(c.r.Header.Values(name), ",")
	}
	return identity.AddrOf(c.r.RemoteAddr, told)
}

// UserAgentOf returns the User-Agent of the request, whatever it holds; empty
// outside of one.
func UserAgentOf(ctx context.Context) string {
	if c := callOf(ctx); c != nil {
		return c.r.UserAgent()
	}
	return ""
}

// CountryOf returns the country that the edge saw the caller in, ISO 3166-1
// alpha-2; empty when there is no trusted edge or it did not say. "ZZ" and
// "XX" are how edges say that they do not know, "T1" is a network without
// countries.
func CountryOf(ctx context.Context) string {
	c := callOf(ctx)
	if c == nil || c.service.CountryHeader == "" {
		return ""
	}
	return Country(last(c.r.Header, c.service.CountryHeader))
}

// last returns the last value of a header: an edge that adds its own leaves
// those before it, which callers may have sent.
func last(h http.Header, name string) string {
	values := h.Values(name)
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// Country returns the country that an edge told in a header, as CountryOf does.
func Country(code string) string {
	if len(code) != 2 || !isUpper(code[0]) || !isUpper(code[1]) || code == "ZZ" || code == "XX" {
		return ""
	}
	return code
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// A response is the writer of one call. It remembers what was answered, and
// answers HEAD with the headers alone.
type response struct {
	http.ResponseWriter
	call   *call
	status int // 0 before the header is written
	bytes  int64
}

// WriteHeader writes the header, once.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= 200 || status == http.StatusSwitchingProtocols {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes to the body, but not in answer to HEAD.
func (w *response) Write(data []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.call.r.Method == http.MethodHead {
		return len(data), nil
	}
	n, err := w.ResponseWriter.Write(data)
	w.bytes += int64(n)
	return n, err
}

// Unwrap returns the server's writer, for [http.ResponseController].
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

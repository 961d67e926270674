package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

// Options are what every endpoint of a handler shares.
type Options struct {
	Log           *slog.Logger      // nil logs nothing
	Tokens        map[string]string // of the operator, by the names that [Endpoint.Credential] says
	CountryHeader string            // in which a trusted edge tells the caller's country; empty trusts none
	AddressHeader string            // in which a trusted edge tells the caller's address, alone; empty trusts none
	Auth          Authenticator     // nil answers auth_unavailable where one is needed
	Now           func() time.Time  // nil is time.Now

	// FaultPage returns the page that tells a person of f in place of JSON: to
	// browsers that ask for an endpoint with Page or for none at all. Nil, and a
	// nil page, leave it at JSON.
	FaultPage func(r *http.Request, status int, f *fault.Error) Reply
}

// An Authenticator knows who calls.
type Authenticator interface {
	// Authenticate returns ctx with the caller of r, who holds a credential of
	// the class, Guest or Session, or a fault.
	Authenticate(ctx context.Context, r *http.Request, class Auth) (context.Context, error)
}

// A Group is endpoints and the server that answers for them.
type Group struct {
	Server    any
	Endpoints []Endpoint
	Log       *slog.Logger // of the requests to these endpoints; nil: that of the options
}

// Handler serves the endpoints of one group with the group's server.
func Handler(o Options, server any, table []Endpoint) http.Handler {
	return Mux(o, Group{Server: server, Endpoints: table})
}

// Mux serves the endpoints of several groups behind one address.
func Mux(o Options, groups ...Group) http.Handler {
	s := &service{Options: o, mux: http.NewServeMux()}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	for _, g := range groups {
		for _, e := range g.Endpoints {
			s.mux.Handle(e.Pattern(), newRoute(s, g, e))
			s.note(e.Method)
		}
	}
	s.catchAll(groups)
	return s
}

// catchAll gives us what is no endpoint's. A path with a slash at its end that
// lacks it is ours too: http.ServeMux would redirect it, in HTML.
func (s *service) catchAll(groups []Group) {
	patterns := map[string]bool{"/": true}
	for _, g := range groups {
		for _, e := range g.Endpoints {
			if path, ok := strings.CutSuffix(e.Path, "/{$}"); ok && path != "" {
				patterns[e.Method+" "+path] = true
			}
		}
	}
	for pattern := range patterns {
		s.mux.Handle(pattern, &route{service: s})
	}
}

// A service is the root of a handler.
type service struct {
	Options
	mux     *http.ServeMux
	methods []string // of the table, in their order
}

func (s *service) note(method string) {
	if !slices.Contains(s.methods, method) {
		s.methods = append(s.methods, method)
	}
	if method == http.MethodGet {
		s.note(http.MethodHead)
	}
}

// ServeHTTP dispatches r. A path that http.ServeMux would clean, with an HTML
// redirect, is nobody's.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isClean(r.URL.EscapedPath()) {
		s.mux.ServeHTTP(w, r)
		return
	}
	(&route{service: s}).ServeHTTP(w, r)
}

func isClean(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.Contains(path, "//") &&
		!strings.Contains(path, "/./") && !strings.Contains(path, "/../") &&
		!strings.HasSuffix(path, "/.") && !strings.HasSuffix(path, "/..")
}

// A route serves one endpoint, or all that is no endpoint's when endpoint has
// no method. It is the only place that turns an error into an answer, and the
// only one that logs a request.
type route struct {
	service  *service
	server   any
	log      *slog.Logger // nil: that of the service
	endpoint Endpoint
	cache    []string // headers that are the same in each answer
	expose   []string
	token    [sha256.Size]byte // of the operator, hashed
	hasToken bool
}

func newRoute(s *service, g Group, e Endpoint) *route {
	rt := &route{service: s, server: g.Server, log: g.Log, endpoint: e, cache: []string{string(e.Cache)}}
	if len(e.Expose) > 0 {
		rt.expose = []string{strings.Join(e.Expose, ", ")}
	}
	if token := s.Tokens[e.Credential]; e.Credential != "" && token != "" {
		rt.token, rt.hasToken = sha256.Sum256([]byte(token)), true
	}
	return rt
}

// ServeHTTP answers one request, whatever happens.
func (rt *route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := rt.service
	c := &call{Context: r.Context(), r: r, service: s, start: s.Now(), id: newID()}
	c.w = response{ResponseWriter: w, call: c}
	defer c.finish()
	c.limitBody(time.Now().Add(bodyTimeout))
	h := w.Header()
	h["X-Content-Type-Options"] = nosniff
	h["X-Request-Id"] = []string{c.id}
	if rt.endpoint.Method == "" {
		c.unmatched()
		return
	}
	c.route = rt
	rt.share(h)
	out, err := rt.result(c)
	if err == nil {
		err = c.send(out)
	}
	if err != nil {
		c.fail(err)
	}
}

// newID returns an id that tells requests apart in the log.
func newID() string {
	const digits = "0123456789abcdef"
	var b [16]byte
	for i, n := 0, rand.Uint64(); i < len(b); i, n = i+1, n>>4 {
		b[i] = digits[n&15]
	}
	return string(b[:])
}

// share sets the headers that are the same in each answer of the endpoint.
func (rt *route) share(h http.Header) {
	h["Cache-Control"] = rt.cache
	if !rt.endpoint.crossOrigin() {
		return
	}
	h["Access-Control-Allow-Origin"] = anyOrigin
	if rt.expose != nil {
		h["Access-Control-Expose-Headers"] = rt.expose
	}
}

// crossOrigin reports whether scripts of any origin may call e, without
// credentials of the browser: what acts on the account cookie they may not,
// and the operator's tools are no scripts of pages.
func (e *Endpoint) crossOrigin() bool {
	return !e.SameOrigin && !e.Page && (e.Auth == None || e.Auth == Guest)
}

// result calls the handler, for a caller who may.
func (rt *route) result(c *call) (any, error) {
	e := &rt.endpoint
	switch e.Auth {
	case None:
		if e.Speaker {
			c.listen()
		}
	case Operator:
		if err := rt.checkToken(c.r); err != nil {
			return nil, err
		}
	case Guest, Session:
		if c.service.Auth == nil {
			return nil, identity.ErrNoKey
		}
		ctx, err := c.service.Auth.Authenticate(c.Context, c.r, e.Auth)
		if err != nil {
			return nil, err
		}
		c.Context = ctx
	}
	return e.serve(rt.server, c)
}

// listen takes the caller's credential where one is welcome and none is asked
// for: a bad one is as if it were not there.
func (c *call) listen() {
	if c.service.Auth == nil {
		return
	}
	if ctx, err := c.service.Auth.Authenticate(c.Context, c.r, Guest); err == nil {
		c.Context = ctx
	}
}

// checkToken compares the bearer token of r in constant time.
func (rt *route) checkToken(r *http.Request) error {
	if !rt.hasToken {
		return ErrNoOperatorToken
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], rt.token[:]) != 1 {
		return fault.ErrOperatorToken
	}
	return nil
}

// send answers with the result of the handler.
func (c *call) send(out any) error {
	if t, ok := out.(Tagged); ok {
		if tag := t.ETag(); tag != "" && unchanged(&c.w, c.r, tag) {
			return nil
		}
	}
	if reply, ok := out.(Reply); ok {
		return reply.Reply(&c.w, c.r)
	}
	return encode(&c.w, c.r, c.route.endpoint.Status, out)
}

// finish logs the call. A panic becomes an answer, when none was begun;
// http.ErrAbortHandler goes on to the server, which knows what it means.
func (c *call) finish() {
	p := recover()
	err, _ := p.(error)
	aborted := errors.Is(err, http.ErrAbortHandler)
	if p != nil && !aborted {
		c.fail(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
	c.log()
	if aborted {
		panic(http.ErrAbortHandler)
	}
}

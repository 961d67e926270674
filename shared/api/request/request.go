// Package request answers HTTP requests in one way for every process of the
// service.
//
// A process declares its routes: endpoints of package api ([Mux]), routes of its
// own ([New]), or a few of its own for many requests ([Exact]). Each request becomes a [Call], which goes through these steps
// whatever its route does:
//
//  1. the headers that all answers share, and the id of the request;
//  2. the route, or the answer in its place: a preflight, another method, a
//     missing or surplus slash, an unknown path;
//  3. the route's own part, which answers, or returns an error;
//  4. the fault in that error, or in a panic, as JSON in the caller's language
//     with the status of its kind, or as a page for browsers;
//  5. one record in the log, which holds no address, no query and no secret.
//
// A process that needs routes besides its endpoints, such as one for the
// platform's probes, appends them to those of [Endpoints].
package request

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/trace"
)

// Options are what the routes of a process share.
type Options struct {
	Log           *slog.Logger      // nil logs nothing
	Tokens        map[string]string // of the operator, by the names of [api.Endpoint.Credential]
	CountryHeader string            // in which a trusted edge sends the caller's country; empty trusts none
	AddressHeader string            // in which a trusted edge sends the caller's address, alone; empty trusts none
	Auth          api.Authenticator // nil answers auth_unavailable where a caller must be identified
	Pages         *identity.Pages   // recognizes the writes of pages; nil answers auth_unavailable to a write with a session
	Guesses       *api.Guesses      // limits wrong tokens of the operator; nil has no limit
	Budgets       *budget.Meter     // from which the calls of endpoints are taken; nil has no limits
	Now           func() time.Time  // nil is time.Now

	// Followers keep what the process shows up to date. They are confirmed before
	// each answer, which costs one comparison while they are fresh, and ReadyPath
	// reports those that are behind. Nil is for a process that follows nothing.
	Followers     *overlay.Set
	Always        []Header // of every answer, also where no route matches
	Secure        bool     // browsers are told to use HTTPS alone: for a host that is reached by nothing else
	IDsOfFailures bool     // only failures have ids: for a server that answers thousands of requests a second

	// Count is called once with each finished call, before it is logged. It must be
	// quick, must not allocate in the steady state, and must not keep the call. Nil
	// counts nothing.
	Count func(*Call)

	// Trace records each request. Nil records nothing.
	Trace *trace.Tracer

	// Links is the value of the header Link of pages, of answers of the API, and of
	// answers to addresses that do not exist: it leads a program that has one address
	// of the service to the description of all. Nil sends none.
	Links []string

	// Elsewhere are routes that other processes answer at the same host. Where a request
	// has another method or a slash too many, the answer is as if they were here:
	// whoever balances the load cannot know which process has the path. A request that
	// matches one is answered as one for an unknown path. [Exact] takes none.
	Elsewhere []Route

	// FaultPage returns the page that shows f to a person in place of JSON. It is
	// asked for browsers that request a route with Page, or no route at all. When
	// FaultPage or the page is nil the answer is JSON.
	FaultPage func(r *http.Request, status int, f *fault.Error) api.Reply
}

// A Route answers the requests of one method and path.
type Route struct {
	Method string // GET answers HEAD too
	Path   string // in the syntax of [http.ServeMux]; the log shows it in place of the path of the request
	At     string // the path that is served, where Path begins with a parameter in place of one of its values; empty for Path
	Policy Policy
	Log    *slog.Logger // of the requests to this route; nil is that of the options
	Lang   bool         // the query may name the caller's locale in the parameter lang
	Page   bool         // for people: browsers get faults as pages

	// Serve answers. An error that it returns before it began to answer is
	// answered as a fault; a later one is logged.
	Serve func(*Call) error

	pattern string // Pattern, once for all calls
}

// Pattern returns the method and path of the route, by which it is counted.
func (rt *Route) Pattern() string { return rt.Method + " " + rt.Path }

// served returns the method and path that are served, as [http.ServeMux] takes them.
func (rt *Route) served() string { return rt.Method + " " + cmp.Or(rt.At, rt.Path) }

// Unmatched is the name of the requests that no route matches, where they are counted or
// traced by their routes.
const Unmatched = "unmatched"

// A Policy is the headers that the answers of a route share. It is made once:
// no request computes what does not depend on it.
type Policy struct {
	Headers []Header // of the answers that the route gives
	Shared  []Header // of these, and of answers in their place: to another method, to a preflight

	// Allow is the value of Access-Control-Allow-Headers for preflights. Nil means
	// that scripts of other origins may not call the route.
	Allow []string
}

// A Header is a header of an answer. Answers share the slice of its values:
// nobody may write into it.
type Header struct {
	Name   string // in canonical form
	Values []string
}

func set(h http.Header, list []Header) {
	for i := range list {
		h[list[i].Name] = list[i].Values
	}
}

// Names and values of headers that many answers share.
var (
	nosniff       = []string{"nosniff"}
	noStore       = []string{string(api.NoStore)}
	challenge     = []string{"Bearer"}
	preflightAges = []string{"86400"}

	// strict covers one host and not those below it: the player of plain HTTP media
	// has a host of its own there, which must stay reachable without TLS.
	strict = []string{"max-age=31536000"}
)

// NoIndex keeps an answer out of search engines.
var NoIndex = Header{"X-Robots-Tag", []string{"noindex"}}

// AnyOrigin lets scripts of any origin read an answer.
var AnyOrigin = Header{"Access-Control-Allow-Origin", []string{"*"}}

// A layer serves the routes of a process.
type layer struct {
	Options
	router      router
	methods     []string          // of the routes, in methodOrder
	unaddressed *cloudlog.Repeats // requests without the AddressHeader
}

// A router finds routes.
type router interface {
	// find returns the route of a method and address, or nil.
	find(method, host string, u *url.URL) *Route
}

// newLayer returns the layer of routes and of ReadyPath, and both.
func newLayer(o Options, routes []Route) (*layer, []Route) {
	l := &layer{Options: o}
	if l.Log == nil {
		l.Log = slog.New(slog.DiscardHandler)
	}
	if l.Now == nil {
		l.Now = time.Now
	}
	l.AddressHeader, l.CountryHeader = http.CanonicalHeaderKey(l.AddressHeader), http.CanonicalHeaderKey(l.CountryHeader)
	l.unaddressed = cloudlog.NewRepeats(l.Log, "requests lack the header in which the edge gives the caller's address: their callers count as one network", "header")
	routes = append(slices.Clip(routes), readyRoute(l.Followers, l.Now))
	for i := range routes {
		routes[i].pattern = routes[i].Pattern()
	}
	for _, list := range [][]Route{routes, o.Elsewhere} {
		for _, rt := range list {
			l.note(rt.Method)
		}
	}
	slices.SortFunc(l.methods, func(a, b string) int { return slices.Index(methodOrder, a) - slices.Index(methodOrder, b) })
	return l, routes
}

// methodOrder is the order in which methods are listed, in every process.
var methodOrder = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// note notes a method of a route.
func (l *layer) note(method string) {
	if slices.Contains(l.methods, method) {
		return
	}
	if l.methods = append(l.methods, method); method == http.MethodGet {
		l.methods = append(l.methods, http.MethodHead)
	}
}

// unreachableTime is how long a handler may take while the database cannot be
// reached. A call of the database would wait for twenty seconds, and the caller
// with it, for an answer that does not come; with the second that a check takes
// every answer comes within two. A handler that answers from memory needs less,
// and one that streams for longer takes the context of [Call.Request].
const unreachableTime = 900 * time.Millisecond

// serve answers one request, whatever happens.
func (l *layer) serve(w http.ResponseWriter, r *http.Request, rt *Route, segment string) {
	c := &Call{Context: r.Context(), Request: r, Start: l.Now(), Segment: segment, layer: l}
	c.w = response{ResponseWriter: w, call: c}
	defer c.finish()
	c.limitBody(bodyTimeout)
	h := w.Header()
	h["X-Content-Type-Options"] = nosniff
	set(h, l.Always)
	if l.Secure {
		h["Strict-Transport-Security"] = strict
	}
	if !l.IDsOfFailures {
		h["X-Request-Id"] = []string{c.ID()}
	}
	if l.Trace != nil {
		name := Unmatched
		if rt != nil {
			name = rt.pattern
		}
		c.Context, c.span = l.Trace.Serve(c.Context, r.Header, name, c.ID())
		c.Request = r.WithContext(c.Context) // which handlers of streams take in place of the call
	}
	if rt == nil {
		if l.Links != nil {
			h["Link"] = l.Links
		}
		c.refuse()
		return
	}
	c.route = rt
	set(h, rt.Policy.Shared)
	set(h, rt.Policy.Headers)
	_ = l.Followers.Confirm(c) // the answer comes from memory all the same; ReadyPath reports what is behind
	if l.Followers.Unreachable() {
		ctx, cancel := context.WithTimeout(c.Context, unreachableTime)
		defer cancel()
		c.Context = ctx
	}
	if err := rt.Serve(c); err != nil {
		c.fail(err)
	}
}

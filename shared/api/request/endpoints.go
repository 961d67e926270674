package request

import (
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/input"
)

// A Group is endpoints with the server that answers for them.
type Group struct {
	Server    any
	Endpoints []api.Endpoint
	Log       *slog.Logger // of the requests to these endpoints; nil is that of the options
}

// Handler serves the endpoints of one group with the group's server.
func Handler(o Options, server any, table []api.Endpoint) http.Handler {
	return Mux(o, Group{Server: server, Endpoints: table})
}

// Mux serves the endpoints of several groups behind one address.
func Mux(o Options, groups ...Group) http.Handler { return New(o, Endpoints(o, groups...)) }

// Endpoints returns the routes of the endpoints of groups, in their order.
func Endpoints(o Options, groups ...Group) []Route {
	gate := &api.Gate{Auth: o.Auth, Pages: o.Pages, Tokens: o.Tokens, Guesses: o.Guesses, Budgets: o.Budgets}
	var routes []Route
	for _, g := range groups {
		for _, e := range g.Endpoints {
			routes = append(routes, routesOf(gate, &g, &e, o.Links)...)
		}
	}
	return routes
}

// allowedHeaders are the request headers that scripts of other origins may send
// to endpoints.
var allowedHeaders = []string{"Accept-Language, Authorization, Content-Type, If-None-Match, X-Api-Key, X-Credito, X-Guest-Token, X-PAYMENT, PAYMENT-SIGNATURE, X-Takedown-Secret"}

// routesOf returns a route for each path of e.
func routesOf(gate *api.Gate, g *Group, e *api.Endpoint, links []string) []Route {
	rt := routeOf(gate, g, e, links)
	first := e.First()
	if first == nil {
		return []Route{rt}
	}
	var routes []Route
	for i, path := range e.Paths() {
		one := rt
		one.At, one.Serve = path, func(c *Call) error {
			c.Request.SetPathValue(first.Name, first.Enum[i])
			return rt.Serve(c)
		}
		routes = append(routes, one)
	}
	return routes
}

func routeOf(gate *api.Gate, g *Group, e *api.Endpoint, links []string) Route {
	return Route{
		Method: e.Method, Path: e.Path, Policy: policyOf(e, links), Log: g.Log, Lang: e.HasQuery("lang"), Page: e.Page,
		Serve: func(c *Call) error {
			ctx, err := gate.Admit(c.Context, e, c)
			if err != nil {
				return err
			}
			c.Context = ctx
			result, err := e.Run(c, g.Server, c)
			if err != nil {
				return err
			}
			return api.Send(&c.w, c.Request, e.Status, result)
		},
	}
}

// exposedHeaders are the headers of every answer that scripts of other origins may
// read besides those that browsers always show them.
const exposedHeaders = "Content-Disposition, Content-Language, ETag, Link, Retry-After, WWW-Authenticate, X-Request-Id"

// policyOf returns the headers of the answers of e. Search engines show neither
// answers of the API nor feeds, whose addresses are secrets; what robots.txt allows,
// they may show. The files that pages load have no links to descriptions of the service.
func policyOf(e *api.Endpoint, links []string) Policy {
	p := Policy{Headers: []Header{{"Cache-Control", []string{string(e.Cache)}}}}
	if links != nil && (!e.Page || slices.Contains(e.Produces, "text/html")) {
		p.Headers = append(p.Headers, Header{"Link", links})
	}
	if !e.Crawled() {
		p.Shared = append(p.Shared, NoIndex)
	}
	if e.CrossOrigin() {
		exposed := strings.Join(append([]string{exposedHeaders}, e.Expose...), ", ")
		p.Shared, p.Allow = append(p.Shared, AnyOrigin, Header{"Access-Control-Expose-Headers", []string{exposed}}), allowedHeaders
	}
	return p
}

// Decode fills v, the input of an endpoint, from the request. Once the body was
// read whole it has no time limit any more: the server reads on, to notice when
// the caller hangs up.
func (c *Call) Decode(plan *input.Plan, v reflect.Value, limit int64) error {
	err := plan.Decode(c.Request, v, limit)
	if err == nil && plan.Body {
		c.limitBody(0)
	}
	return err
}

// bodyTimeout is how long a request body may take to arrive.
const bodyTimeout = 15 * time.Second

// limitBody sets the time in which the rest of the request body must arrive, if
// there is one; 0 is no limit. A body that arrives slowly holds a connection,
// even when no handler reads it, since the server reads what is left of it, and
// the server of a function has no timeout of its own. Only the writers of tests
// have no deadlines.
func (c *Call) limitBody(d time.Duration) {
	if c.Request.Body == nil || c.Request.Body == http.NoBody {
		return
	}
	var deadline time.Time
	if d > 0 {
		deadline = time.Now().Add(d)
	}
	_ = http.NewResponseController(c.w.ResponseWriter).SetReadDeadline(deadline)
}

package request

import (
	"net/http"
	"slices"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
)

// refuse answers a request that no route matches: for its path, or for its
// method.
func (c *Call) refuse() {
	allow := c.layer.allowed(c.Request)
	switch {
	case slices.Contains(allow, c.Request.Method) && c.Request.Method != http.MethodOptions: // of a route elsewhere
		c.fail(fault.ErrNotFound)
	case len(allow) > 0:
		c.like = c.find(allow[0])
		c.w.Header().Set("Allow", strings.Join(allow, ", "))
		if c.Request.Method == http.MethodOptions {
			c.preflight(allow)
			return
		}
		c.shareLike(allow)
		c.fail(fault.ErrNoMethod.With("allow", allow))
	case c.redirect():
	default:
		c.fail(fault.ErrNotFound)
	}
}

// allowed lists the methods of the routes at the path of r, OPTIONS included;
// none when there is no route.
func (l *layer) allowed(r *http.Request) (methods []string) {
	for _, m := range l.methods {
		if l.router.find(m, r.Host, r.URL) != nil {
			methods = append(methods, m)
		}
	}
	if methods != nil {
		methods = append(methods, http.MethodOptions)
	}
	return methods
}

// find returns the route of a method at the path of the request, or nil.
func (c *Call) find(method string) *Route {
	return c.layer.router.find(method, c.Request.Host, c.Request.URL)
}

// shareLike gives an answer in place of the routes of methods the headers that
// it shares with them, such as those by which scripts of other origins may read
// it.
func (c *Call) shareLike(methods []string) {
	for _, m := range methods {
		if rt := c.find(m); rt != nil {
			set(c.w.Header(), rt.Policy.Shared)
		}
	}
}

// preflight answers OPTIONS. A browser asks by it whether a script of another
// origin may call the route of the method that it names; any other caller wants
// to know the methods.
func (c *Call) preflight(allow []string) {
	h := c.w.Header()
	method := c.Request.Header.Get("Access-Control-Request-Method")
	if method == "" {
		c.shareLike(allow)
	} else if rt := c.find(method); rt != nil && rt.Policy.Allow != nil {
		set(h, rt.Policy.Shared)
		h["Access-Control-Allow-Methods"] = h["Allow"]
		h["Access-Control-Allow-Headers"] = rt.Policy.Allow
		h["Access-Control-Max-Age"] = preflightAges
	}
	c.w.WriteHeader(http.StatusNoContent)
}

// redirect answers with a redirect to the route whose path differs by a slash at
// its end alone, with the same method and body. It reports whether there is one.
func (c *Call) redirect() bool {
	m, ok := c.layer.router.(*mux)
	if !ok {
		return false
	}
	to, rt := m.slashed(c.Request.Method, c.Request.Host, c.Request.URL)
	if rt == nil {
		return false
	}
	set(c.w.Header(), rt.Policy.Shared)
	c.w.Header()["Cache-Control"] = noStore
	_ = api.Redirect(&c.w, to.String(), http.StatusPermanentRedirect)
	return true
}

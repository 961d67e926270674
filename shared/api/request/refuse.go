package request

import (
	"net/http"
	"net/url"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
)

// refuse answers a request that no route matches: for its path, or for its
// method.
func (c *Call) refuse() {
	allow := c.layer.allowed(c.Request)
	switch {
	case len(allow) > 0:
		c.w.Header().Set("Allow", strings.Join(allow, ", "))
		if c.Request.Method == http.MethodOptions {
			c.preflight()
			return
		}
		for _, m := range allow {
			c.shareLike(c.layer.find(m, c.Request.Host, c.Request.URL))
		}
		c.fail(fault.ErrNoMethod.With("allow", allow))
	case c.redirectSlash():
	default:
		c.fail(fault.ErrNotFound)
	}
}

// allowed lists the methods of the routes at the path of r, OPTIONS included;
// none when there is no route.
func (l *layer) allowed(r *http.Request) (methods []string) {
	for _, m := range l.methods {
		if l.find(m, r.Host, r.URL) != nil {
			methods = append(methods, m)
		}
	}
	if methods != nil {
		methods = append(methods, http.MethodOptions)
	}
	return methods
}

// shareLike gives an answer in place of rt's the headers that both share, such
// as those by which scripts of other origins may read it.
func (c *Call) shareLike(rt *Route) {
	if rt != nil {
		set(c.w.Header(), rt.Policy.Shared)
	}
}

// preflight answers OPTIONS. A browser asks by it whether a script of another
// origin may call the route of the method that it names.
func (c *Call) preflight() {
	h := c.w.Header()
	rt := c.layer.find(c.Request.Header.Get("Access-Control-Request-Method"), c.Request.Host, c.Request.URL)
	if rt != nil && rt.Policy.Allow != nil {
		c.shareLike(rt)
		h["Access-Control-Allow-Methods"] = h["Allow"]
		h["Access-Control-Allow-Headers"] = rt.Policy.Allow
		h["Access-Control-Max-Age"] = preflightAges
	}
	c.w.WriteHeader(http.StatusNoContent)
}

// redirectSlash redirects a path that differs from a route's by its last slash
// alone to that route, with the same method and body. DELETE is not redirected:
// where the name of one thing was left empty, it would delete all of them.
func (c *Call) redirectSlash() bool {
	if c.Request.Method == http.MethodDelete {
		return false
	}
	u := c.Request.URL
	to := url.URL{Path: otherSlash(u.Path), RawQuery: u.RawQuery}
	if u.RawPath != "" {
		to.RawPath = otherSlash(u.RawPath)
	}
	rt := c.layer.find(c.Request.Method, c.Request.Host, &to)
	if rt == nil {
		return false
	}
	c.shareLike(rt)
	c.w.Header()["Cache-Control"] = noStore
	_ = api.Redirect(&c.w, to.String(), http.StatusPermanentRedirect)
	return true
}

func otherSlash(path string) string {
	if cut, ok := strings.CutSuffix(path, "/"); ok {
		return cut
	}
	return path + "/"
}

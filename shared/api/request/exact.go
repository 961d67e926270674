package request

import (
	"net/http"
	"net/url"
	"strings"
)

// Exact returns a handler for a server with few routes and many requests. Each
// path is matched whole, or up to a wildcard that is its last segment (see
// the field Segment of [Call]): "/api/s/{id}" matches "/api/s/a", not "/api/s/" nor "/api/s/a/b".
// Matching allocates nothing, redirects nobody, and is linear in the routes.
func Exact(o Options, routes []Route) http.Handler {
	layer, routes := newLayer(o, routes)
	x := &exact{layer: layer}
	x.layer.router = x
	for _, rt := range routes {
		m := matcher{route: &rt, prefix: rt.Path}
		if i := strings.LastIndexByte(rt.Path, '/'); strings.HasSuffix(rt.Path, "}") {
			m.prefix, m.wildcard = rt.Path[:i+1], true
		}
		x.matchers = append(x.matchers, m)
	}
	return x
}

// An exact is the router of [Exact].
type exact struct {
	layer    *layer
	matchers []matcher
}

// A matcher matches the paths of one route.
type matcher struct {
	route    *Route
	prefix   string // the whole path, when there is no wildcard
	wildcard bool
}

// match returns the text of the wildcard, and whether m serves a method at a
// path.
func (m *matcher) match(method, path string) (segment string, ok bool) {
	if method != m.route.Method && (method != http.MethodHead || m.route.Method != http.MethodGet) {
		return "", false
	}
	segment, ok = strings.CutPrefix(path, m.prefix)
	if !ok || m.wildcard != (segment != "") || strings.IndexByte(segment, '/') >= 0 {
		return "", false
	}
	return segment, true
}

// ServeHTTP dispatches r.
func (x *exact) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for i := range x.matchers {
		if segment, ok := x.matchers[i].match(r.Method, r.URL.Path); ok {
			x.layer.serve(w, r, x.matchers[i].route, segment)
			return
		}
	}
	x.layer.serve(w, r, nil, "")
}

func (x *exact) find(method, _ string, u *url.URL) *Route {
	for i := range x.matchers {
		if _, ok := x.matchers[i].match(method, u.Path); ok {
			return x.matchers[i].route
		}
	}
	return nil
}

package request

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"miramundo.dev/shared/api"
)

// New returns a handler that serves routes as [http.ServeMux] matches them. A
// request that matches none, but would with a slash more or less at its end, is
// redirected.
func New(o Options, routes []Route) http.Handler {
	layer, routes := newLayer(o, routes)
	m := &mux{layer: layer, ServeMux: http.NewServeMux()}
	m.layer.router = m
	for _, rt := range routes {
		m.Handle(rt.served(), &handler{layer: m.layer, route: &rt})
	}
	for _, rt := range o.Elsewhere {
		m.Handle(rt.served(), &handler{m.layer, &rt, true})
	}
	for _, pattern := range unmatched(slices.Concat(routes, o.Elsewhere)) {
		m.Handle(pattern, &handler{layer: m.layer})
	}
	return m
}

// unmatched returns the patterns of requests that no route matches. A path with
// a slash at its end that lacks it is one of them: http.ServeMux would redirect
// it, in HTML.
func unmatched(routes []Route) []string {
	patterns := []string{"/"}
	for _, rt := range routes {
		path, ok := strings.CutSuffix(rt.Path, api.Root)
		if pattern := rt.Method + " " + path; ok && path != "" && !slices.Contains(patterns, pattern) {
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

// A mux is the router of [New].
type mux struct {
	*http.ServeMux
	layer *layer
}

// ServeHTTP dispatches r. A path that http.ServeMux would clean, with a redirect
// in HTML, matches no route.
func (m *mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isClean(r.URL.EscapedPath()) {
		m.ServeMux.ServeHTTP(w, r)
		return
	}
	m.layer.serve(w, r, nil, "")
}

func isClean(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.Contains(path, "//") &&
		!strings.Contains(path, "/./") && !strings.Contains(path, "/../") &&
		!strings.HasSuffix(path, "/.") && !strings.HasSuffix(path, "/..")
}

// A handler serves one route as http.ServeMux calls it; without a route it
// serves the requests that match none.
type handler struct {
	layer     *layer
	route     *Route
	elsewhere bool // another process serves the route
}

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.elsewhere {
		h.layer.serve(w, r, nil, "")
		return
	}
	h.layer.serve(w, r, h.route, "")
}

// find asks the ServeMux itself, so that it cannot disagree with what is served.
func (m *mux) find(method, host string, u *url.URL) *Route {
	if !isClean(u.EscapedPath()) {
		return nil
	}
	h, _ := m.Handler(&http.Request{Method: method, URL: u, Host: host})
	if found, ok := h.(*handler); ok {
		return found.route
	}
	return nil
}

// slashed returns the address with one slash more or less at its end, and the
// route that it matches; nil when there is none. DELETE is not redirected: where
// the name of one thing was left empty, it would delete all of them.
func (m *mux) slashed(method, host string, from *url.URL) (to *url.URL, rt *Route) {
	if method == http.MethodDelete {
		return nil, nil
	}
	to = &url.URL{Path: otherSlash(from.Path), RawQuery: from.RawQuery}
	if from.RawPath != "" {
		to.RawPath = otherSlash(from.RawPath)
	}
	return to, m.find(method, host, to)
}

func otherSlash(path string) string {
	if cut, ok := strings.CutSuffix(path, "/"); ok {
		return cut
	}
	return path + "/"
}

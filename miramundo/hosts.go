package main

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"miramundo.dev/miramundo/machine"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/config"
)

// Every part of the service has a host of its own, and all of them arrive at the same
// addresses: the header Host says for which part a request is. Requests for other hosts
// are refused, so that nobody reaches the service by a name that is not its own.

// A router passes requests on to the parts of the service by their hosts.
type router struct {
	parts  map[string]http.Handler // by host, in lower case, as browsers send it
	health http.Handler            // answers this machine's own health check
}

// localName is the host for which every address answers this machine's health check.
const localName = "localhost"

// newRouter returns the router of HTTP, or of the proxy in front.
func newRouter(c config.Config, fronts *machine.Fronts) *router {
	return routes(&fronts.Gateway, map[string]http.Handler{c.BaseURL: &fronts.Gateway, c.HopURL: &fronts.Hop, c.LegacyURL: &fronts.Legacy})
}

// routes returns the router of parts by their addresses.
func routes(health http.Handler, parts map[string]http.Handler) *router {
	rt := &router{parts: map[string]http.Handler{}, health: health}
	names := map[string]int{}
	for address := range parts {
		names[nameOf(address)]++
	}
	for address, part := range parts {
		u, err := url.Parse(address)
		if err != nil {
			continue // refused by the settings
		}
		rt.parts[strings.ToLower(u.Host)] = part
		rt.parts[net.JoinHostPort(nameOf(address), portOf(u))] = part
		if names[nameOf(address)] == 1 { // some proxies leave out the port
			rt.parts[nameOf(address)] = part
		}
	}
	return rt
}

// nameOf returns the name of an address's host, without its port.
func nameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// portOf returns the port of an address, which its scheme may say.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// ServeHTTP passes a request on, or answers 421.
func (rt *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host := strings.ToLower(r.Host)
	if part, ok := rt.parts[host]; ok {
		part.ServeHTTP(w, r)
		return
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), ""
	}
	if part, ok := rt.parts[withPort(strings.TrimSuffix(name, "."), port)]; ok { // a name may end with a dot
		part.ServeHTTP(w, r)
		return
	}
	if ip, err := netip.ParseAddr(name); r.URL.Path == api.HealthPath && (name == localName || err == nil && ip.IsLoopback()) {
		rt.health.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, "The Host of the request is not one of this service. Its hosts are those of BASE_URL, HOP_URL and LEGACY_URL; "+
		"a reverse proxy must pass the header Host on as it is.", http.StatusMisdirectedRequest)
}

// withPort returns a host with its port, where there is one.
func withPort(name, port string) string {
	if port == "" {
		return name
	}
	return net.JoinHostPort(name, port)
}

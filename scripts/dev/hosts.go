package main

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// A page of any web site can make a browser on this machine send requests to the
// stack. The browser lets the page read the answers only when both have the same
// origin, and DNS rebinding makes them the same: the site's own name is pointed
// at 127.0.0.1 after the page was loaded. Such a request still carries the name
// of the site in its Host header, so each part of the stack answers only requests
// for a host of its own, and refuses every other with 421 Misdirected Request.
//
// Deployed services need no such check: they are not reached through the
// visitor's own machine, and the platform routes by Host already.

// hosts are the values of the Host header that one part of the stack answers.
type hosts struct {
	port  string   // where the part listens
	names []string // in lower case, without a final dot
	addrs []netip.Addr
}

// ownHosts returns the hosts of a part that listens at addr: this machine's names
// for itself and, as the flag or the file gave it, the name of the listener.
func ownHosts(given string, addr net.Addr) hosts {
	_, port, _ := net.SplitHostPort(addr.String())
	h := hosts{port: port, names: []string{"localhost"}, addrs: []netip.Addr{netip.IPv6Loopback(), netip.AddrFrom4([4]byte{127, 0, 0, 1})}}
	if name, _, err := net.SplitHostPort(given); err == nil && name != "" {
		h.names = append(h.names, canonical(name))
	}
	return h
}

// has reports whether host is one of h, or the address that the caller connected
// to: a part that listens on every address of the machine answers for each of
// them. Names are compared without regard to case and a final dot.
func (h hosts) has(host string, connected net.Addr) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil { // without a port it is that of http
		name, port = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), "80"
	}
	if port != h.port {
		return false
	}
	ip, err := netip.ParseAddr(name)
	if err != nil {
		return slices.Contains(h.names, canonical(name))
	}
	ip = ip.Unmap()
	if tcp, ok := connected.(*net.TCPAddr); ok && ip == tcp.AddrPort().Addr().Unmap() {
		return true
	}
	return slices.Contains(h.addrs, ip) || slices.Contains(h.names, ip.String())
}

// canonical returns the form of a name by which names are compared.
func canonical(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".") }

// guard serves the requests for one of h with next, and refuses all others.
func (h hosts) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connected, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if h.has(r.Host, connected) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, fmt.Sprintf("The Host of the request is not one of this stack. It answers as localhost:%s and 127.0.0.1:%[1]s; "+
			"-gateway, -hop, -legacy, -chatroom, -origin and -payments name another host.", h.port), http.StatusMisdirectedRequest)
	})
}

package main

import (
	"net"
	"net/http"

	"miramundo.dev/shared/config"
)

// Headers in which an edge tells what it knows of the caller.
const (
	edgeHeader    = "X-Client-Region"  // the country
	addressHeader = "X-Client-Address" // the address, alone
)

// atEdge does to a request what an edge would, and passes it on to next: the caller is
// in a country and has an address, whatever the request says. An empty country is not
// named.
func atEdge(e config.Edge, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del(edgeHeader)
		r.Header.Del(addressHeader)
		if e.Country != "" {
			r.Header.Set(edgeHeader, e.Country)
		}
		if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
			r.Header.Set(addressHeader, host)
		}
		next.ServeHTTP(w, r)
	})
}

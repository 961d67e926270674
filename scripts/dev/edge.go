package main

import "net/http"

// edgeHeader is the header in which an edge names the caller's country.
const edgeHeader = "X-Client-Region"

// atEdge does to a request what an edge would, and passes it on to next: the caller is
// in a country, whatever the request says. An empty country is not named.
func atEdge(country string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del(edgeHeader)
		if country != "" {
			r.Header.Set(edgeHeader, country)
		}
		next.ServeHTTP(w, r)
	})
}

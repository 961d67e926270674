package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"miramundo.dev/shared/config"
)

// TestEdge checks that what a caller says of its own country and address counts for
// nothing.
func TestEdge(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Header.Get(edgeHeader)+" at "+r.Header.Get(addressHeader))
	})
	for _, test := range []struct{ country, says, want string }{
		{"BR", "", "BR at 192.0.2.1"},
		{"BR", "DE", "BR at 192.0.2.1"},
		{"", "DE", " at 192.0.2.1"},
	} {
		r := httptest.NewRequest("GET", "/", nil) // from 192.0.2.1
		r.Header.Set(edgeHeader, test.says)
		r.Header.Set(addressHeader, "198.51.100.7")
		w := httptest.NewRecorder()
		atEdge(config.Edge{Country: test.country}, echo).ServeHTTP(w, r)
		if got := w.Body.String(); got != test.want {
			t.Errorf("in %q a caller who says %q is in %q, want %q", test.country, test.says, got, test.want)
		}
	}
}

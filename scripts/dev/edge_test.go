package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestEdge checks that what a caller says of its own country counts for nothing.
func TestEdge(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Header.Get(edgeHeader))
	})
	for _, test := range []struct{ country, says, want string }{
		{"BR", "", "BR"},
		{"BR", "DE", "BR"},
		{"", "DE", ""},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set(edgeHeader, test.says)
		w := httptest.NewRecorder()
		atEdge(test.country, echo).ServeHTTP(w, r)
		if got := w.Body.String(); got != test.want {
			t.Errorf("in %q a caller who says %q is in %q, want %q", test.country, test.says, got, test.want)
		}
	}
}

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestFront checks that the gateway does as an edge: what a caller says of its
// own country counts for nothing.
func TestFront(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Header.Get(edgeHeader))
	})
	for _, test := range []struct{ country, says, want string }{
		{"BR", "", "BR"},
		{"BR", "DE", "BR"},
		{"", "DE", ""},
	} {
		f := &front{country: test.country}
		f.set(echo)
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set(edgeHeader, test.says)
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		if got := w.Body.String(); got != test.want {
			t.Errorf("in %q a caller who says %q is in %q, want %q", test.country, test.says, got, test.want)
		}
	}
}

// TestFrontBeforeThereAreFunctions checks that a request which comes too early is
// answered as a fault of the service is, with the reason and when to come back.
func TestFrontBeforeThereAreFunctions(t *testing.T) {
	w := httptest.NewRecorder()
	new(front).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	var body struct{ Error, Reason string }
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "5" || body.Error != "unavailable" || body.Reason != "starting" {
		t.Errorf("answers %d %v %+v", w.Code, w.Header(), body)
	}
}

package request

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestElsewhere checks that a process that has one of the routes of a host answers for
// methods and slashes as one that has all of them, and answers a route of another process
// as an unknown path.
func TestElsewhere(t *testing.T) {
	route := func(method, path string) Route {
		rt := Route{Method: method, Path: path, Serve: func(c *Call) error {
			_, err := io.WriteString(c.Writer(), method+" "+path)
			return err
		}}
		if method == http.MethodGet {
			rt.Policy = Policy{Shared: []Header{AnyOrigin}, Allow: allowedHeaders}
		}
		return rt
	}
	here := []Route{route("GET", "/both"), route("GET", "/here/{id}")}
	others := []Route{route("POST", "/both"), route("GET", "/there/{id}"), route("DELETE", "/there/{id}"), route("GET", "/folder/{$}")}
	apart := New(Options{Elsewhere: others}, here)
	whole := New(Options{}, append(here, others...))
	for _, test := range []struct {
		method, path string
		same         bool
	}{
		{"GET", "/both", true},
		{"HEAD", "/both", true},
		{"OPTIONS", "/both", true},
		{"PUT", "/both", true},
		{"OPTIONS", "/there/a", true},
		{"POST", "/there/a", true},
		{"GET", "/there/a/", true},
		{"GET", "/folder", true},
		{"GET", "/here/a/", true},
		{"GET", "/nowhere", true},
		{"OPTIONS", "/nowhere", true},
		{"POST", "/both", false},
		{"GET", "/there/a", false},
		{"HEAD", "/there/a", false},
		{"DELETE", "/there/a", false},
		{"GET", "/folder/", false},
	} {
		answer := func(h http.Handler) (int, http.Header, string) {
			r := httptest.NewRequest(test.method, test.path, nil)
			r.Header.Set("Access-Control-Request-Method", "GET")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			header := w.Header()
			header.Del("X-Request-Id")
			return w.Code, header, w.Body.String()
		}
		status, header, body := answer(apart)
		wantStatus, wantHeader, wantBody := answer(whole)
		if !test.same {
			if status != http.StatusNotFound {
				t.Errorf("%s %s, which another process has, is answered with %d", test.method, test.path, status)
			}
			continue
		}
		if diff := cmp.Diff([]any{wantStatus, wantHeader, wantBody}, []any{status, header, body}); diff != "" {
			t.Errorf("%s %s (-whole +apart):\n%s", test.method, test.path, diff)
		}
	}
}

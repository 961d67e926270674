package request_test

import (
	"net/http"
	"testing"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
)

// TestExact checks which requests match a whole path and a wildcard, and that no
// other is redirected.
func TestExact(t *testing.T) {
	show := func(c *request.Call) error {
		c.Writer().Header().Set("X-Segment", c.Segment)
		c.Writer().WriteHeader(http.StatusNoContent)
		return nil
	}
	h := request.Exact(request.Options{}, []request.Route{
		{Method: "GET", Path: "/whole", Serve: show},
		{Method: "GET", Path: "/one/{name}", Serve: show},
		{Method: "POST", Path: "/one/{name}", Serve: show},
	})
	for _, test := range []struct {
		method, path string
		status       int
		segment      string
		allow        string
	}{
		{"GET", "/whole", 204, "", ""},
		{"HEAD", "/whole", 204, "", ""},
		{"GET", "/whole/", 404, "", ""},
		{"GET", "/wholesome", 404, "", ""},
		{"GET", "//whole", 404, "", ""},
		{"GET", "/one/a", 204, "a", ""},
		{"HEAD", "/one/a", 204, "a", ""},
		{"POST", "/one/a%20b", 204, "a b", ""},
		{"GET", "/one/..", 204, "..", ""},
		{"GET", "/one/", 404, "", ""},
		{"GET", "/one", 404, "", ""},
		{"GET", "/one/a/", 404, "", ""},
		{"GET", "/one/a%2Fb", 404, "", ""},
		{"POST", "/whole", 405, "", "GET, HEAD, OPTIONS"},
		{"PUT", "/one/a", 405, "", "GET, HEAD, POST, OPTIONS"},
		{"OPTIONS", "/one/a", 204, "", "GET, HEAD, POST, OPTIONS"},
	} {
		answer, _ := apitest.Do(t, h, test.method, test.path, "")
		if answer.StatusCode != test.status || answer.Header.Get("X-Segment") != test.segment || answer.Header.Get("Allow") != test.allow {
			t.Errorf("%s %s: %d, segment %q, allow %q", test.method, test.path, answer.StatusCode, answer.Header.Get("X-Segment"), answer.Header.Get("Allow"))
		}
	}
}

// TestIDs checks which answers have an id: all, or failures alone.
func TestIDs(t *testing.T) {
	routes := []request.Route{{Method: "GET", Path: "/here", Serve: func(c *request.Call) error {
		c.Writer().WriteHeader(http.StatusNoContent)
		return nil
	}}}
	for _, failures := range []bool{false, true} {
		h := request.Exact(request.Options{IDsOfFailures: failures}, routes)
		for path, want := range map[string]bool{"/here": !failures, "/nowhere": true} {
			answer, _ := apitest.Do(t, h, "GET", path, "")
			if got := answer.Header.Get("X-Request-Id") != ""; got != want {
				t.Errorf("ids of failures alone %t: %s has an id: %t", failures, path, got)
			}
		}
	}
}

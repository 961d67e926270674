package functions

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/source/collect"
)

// mannerly passes requests on to h, and checks of each answer what every answer of the
// service must have, whatever its endpoint: a version that is confirmed with the same
// headers, a time to wait, and what search engines and scripts of other origins need.
func mannerly(t *testing.T, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		if r.Body != nil {
			_, _ = body.ReadFrom(r.Body)
			r.Body = http.NoBody
			if body.Len() > 0 {
				r.Body = readCloser{bytes.NewReader(body.Bytes())}
			}
		}
		first := httptest.NewRecorder()
		h.ServeHTTP(first, r)
		checkRevalidation(t, h, r, first)
		checkWait(t, r.Method+" "+r.URL.Path, first)
		checkIndexing(t, r.URL.Path, first)
		checkExposed(t, r.URL.Path, first)
		maps.Copy(w.Header(), first.Header())
		w.WriteHeader(first.Code)
		_, _ = w.Write(first.Body.Bytes())
	})
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

// ofBody are the headers that a 304 leaves out, or that differ in every answer.
var ofBody = []string{"Content-Type", "Content-Length", "Content-Encoding", "X-Request-Id"}

// checkRevalidation checks that an answer that may be kept has a version, by which the
// same request is answered 304 with the same headers.
func checkRevalidation(t *testing.T, h http.Handler, r *http.Request, first *httptest.ResponseRecorder) {
	cache := first.Header().Get("Cache-Control")
	if r.Method != http.MethodGet || first.Code != http.StatusOK || cache == string(api.NoStore) {
		return
	}
	tag := first.Header().Get("Etag")
	if tag == "" || cache == "" {
		t.Errorf("GET %s: ETag %q, Cache-Control %q", r.URL, tag, cache)
		return
	}
	again := r.Clone(r.Context())
	again.Header.Set("If-None-Match", `"other", `+tag)
	second := httptest.NewRecorder()
	h.ServeHTTP(second, again)
	if second.Code != http.StatusNotModified || second.Body.Len() > 0 {
		t.Errorf("GET %s with its version: %d with %d bytes", r.URL, second.Code, second.Body.Len())
		return
	}
	want, got := first.Header().Clone(), second.Header().Clone()
	for _, name := range ofBody {
		want.Del(name)
		got.Del(name)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("GET %s: headers of 304 (-200 +304):\n%s", r.URL, d)
	}
}

// checkWait checks that an answer that asks to wait says for how long.
func checkWait(t *testing.T, what string, a *httptest.ResponseRecorder) {
	t.Helper()
	if a.Code != http.StatusTooManyRequests && a.Code != http.StatusServiceUnavailable {
		return
	}
	if n, err := strconv.Atoi(a.Header().Get("Retry-After")); err != nil || n < 1 {
		t.Errorf("%s answers %d with Retry-After %q", what, a.Code, a.Header().Get("Retry-After"))
	}
}

// checkIndexing checks that search engines are kept from answers of the API and feeds,
// and from nothing else of the main host.
func checkIndexing(t *testing.T, path string, a *httptest.ResponseRecorder) {
	if a.Code != http.StatusOK {
		return
	}
	hidden := strings.HasPrefix(path, "/api/") && path != "/api/" || strings.HasPrefix(path, "/f/") || strings.HasPrefix(path, "/live/") || strings.HasPrefix(path, "/lists/") || strings.HasPrefix(path, "/l/") || strings.HasSuffix(path, ".php") ||
		slices.ContainsFunc(site.RadioBrowserFolders, func(folder string) bool { return strings.HasPrefix(path, folder) })
	if got := a.Header().Get("X-Robots-Tag"); (got == "noindex") != hidden {
		t.Errorf("%s has X-Robots-Tag %q", path, got)
	}
}

// checkExposed checks that scripts of other origins that may read an answer may read
// the headers that clients need.
func checkExposed(t *testing.T, path string, a *httptest.ResponseRecorder) {
	if a.Header().Get("Access-Control-Allow-Origin") == "" || a.Code == http.StatusNoContent {
		return
	}
	exposed := a.Header().Get("Access-Control-Expose-Headers")
	for _, name := range []string{"Content-Language", "ETag", "Link", "Retry-After", "X-Request-Id"} {
		if !strings.Contains(exposed, name) {
			t.Errorf("%s exposes %q, which lacks %s", path, exposed, name)
		}
	}
}

// TestEveryFaultSaysWhenToRetry checks each fault of the table that asks callers to
// wait.
func TestEveryFaultSaysWhenToRetry(t *testing.T) {
	checked := 0
	for _, e := range Table() {
		for _, f := range e.AllFaults() {
			if f.Kind != fault.Unavailable && f.Kind != fault.Limited {
				continue
			}
			checked++
			h := request.New(request.Options{}, []request.Route{{Method: "GET", Path: "/x", Serve: func(*request.Call) error { return f }}})
			a := httptest.NewRecorder()
			h.ServeHTTP(a, httptest.NewRequest("GET", "/x", nil))
			checkWait(t, e.Pattern()+" with "+f.Code, a)
			if a.Code != http.StatusServiceUnavailable && a.Code != http.StatusTooManyRequests {
				t.Errorf("%s answers %d", f.Code, a.Code)
			}
		}
	}
	if checked < 50 {
		t.Errorf("found %d faults", checked)
	}
}

// TestStrictTransport checks that browsers are told to keep to HTTPS on the deployed
// main host alone: a local one has no TLS, and the player of plain HTTP media must stay
// reachable without.
func TestStrictTransport(t *testing.T) {
	d := deps(t, openEmbedded(t), collect.Place{})
	strict := func(h http.Handler, path string) string {
		a := httptest.NewRecorder()
		h.ServeHTTP(a, httptest.NewRequest("GET", path, nil))
		return a.Header().Get("Strict-Transport-Security")
	}
	if got := strict(mux(t, d), "/api/"); got != "" {
		t.Errorf("a local stack answers %q", got)
	}
	d.Config.Service = "describe"
	if !(config.Config{Service: "describe"}).Deployed() {
		t.Fatal("the configuration is not that of a deployed process")
	}
	for _, path := range []string{"/api/", "/robots.txt", "/nothing"} {
		if got := strict(mux(t, d), path); got != "max-age=31536000" {
			t.Errorf("deployed, %s answers %q", path, got)
		}
	}
	player, _ := Find("legacy")
	if got := strict(handler(t, player, d), "/"); got != "" {
		t.Errorf("the legacy player answers %q", got)
	}
}

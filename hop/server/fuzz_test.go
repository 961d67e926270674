package server

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"miramundo.dev/shared/catalog"
)

// FuzzRequest sends requests of any kind: each gets an answer of the interface,
// with a body of its type, and none is a defect or a redirect to plain HTTP.
func FuzzRequest(f *testing.F) {
	w := start(f, setup{streams: []catalog.StreamRecord{{URL: "/master.m3u8"}, {URL: "https://radio.example.com/live", Kind: "audio"}}, origin: family})
	_, ticket, _ := strings.Cut(w.child(w.get(path(1, "")).body), "?")
	one, two := path(1, ""), path(2, "")
	f.Add("GET", one, ticket, "gzip", "de", "203.0.113.9")
	f.Add("GET", one+".m3u8", "_HLS_msn=1&_HLS_part=2&_HLS_skip=v2", "*;q=0", "xx,;q", "[::1]:1")
	f.Add("HEAD", two, "p=%zz&p=", ",", "", "a, b")
	f.Add("OPTIONS", "/api/s/\x00.m3u8", "&&=&p", "br", "pt", "::ffff:10.0.0.1")
	f.Add("BREW", "//api/s/..", "p="+strings.Repeat("A", 6001), "", "", "")
	statuses := []int{200, 204, 302, 400, 404, 405, 422, 503}
	f.Fuzz(func(t *testing.T, method, path, query, accept, language, address string) {
		w.log.take()
		r := httptest.NewRequest("GET", "/", nil)
		r.Method, r.URL = method, &url.URL{Path: path, RawQuery: query}
		r.Header = http.Header{"Accept-Encoding": {accept}, "Accept-Language": {language}, "X-Client-Address": {address}, "Traceparent": {language}}
		a := httptest.NewRecorder()
		w.server.ServeHTTP(a, r)
		if !slices.Contains(statuses, a.Code) {
			t.Errorf("status %d: %s\n%s", a.Code, a.Body, w.log.take())
		}
		if strings.HasPrefix(a.Header().Get("Location"), "http:") {
			t.Errorf("redirected to %s", a.Header().Get("Location"))
		}
		if a.Code >= 400 && !strings.HasPrefix(a.Header().Get("Content-Type"), "application/json") {
			t.Errorf("status %d with a body of type %q", a.Code, a.Header().Get("Content-Type"))
		}
		if log := w.log.take(); strings.Count(log, "\n") != 1 || strings.Contains(log, "203.0.113.9") {
			t.Errorf("the log is %q", log)
		}
	})
}

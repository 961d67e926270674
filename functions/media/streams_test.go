package media

import (
	"net/http"
	"strings"
	"testing"
)

// TestToHop checks that players are sent to the hop with what they asked for,
// byte for byte.
func TestToHop(t *testing.T) {
	h, _ := serve(t)
	long := strings.Repeat("a", 6000)
	for _, test := range []struct {
		target   string
		status   int
		location string
	}{
		{"/api/s/s_1", 302, "https://hop.example/api/s/s_1"},
		{"/api/s/s_1?", 302, "https://hop.example/api/s/s_1?"},
		{"/api/s/s_1?p=%41&p=a&&=+%2B~", 302, "https://hop.example/api/s/s_1?p=%41&p=a&&=+%2B~"},
		{"/api/s/s_1?%zz", 302, "https://hop.example/api/s/s_1?%zz"},
		{"/api/s/s_1?p=" + long, 302, "https://hop.example/api/s/s_1?p=" + long},
		{"/api/s/s_1.m3u8?x", 302, "https://hop.example/api/s/s_1.m3u8?x"},
		{"/api/s/a%3Fb%23c%2F..%5C", 302, "https://hop.example/api/s/a%3Fb%23c%2F..%5C"},
		{"/api/s/@evil.example", 302, "https://hop.example/api/s/@evil.example"},
		{"/api/s/%E2%80%AE", 302, "https://hop.example/api/s/%E2%80%AE"},
		{"/api/s/s_1?p=" + strings.Repeat("a", maxQuery), 400, ""},
		{"/api/s/" + strings.Repeat("a", 401), 404, ""},
		{"/api/s/%2e", 404, ""},
		{"/api/s/", 404, ""},
	} {
		w := get(h, test.target, nil)
		if w.Code != test.status || w.Header().Get("Location") != test.location {
			t.Errorf("%.80s answers %d, Location %.80q; want %d, %.80q", test.target, w.Code, w.Header().Get("Location"), test.status, test.location)
		}
		if w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%.80s may be kept: %q", test.target, w.Header().Get("Cache-Control"))
		}
		if test.status == http.StatusFound && w.Body.Len() > 0 {
			t.Errorf("%.80s answers with a body", test.target)
		}
	}
}

// FuzzToHop checks that nobody is sent anywhere but to a stream's path at the
// hop.
func FuzzToHop(f *testing.F) {
	for _, s := range []string{"s_1", "%2e%2e", "..", "%2F", "a%0d%0ab", "@x", "%3F", "a.m3u8", "%ff"} {
		f.Add(s, "p=1")
		f.Add(s, "%0d%0a\u00e9")
	}
	h, _ := serve(f)
	f.Fuzz(func(t *testing.T, id, query string) {
		r, err := http.NewRequest("GET", "http://m.example/api/s/"+id+"?"+query, nil)
		if err != nil || r.URL.Host != "m.example" {
			t.Skip("no request")
		}
		w := serveOne(h, r)
		if w.Code != http.StatusFound {
			return
		}
		location := w.Header().Get("Location")
		rest, ok := strings.CutPrefix(location, "https://hop.example/api/s/")
		name, got, _ := strings.Cut(rest, "?")
		if !ok || name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\#\r\n ") || got != r.URL.RawQuery {
			t.Errorf("%q leads to %q", r.URL, location)
		}
	})
}

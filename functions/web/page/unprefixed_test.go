package page_test

import (
	"testing"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
)

// TestUnprefixed checks that paths with the language of Portuguese lead to the pages
// without it, and never to another host.
func TestUnprefixed(t *testing.T) {
	h := webtest.Handler(page.NewRenderer(webtest.Links), page.Unprefixed)
	for _, test := range []struct {
		path   string
		status int
		want   string
	}{
		{"/pt", 308, "/"},
		{"/pt/", 308, "/"},
		{"/pt?kind=radio", 308, "/?kind=radio"},
		{"/pt/brasil", 308, "/brasil"},
		{"/pt/canal/A%20b.br?feed=HD", 308, "/canal/A%20b.br?feed=HD"},
		{"/pt/%2Fevil.example", 308, "/%2Fevil.example"},
		{"/pt//evil.example", 404, ""},
		{"/ptx", 404, ""},
	} {
		w := webtest.Request(h, "GET", test.path)
		if got := w.Header().Get("Location"); w.Code != test.status || got != test.want {
			t.Errorf("%s: %d to %q, want %d to %q", test.path, w.Code, got, test.status, test.want)
		}
	}
}

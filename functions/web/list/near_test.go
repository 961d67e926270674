package list

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/i18n"
)

// TestNear checks the shelves of a country in each language, and that every other id is
// refused.
func TestNear(t *testing.T) {
	h := listHandler(t)
	for path, want := range map[string][]string{
		"/near/BR":    {"TV em alta · Brasil /brasil", "Rádios em alta · Brasil /brasil?kind=radio"},
		"/en/near/BR": {"Popular TV · Brazil /en/brazil", "Popular radio · Brazil /en/brazil?kind=radio"},
		"/de/near/BR": {"Beliebtes Fernsehen · Brasilien /de/brasilien", "Beliebtes Radio · Brasilien /de/brasilien?kind=radio"},
	} {
		w := webtest.Request(h, "GET", path)
		if got := w.Header().Get("Cache-Control"); !strings.Contains(got, "public") {
			t.Errorf("%s: Cache-Control is %q", path, got)
		}
		tree := webtest.Tree(t, h, path)
		var shelves []string
		for _, link := range webtest.Elements(tree, func(n *html.Node) bool { return n.Data == "a" && n.Parent.Data == "h2" }) {
			shelves = append(shelves, webtest.Text(link)+" "+webtest.Attr(link, "href"))
		}
		if d := cmp.Diff(want, shelves); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
		selected := webtest.Elements(tree, func(n *html.Node) bool {
			return n.Data == "option" && webtest.Attr(n, "value") == path[len(path)-2:]
		})
		if len(selected) != 2 { // the one that is selected, and the one in its place in the list
			t.Errorf("%s: the country is %d times in the menu", path, len(selected))
		}
		if webtest.ByID(tree, "main") != nil {
			t.Errorf("%s is a whole page", path)
		}
	}
	for _, path := range []string{"/near/br", "/near/ZZ", "/near/AQ", "/near/B", "/near/B%22", "/near/%3Cb", "/en/near/%00%00", "/near/BRA"} {
		if w := webtest.Request(h, "GET", path); w.Code != http.StatusNotFound && w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// TestSurprise checks that the redirect leads to channels of the first shelf or those
// after them, in the language of the path, to several ones, and is never stored.
func TestSurprise(t *testing.T) {
	h := listHandler(t)
	for _, l := range i18n.Locales {
		home := map[bool]string{true: "", false: "/" + l.Tag()}[l == i18n.PT]
		found := map[string]bool{}
		for range 60 {
			w := webtest.Request(h, "GET", home+"/surprise")
			to := w.Header().Get("Location")
			if w.Code != http.StatusFound || w.Header().Get("Cache-Control") != "no-store" || !strings.HasPrefix(to, home+"/") {
				t.Fatalf("%s/surprise: %d to %q, %q", home, w.Code, to, w.Header().Get("Cache-Control"))
			}
			if strings.Contains(to, "rb.") {
				t.Fatalf("%s/surprise leads to a station: %s", home, to)
			}
			found[to] = true
		}
		if len(found) < 2 {
			t.Errorf("%s/surprise leads always to the same channel", home)
		}
		w := webtest.Request(h, "GET", home+"/surprise?kind=radio")
		if to := w.Header().Get("Location"); w.Code != http.StatusFound || !strings.Contains(to, "/rb.") {
			t.Errorf("%s/surprise?kind=radio: %d to %q", home, w.Code, to)
		}
		if w := webtest.Request(h, "GET", home+"/surprise?kind=tv%00"); w.Code != http.StatusBadRequest {
			t.Errorf("%s/surprise of no kind: %d", home, w.Code)
		}
	}
}

package list

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/webtest"
)

// TestSuggest checks what the search field suggests: lists whose names begin with the
// words, in any language of the pages, before the channels that match best.
func TestSuggest(t *testing.T) {
	h := listHandler(t)
	for path, want := range map[string][]string{
		"/suggest":                nil,
		"/suggest?q=":             nil,
		"/suggest?q=%20%21":       nil,
		"/en/suggest?q=qwertyuio": nil,
	} {
		if d := cmp.Diff(want, suggestedBy(t, h, path)); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
	for path, first := range map[string]string{
		"/suggest?q=bras":       "Brasil /brasil",
		"/suggest?q=BRASIL":     "Brasil /brasil",
		"/de/suggest?q=brazil":  "Brasilien /de/brasilien",
		"/en/suggest?q=br":      "Brazil /en/brazil",
		"/en/suggest?q=bresil":  "Brazil /en/brazil",
		"/suggest?q=not%C3%ADc": "Notícias /?category=news",
	} {
		got := suggestedBy(t, h, path)
		if len(got) == 0 || got[0] != first {
			t.Errorf("%s suggests %q, want %q first", path, got, first)
		}
	}
	w := webtest.Request(h, "GET", "/suggest?q=b")
	if got := w.Header().Get("Cache-Control"); !strings.Contains(got, "s-maxage") {
		t.Errorf("Cache-Control is %q", got)
	}
	if strings.Contains(w.Body.String(), "<main") {
		t.Error("the suggestions are a whole page")
	}
}

// TestSuggestHostile checks that words are written as a text, and that too many of them
// are refused.
func TestSuggestHostile(t *testing.T) {
	h := listHandler(t)
	for _, q := range []string{"%3Cscript%3Ealert(1)%3C/script%3E", "%00", "%F0%9F%93%BA", "%E2%80%AE", strings.Repeat("a", 200), strings.Repeat("a+", 100)} {
		w := webtest.Request(h, "GET", "/suggest?q="+q)
		if w.Code != http.StatusOK && w.Code != http.StatusBadRequest || strings.Contains(w.Body.String(), "<script") {
			t.Errorf("%s: %d %s", q, w.Code, w.Body)
		}
	}
	if w := webtest.Request(h, "GET", "/suggest?q="+strings.Repeat("a", 201)); w.Code != http.StatusBadRequest {
		t.Errorf("201 letters: %d", w.Code)
	}
}

// suggestedBy returns the text and the path of each option.
func suggestedBy(t *testing.T, h http.Handler, path string) (all []string) {
	t.Helper()
	for _, option := range webtest.Elements(webtest.Tree(t, h, path), func(n *html.Node) bool { return webtest.Attr(n, "role") == "option" }) {
		text := webtest.Elements(option, func(n *html.Node) bool { return webtest.Attr(n, "class") == "suggest-text" })
		all = append(all, webtest.Text(text[0])+" "+webtest.Attr(option, "href"))
	}
	return all
}

package functions

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/library"
	published "miramundo.dev/shared/library/public"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
)

// publicPages returns the path of every page that is the same for all visitors, in every
// locale. Pages about one thing are about a channel and a country of the fixture.
func publicPages() []string {
	var paths []string
	for _, l := range i18n.Locales {
		paths = append(paths, site.Home.Path(l, "")+"?q=aurora")
		for _, p := range site.Pages {
			switch {
			case p.Personal():
			case p == site.Country:
				path, _ := site.CountryPath(l, "BR")
				paths = append(paths, path)
			case p == site.Public:
				paths = append(paths, p.Path(l, publicName))
			case p == site.City:
				paths = append(paths, p.Path(l, "berlin-2950159"))
			default:
				paths = append(paths, p.Path(l, "Aurora.br"))
			}
		}
	}
	return paths
}

// publicName is the name of the library that publishLibrary publishes.
const publicName = "aurora-tv"

// publishLibrary publishes a folder with a channel of the fixture.
func publishLibrary(t *testing.T, db store.DB) {
	t.Helper()
	l, err := library.Update(t.Context(), db, "g_ana", noon, func(l *library.Library) error {
		c, err := l.AddCategory("News")
		if err != nil {
			return err
		}
		_, _, err = l.AddItem(c.Groups[0].ID, library.Item{Channel: "Aurora.br", Name: "Aurora"}, nil)
		return err
	})
	if err == nil {
		_, _, err = published.Put(t.Context(), db, "g_ana", published.Draft{Name: publicName, Title: "News of Ana", Folders: []string{l.Categories[0].ID}}, noon)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestMarkdownPages checks that an agent gets each public page as Markdown: with the
// headings and the links of the page and nothing that needs a script, under a version of
// its own, and kept apart from the page by caches.
func TestMarkdownPages(t *testing.T) {
	db := openEmbedded(t)
	publishLibrary(t, db)
	h := mux(t, deps(t, db, fixture))
	for _, path := range publicPages() {
		page, body := apitest.Do(t, h, "GET", path, "", "Accept", "text/html,*/*;q=0.8")
		answer, text := apitest.Do(t, h, "GET", path, "", "Accept", "text/markdown, text/html;q=0.9")
		if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/markdown; charset=utf-8" {
			t.Errorf("%s: %d, %s", path, answer.StatusCode, answer.Header.Get("Content-Type"))
		}
		for name, r := range map[string]*http.Response{"page": page, "Markdown": answer} {
			if !strings.Contains(r.Header.Get("Vary"), "Accept,") || r.Header.Get("Content-Language") == "" {
				t.Errorf("%s, %s: Vary is %q, the language %q", path, name, r.Header.Get("Vary"), r.Header.Get("Content-Language"))
			}
		}
		tag := answer.Header.Get("Etag")
		if again, _ := apitest.Do(t, h, "GET", path, "", "Accept", "text/markdown", "If-None-Match", tag); again.StatusCode != http.StatusNotModified || tag == page.Header.Get("Etag") {
			t.Errorf("%s: the same version %s again answers %d; that of the page is %s", path, tag, again.StatusCode, page.Header.Get("Etag"))
		}
		for _, part := range partsOf(t, body) {
			if !strings.Contains(text, part) {
				t.Errorf("%s: the Markdown lacks %q", path, part)
			}
		}
		for _, part := range []string{"<script", "<svg", "<button"} {
			if strings.Contains(text, part) {
				t.Errorf("%s: the Markdown has %q", path, part)
			}
		}
	}
}

// partsOf returns the first heading of a page and the addresses in its text.
func partsOf(t *testing.T, page string) (parts []string) {
	t.Helper()
	tree, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	in := func(names ...string) func(n *html.Node) bool {
		return func(n *html.Node) bool {
			for a := range n.Ancestors() {
				if slices.Contains(names, a.Data) || webtest.HasClass(a, "needs-js") {
					return true
				}
			}
			return false
		}
	}
	for _, n := range webtest.Elements(webtest.ByID(tree, "main"), func(n *html.Node) bool { return n.Data == "a" && !webtest.HasClass(n, "needs-js") }) {
		if address := webtest.Attr(n, "href"); !in("form", "noscript", "template")(n) && strings.HasPrefix(address, "/") {
			parts = append(parts, "("+apitest.Origin+address+")")
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "# ")
	}
	return parts
}

// TestMarkdownIsAskedFor checks which callers get Markdown: those that name it.
func TestMarkdownIsAskedFor(t *testing.T) {
	h := mux(t, deps(t, openEmbedded(t), fixture))
	for accept, want := range map[string]bool{
		"text/markdown": true, "TEXT/Markdown;q=0.5, text/html;q=0.4": true, "text/markdown, text/html, */*": true,
		"": false, "*/*": false, "text/*": false, "text/html": false, "text/markdown;q=0": false, "text/markdown;q=0.4, text/html": false, "text/markdown;q=x": false,
	} {
		answer, _ := apitest.Do(t, h, "GET", "/en", "", "Accept", accept)
		if got := strings.HasPrefix(answer.Header.Get("Content-Type"), "text/markdown"); got != want {
			t.Errorf("Accept %q: %s", accept, answer.Header.Get("Content-Type"))
		}
	}
	if answer, _ := apitest.Do(t, h, "GET", "/en/library", "", "Accept", "text/markdown"); !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
		t.Errorf("the visitor's own pages are %s", answer.Header.Get("Content-Type"))
	}
	if answer, _ := apitest.Do(t, h, "GET", "/en/nothing", "", "Accept", "text/markdown"); answer.StatusCode != http.StatusNotFound {
		t.Errorf("a page that does not exist answers %d", answer.StatusCode)
	}
}

package web_test

import (
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample serves the pages of the sample catalog.
func sample(t testing.TB) http.Handler {
	t.Helper()
	return serve(webtest.Sample(t, index.Overlay{}))
}

// A head is what the head of a page contains.
type head struct {
	status     int
	lang       string
	title      string
	metas      map[string][]string // by name or property, with the medium
	links      map[string][]string // by rel, and for alternates by hreflang
	statements []map[string]any
}

// headOf reads the head of a page.
func headOf(t testing.TB, h http.Handler, target string, pairs ...string) head {
	t.Helper()
	w := webtest.Request(h, "GET", target, pairs...)
	tree, err := html.Parse(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := head{status: w.Code, metas: map[string][]string{}, links: map[string][]string{}}
	for n := range tree.Descendants() {
		has := map[string]string{}
		for _, a := range n.Attr {
			has[a.Key] = a.Val
		}
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "html":
			out.lang = has["lang"]
		case n.Data == "title" && n.Parent.Data == "head":
			out.title += n.FirstChild.Data
		case n.Data == "meta" && has["name"]+has["property"] != "":
			key := has["name"] + has["property"] + has["media"]
			out.metas[key] = append(out.metas[key], has["content"])
		case n.Data == "link":
			key := strings.TrimSpace(has["rel"] + " " + has["hreflang"])
			out.links[key] = append(out.links[key], has["href"])
		case n.Data == "script" && has["type"] == "application/ld+json":
			var statement map[string]any
			if err := json.Unmarshal([]byte(n.FirstChild.Data), &statement); err != nil {
				t.Errorf("%s: %v in %s", target, err, n.FirstChild.Data)
			}
			out.statements = append(out.statements, statement)
		}
	}
	return out
}

func (h head) link(key string) string { return strings.Join(h.links[key], " and ") }
func (h head) meta(key string) string { return strings.Join(h.metas[key], " and ") }

// kinds returns the types of the statements of a page.
func (h head) kinds() (kinds []string) {
	for _, s := range h.statements {
		kinds = append(kinds, fmt.Sprint(s["@type"]))
	}
	return kinds
}

// TestPaths compares the paths of all pages with a golden file, so that a change,
// which breaks links of others, is seen in review.
func TestPaths(t *testing.T) {
	var b strings.Builder
	for _, e := range web.Endpoints {
		fmt.Fprintf(&b, "%s\n", e.Pattern())
		if !e.Page {
			t.Errorf("%s is not a page", e.Pattern())
		}
	}
	const file = "testdata/paths.golden"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("paths (-want +got), or run with -update:\n%s", diff)
	}
}

// somePages returns paths of every kind of page in a locale: those that search
// engines may index, and those that they may not.
func somePages(l i18n.Locale) (shown, hidden []string) {
	brazil, _ := site.CountryPath(l, "BR")
	shown = []string{brazil, site.Channel.Path(l, webtest.KnownID)}
	for _, p := range site.Pages {
		switch {
		case p.Private(): // search engines have no session
		case p.Personal():
			hidden = append(hidden, p.Path(l, ""))
		case !p.Named():
			shown = append(shown, p.Path(l, ""))
		}
	}
	hidden = append(hidden, site.Home.Path(l, "")+"?q=test", site.Home.Path(l, "")+"?category=news&offset=24", site.Channel.Path(l, "no-such"))
	return append(shown, site.Home.Path(l, "")+"?kind=radio"), hidden
}

// TestHeads checks that every kind of page names its preferred URL and its URL in
// each language, and that the pages in all languages agree.
func TestHeads(t *testing.T) {
	h := sample(t)
	locales := i18n.Locales
	if testing.Short() {
		locales = locales[:1] // its pages name those of the other locales
	}
	for _, l := range locales {
		shown, _ := somePages(l)
		for i, path := range shown {
			got := headOf(t, h, path)
			if got.status != http.StatusOK || got.lang != l.HTML() {
				t.Errorf("%s: status %d in %s", path, got.status, got.lang)
			}
			if got.link("canonical") != webtest.Base+path || got.meta("og:url") != webtest.Base+path || got.metas["robots"] != nil {
				t.Errorf("%s: canonical %s, og:url %s, robots %s", path, got.link("canonical"), got.meta("og:url"), got.metas["robots"])
			}
			for _, other := range i18n.Locales {
				theirs, _ := somePages(other)
				if address := got.link("alternate " + other.HTML()); address != webtest.Base+theirs[i] {
					t.Errorf("%s is in %s at %q, want %s", path, other, address, webtest.Base+theirs[i])
				}
			}
			if first, _ := somePages(i18n.PT); got.link("alternate x-default") != webtest.Base+first[i] {
				t.Errorf("%s has the x-default address %q", path, got.link("alternate x-default"))
			}
			checkHead(t, h, path, got)
		}
	}
}

// TestPagesAreSeenWhole checks that browsers show nothing of a page before they have read
// it to its last element: what is shown of a half moves when the other half comes.
func TestPagesAreSeenWhole(t *testing.T) {
	h := sample(t)
	shown, hidden := somePages(i18n.PT)
	for _, path := range append(append(shown, hidden...), "/no-such-page") {
		w := webtest.Request(h, "GET", path)
		tree, err := html.Parse(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		var awaited, last string
		for n := range tree.Descendants() {
			id, _ := attr(n, "id")
			rel, _ := attr(n, "rel")
			blocking, _ := attr(n, "blocking")
			if n.Data == "link" && n.Parent.Data == "head" && rel == "expect" && blocking == "render" {
				awaited, _ = attr(n, "href")
			}
			if n.Type == html.ElementNode && n.Parent.Data == "body" {
				last = "#" + id
			}
		}
		if awaited == "" || awaited != last {
			t.Errorf("%s is seen from %q, and ends with %q", path, awaited, last)
		}
	}
}

// TestPersonalPagesAreNotIndexed checks that pages that search engines must not index say so, and name
// no preferred URL.
func TestPersonalPagesAreNotIndexed(t *testing.T) {
	h := sample(t)
	for _, l := range i18n.Locales {
		_, hidden := somePages(l)
		for _, path := range hidden {
			got := headOf(t, h, path)
			if got.meta("robots") != "noindex" || got.links["canonical"] != nil || got.links["alternate en"] != nil || got.metas["og:url"] != nil || got.statements != nil {
				t.Errorf("%s: robots %q, canonical %q, %d statements", path, got.meta("robots"), got.link("canonical"), len(got.statements))
			}
			checkHead(t, h, path, got)
		}
	}
}

// checkHead checks that a head has each of its elements once, and that the files
// it names exist.
func checkHead(t *testing.T, h http.Handler, path string, got head) {
	t.Helper()
	for _, key := range []string{
		"description", "og:type", "og:site_name", "og:title", "og:description", "og:locale", "og:image", "og:image:width", "og:image:height", "og:image:alt",
		"twitter:card", "viewport", "theme-color(prefers-color-scheme: light)", "theme-color(prefers-color-scheme: dark)",
	} {
		if values := got.metas[key]; len(values) != 1 || values[0] == "" {
			t.Errorf("%s: %s is %q", path, key, values)
		}
	}
	if got.title == "" || len(got.metas["og:locale:alternate"]) != 4 || slices.Contains(got.metas["og:locale:alternate"], got.meta("og:locale")) {
		t.Errorf("%s: title %q, other locales %q", path, got.title, got.metas["og:locale:alternate"])
	}
	for _, key := range []string{"manifest", "apple-touch-icon"} {
		if w := webtest.Request(h, "GET", got.link(key)); w.Code != http.StatusOK {
			t.Errorf("%s: its %s is %q: %d", path, key, got.link(key), w.Code)
		}
	}
	if strings.Contains(path, "no-such") {
		return
	}
	if w := webtest.Request(h, "HEAD", got.meta("og:image")); w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/png" {
		t.Errorf("%s: its picture %s: %d", path, got.meta("og:image"), w.Code)
	}
}

// TestStatements checks what search engines read in the words of schema.org.
func TestStatements(t *testing.T) {
	h := sample(t)
	for _, l := range i18n.Locales {
		home := headOf(t, h, site.Home.Path(l, ""))
		if diff := cmp.Diff([]string{"WebSite", "Organization"}, home.kinds()); diff != "" {
			t.Fatalf("%s: home (-want +got):\n%s", l, diff)
		}
		action := home.statements[0]["potentialAction"].(map[string]any)
		address := action["target"].(map[string]any)["urlTemplate"].(string)
		if w := webtest.Request(h, "GET", strings.Replace(address, "{search_term_string}", "rtp", 1)); w.Code != http.StatusOK || !strings.HasPrefix(address, webtest.Base+site.Home.Path(l, "")+"?") {
			t.Errorf("%s: the search address %s answers %d", l, address, w.Code)
		}
		path, _ := site.CountryPath(l, "BR")
		brazil := headOf(t, h, path)
		if diff := cmp.Diff([]string{"BreadcrumbList"}, brazil.kinds()); diff != "" {
			t.Fatalf("%s: country (-want +got):\n%s", l, diff)
		}
		for i, item := range brazil.statements[0]["itemListElement"].([]any) {
			step := item.(map[string]any)
			if w := webtest.Request(h, "GET", step["item"].(string)); w.Code != http.StatusOK || step["position"] != float64(i+1) || step["name"] == "" {
				t.Errorf("%s: step %d is %v: %d", l, i, step, w.Code)
			}
		}
	}
}

// TestSitemapListsIndexablePages follows the URLs of a site map: each leads to a page that search
// engines may index, and whose preferred URL it is.
func TestSitemapListsIndexablePages(t *testing.T) {
	h := sample(t)
	var file struct {
		Pages []struct {
			Address string `xml:"loc"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal([]byte(webtest.Body(t, h, "/sitemap/en-1.xml")), &file); err != nil || len(file.Pages) < 100 {
		t.Fatalf("%d pages, %v", len(file.Pages), err)
	}
	every := 1
	if testing.Short() {
		every = 7
	}
	for i := 0; i < len(file.Pages); i += every {
		address := file.Pages[i].Address
		if got := headOf(t, h, address); got.status != http.StatusOK || got.link("canonical") != address || got.metas["robots"] != nil {
			t.Errorf("%s: %d, canonical %s, robots %s", address, got.status, got.link("canonical"), got.metas["robots"])
		}
	}
}

package prose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// TestConnectPages checks that the pages on how to connect programs have all their texts,
// and name the lists and addresses of this service. The suite of clients follows them.
func TestConnectPages(t *testing.T) {
	h := handler(t, "")
	for _, l := range i18n.Locales {
		list := webtest.Links.Base + "/lists/country/" + listCountries[l]
		for p, want := range map[site.Page][]string{
			site.Kodi:          {list + ".m3u<", kodiURL[l], `data-setting="m3uPathType" data-value="1"`},
			site.Jellyfin:      {list + ".m3u<", list + ".xml.gz<", `data-setting="Type" data-value="xmltv"`},
			site.HomeAssistant: {webtest.Links.Base + "/mcp<", webtest.Links.Base + site.EmbedPath(l, ""), "media_content_id: '" + webtest.Links.Hop},
		} {
			text := textOf(t, h, p.Path(l, ""))
			if found := missingText.FindString(text); found != "" {
				t.Errorf("%s in %s: no text: %s", p, l, found)
			}
			for _, part := range want {
				if !strings.Contains(text, part) {
					t.Errorf("%s in %s lacks %s", p, l, part)
				}
			}
		}
	}
}

// TestConnectWithoutCatalog checks that the page with examples says that the catalog is
// not there yet, and that the others do not need it.
func TestConnectWithoutCatalog(t *testing.T) {
	var none webtest.Catalog
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Sources: none, Catalog: none}), Endpoints)
	for p, want := range map[site.Page]int{site.Kodi: 200, site.Jellyfin: 200, site.HomeAssistant: 503} {
		if w := webtest.Request(h, "GET", p.Path(i18n.EN, "")); w.Code != want {
			t.Errorf("%s: %d, want %d", p, w.Code, want)
		}
	}
}

// TestQuote checks that names of the catalog stay within a string of YAML, and begin no
// template of Home Assistant.
func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"Radio One":                `'Radio One'`,
		"L'Équipe: #1":             `'L''Équipe: #1'`,
		"two\r\nlines\t{{ now }}":  `'two lines (( now }}'`,
		"{{{ 1 }}} {% raw %}{#x#}": `'(({ 1 }}} (% raw %}(#x#}'`,
		"{{{% set %}":              `'(((% set %}'`,
		"{ a } % # {":              `'{ a } % # {'`,
		`a\n"b"`:                   `'a\n"b"'`,
	} {
		if d := cmp.Diff(want, quote(text)); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

// TestGuideLeadsToPrograms checks that the instructions lead to the page of each program.
func TestGuideLeadsToPrograms(t *testing.T) {
	doc := webtest.Tree(t, handler(t, ""), site.Guide.Path(i18n.DE, ""))
	found := map[string]bool{}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "a" {
			found[webtest.Attr(n, "href")] = true
		}
	}
	for _, p := range []site.Page{site.Kodi, site.Jellyfin, site.HomeAssistant} {
		if !found[p.Path(i18n.DE, "")] {
			t.Errorf("the instructions do not lead to %s", p)
		}
	}
}

package list

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// A namedCard is what the tests read of a card.
type namedCard struct{ ID, Path, Name, Country, Letters, Now string }

// readCards returns the cards that a path shows.
func readCards(t testing.TB, h http.Handler, path string) (all []namedCard) {
	t.Helper()
	for _, card := range webtest.Elements(webtest.Tree(t, h, path), func(n *html.Node) bool { return webtest.HasClass(n, "card") }) {
		text := func(class string) string {
			for _, n := range webtest.Elements(card, func(n *html.Node) bool { return webtest.HasClass(n, class) }) {
				return strings.TrimSpace(webtest.Text(n))
			}
			return ""
		}
		link := webtest.Elements(card, func(n *html.Node) bool { return webtest.HasClass(n, "card-link") })[0]
		all = append(all, namedCard{webtest.Attr(card, "data-id"), webtest.Attr(link, "href"), text("card-link"), text("flag-of"), text("letters-of"), text("card-now")})
	}
	return all
}

// TestCards checks the cards of channels in each language: in the order of the ids, each
// once, without those that are not shown, as a piece that caches keep.
func TestCards(t *testing.T) {
	reg := listRegister()
	reg.ChannelAliases = map[string]string{"Former.pt": "Solo.pt"}
	reg.Records = append(reg.Records, catalog.Record{ID: "rb.9", Kind: catalog.Station, Name: "Rádio Nove (ZYK123 98,5 MHz FM) [aac]", Country: "BR", Origin: "radio-browser", Radio: &catalog.Radio{}})
	shown := webtest.Show(t, reg, index.Overlay{})
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: shown, Now: webtest.Clock}), Endpoints)
	for _, l := range i18n.Locales {
		country := func(code string) string { name, _ := i18n.CountryName(code, l); return name }
		solo := namedCard{"Solo.pt", site.Channel.Path(l, "Solo.pt"), "Solo", country("PT"), "Solo", ""}
		nine := namedCard{"rb.9", site.Channel.Path(l, "rb.9"), "Rádio Nove", country("BR"), "Rádio Nove", ""}
		for ids, want := range map[string][]namedCard{
			"Solo.pt,rb.9":                    {solo, nine},
			"rb.9,Solo.pt":                    {nine, solo},
			"rb.9,Solo.pt,rb.9,Solo.pt":       {nine, solo},
			"Former.pt":                       {solo},
			"Former.pt,Solo.pt":               {solo},
			"Nowhere.br,,%20rb.9%20,%3Cb%3E,": {nine},
			"Nowhere.br":                      nil,
			",":                               nil,
			strings.Repeat("a,", 48) + "rb.9": {nine},
		} {
			path := page.Below(l, "/cards?ids=") + ids
			if d := cmp.Diff(want, readCards(t, h, path)); d != "" {
				t.Errorf("%s (-want +got):\n%s", path, d)
			}
			w := webtest.Request(h, "GET", path)
			if got := w.Header().Get("Cache-Control"); !strings.Contains(got, "public") || w.Header().Get("Set-Cookie") != "" {
				t.Errorf("%s: Cache-Control is %q", path, got)
			}
			if strings.Contains(w.Body.String(), "<main") {
				t.Errorf("%s is a whole page", path)
			}
		}
	}
}

// TestCardsNow checks that cards tell what is on now.
func TestCardsNow(t *testing.T) {
	h := scheduleHandler(t, 2)
	got := readCards(t, h, "/en/cards?ids=Past.fr,C001.br")
	want := []namedCard{
		{"Past.fr", "/en/channel/Past.fr", "Passé", "France", "Passé", ""},
		{"C001.br", "/en/channel/C001.br", "Canal 1", "Brazil", "Canal 1", "Now: Jornal 1"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	bars := webtest.Elements(webtest.Tree(t, h, "/en/cards?ids=Past.fr,C001.br"), func(n *html.Node) bool { return n.Data == "progress" })
	if len(bars) != 1 || webtest.Attr(bars[0], "value") != "50" {
		t.Errorf("%d bars, want one at 50 of 100", len(bars))
	}
}

// TestCardsHostile checks that requests which name too much or nothing are refused, and
// that names are written as texts.
func TestCardsHostile(t *testing.T) {
	h := listHandler(t)
	for name, ids := range map[string]string{
		"no ids":           "",
		"51 ids":           strings.Repeat("a,", 50) + "a",
		"51 times one id":  strings.Repeat("Solo.pt,", 50) + "Solo.pt",
		"51 empty ids":     strings.Repeat(",", 50),
		"a long id":        "Solo.pt," + strings.Repeat("x", 129),
		"a long query":     strings.Repeat("x", 4001),
		"a very long one":  strings.Repeat("x", 60_000),
		"what is no UTF-8": "%ff",
		"a control":        "Solo.pt%00",
	} {
		w := webtest.Request(h, "GET", "/en/cards?ids="+ids)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"error":"invalid_request"`) {
			t.Errorf("%s: %d %.200s", name, w.Code, w.Body)
		}
	}
	if w := webtest.Request(h, "GET", "/en/cards"); w.Code != http.StatusBadRequest {
		t.Errorf("without ids: %d", w.Code)
	}
	id := `<i>"'&/?#`
	got := readCards(t, h, "/en/cards?ids="+url.QueryEscape(id))
	if len(got) != 1 || got[0].ID != id || !strings.HasPrefix(got[0].Path, "/en/channel/%3Ci%3E") {
		t.Errorf("the hostile channel is %q", got)
	}
	tree := webtest.Tree(t, h, "/en/cards?ids="+url.QueryEscape(id)+",rb.3")
	if bad := webtest.Elements(tree, func(n *html.Node) bool { return slices.Contains([]string{"script", "i", "b"}, n.Data) }); len(bad) > 0 {
		t.Errorf("names became %d elements", len(bad))
	}
	if w := webtest.Request(h, "GET", "/en/cards?ids="+strings.Repeat("%F0%9F%93%BA", 128)); w.Code != http.StatusOK {
		t.Errorf("an id of 128 characters: %d", w.Code)
	}
}

package list

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// listRegister is a catalog of 65 channels and 3 stations, two of which are
// hostile, and one of which has no usable stream.
func listRegister() *catalog.Register {
	reg := &catalog.Register{
		BuiltAt: webtest.Now,
		Categories: []catalog.Category{
			{ID: "kids", Name: catalog.Labels{"Infantil", "Kids", "Infantil", "Jeunesse", "Kinder"}},
			{ID: "news", Name: catalog.Labels{"Notícias", "News", "Noticias", "Infos", "Nachrichten"}},
		},
		Languages: []catalog.Term{{Code: "por", Name: catalog.Labels{"Português", "Portuguese", "Portugués", "Portugais", "Portugiesisch"}}},
		Countries: []catalog.Term{
			{Code: "BR", Name: catalog.Labels{"Brasil", "Brazil", "Brasil", "Brésil", "Brasilien"}},
			{Code: "PT", Name: catalog.Labels{"Portugal", "Portugal", "Portugal", "Portugal", "Portugal"}},
		},
	}
	add := func(r catalog.Record) {
		id := catalog.StreamID(len(reg.Records) + 1)
		r.Origin = "iptv-org"
		r.Streams = []catalog.StreamRecord{{ID: id, URL: fmt.Sprintf("https://live.example/%d.m3u8", id), Kind: catalog.StreamHLS, Origin: r.Origin, Quality: r.Quality, Playable: r.Name != "Silent"}}
		reg.Records = append(reg.Records, r)
	}
	for i := range 62 {
		r := catalog.Record{ID: fmt.Sprintf("C%02d.br", i), Name: fmt.Sprintf("Canal %02d", i), Country: "BR", Languages: []string{"por"}, Categories: []string{"news"}, Quality: "720p"}
		if i%2 == 1 {
			r.Categories = []string{"kids"}
		}
		add(r)
	}
	add(catalog.Record{ID: "Solo.pt", Name: "Solo", Country: "PT", Network: "Rede & Cia", HasGuide: true})
	add(catalog.Record{ID: "Silent.pt", Name: "Silent", Country: "PT"})
	add(catalog.Record{ID: `<i>"'&/?#`, Name: webtest.HostileName, Country: "XX", Categories: []string{webtest.HostileName}, Quality: webtest.HostileName})
	add(catalog.Record{ID: "rb.1", Kind: catalog.Station, Name: "Rádio Um", Country: "BR", Radio: &catalog.Radio{Tags: []string{"jazz & blues"}, Votes: 10}})
	add(catalog.Record{ID: "rb.2", Kind: catalog.Station, Name: "Rádio Dois", Country: "BR", Radio: &catalog.Radio{Tags: []string{"pop"}, Votes: 90}})
	add(catalog.Record{ID: "rb.3", Kind: catalog.Station, Name: webtest.HostileName, Country: "PT", Radio: &catalog.Radio{Tags: []string{webtest.HostileName}}})
	return reg
}

// listHandler serves it, with measurements and logos.
func listHandler(t testing.TB) http.Handler {
	t.Helper()
	checked := "2026-11-22T11:00:00Z"
	measured := func(score int, online bool) *catalog.Measurement {
		m := &catalog.Measurement{Health: catalog.StreamHealth{Status: "online", Score: &score, CheckedAt: &checked}}
		if online {
			m.OnlineAt = webtest.Now
		}
		return m
	}
	shown := webtest.Show(t, listRegister(), index.Overlay{
		OnlineSince: webtest.Now.Add(-time.Hour),
		Logos:       maps.All(map[string]string{"C03.br": "logo-3", `<i>"'&/?#`: `"><script>`}),
		Streams:     maps.All(map[catalog.StreamID]*catalog.Measurement{1: measured(20, false), 2: measured(50, true), 3: measured(99, true)}),
	})
	return webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: shown, Now: webtest.Clock}), Endpoints)
}

// A shownList is what a page of a list shows.
type shownList struct {
	Title, H1, Total     string
	NoIndex              bool
	Cards                []string // ids, the first 3
	Tabs, Topics, Active string
	Next, Previous       string
}

// readList returns what a page shows.
func readList(t testing.TB, h http.Handler, path string) shownList {
	t.Helper()
	tree := webtest.Tree(t, h, path)
	var l shownList
	links := func(into *string, prefix string) func(n *html.Node) {
		return func(n *html.Node) {
			if id := webtest.Attr(n, "id"); strings.HasPrefix(id, prefix) {
				*into += webtest.Text(n)
				if webtest.Attr(n, "aria-current") != "" {
					*into += "!"
				}
				*into += " " + webtest.Attr(n, "href") + "\n"
			}
		}
	}
	reads := []func(n *html.Node){links(&l.Tabs, "kind-"), links(&l.Topics, "topic-"), links(&l.Active, "drop-")}
	for _, n := range webtest.Elements(tree, func(*html.Node) bool { return true }) {
		for _, read := range reads {
			read(n)
		}
		switch {
		case n.Data == "title":
			l.Title = strings.TrimSuffix(webtest.Text(n), " · Miramundo")
		case n.Data == "h1":
			l.H1 = webtest.Text(n)
		case webtest.Attr(n, "id") == "total":
			l.Total = webtest.Text(n)
		case n.Data == "meta" && webtest.Attr(n, "name") == "robots":
			l.NoIndex = strings.Contains(webtest.Attr(n, "content"), "noindex")
		case webtest.HasClass(n, "card") && len(l.Cards) < 3:
			l.Cards = append(l.Cards, webtest.Attr(n, "data-id"))
		case n.Data == "a" && webtest.Attr(n, "rel") == "next":
			l.Next = webtest.Attr(n, "href")
		case n.Data == "a" && webtest.Attr(n, "rel") == "prev":
			l.Previous = webtest.Attr(n, "href")
		}
	}
	return l
}

// TestLists reads pages of lists: what they find, in which order, and where
// their links lead.
func TestLists(t *testing.T) {
	h := listHandler(t)
	for path, want := range map[string]shownList{
		"/": {
			Title: "TV e rádio do mundo todo, ao vivo", H1: "TV e rádio do mundo todo, ao vivo",
			Cards:  []string{"C02.br", "Solo.pt", "C01.br"},
			Tabs:   "TV 64 /?kind=tv\nRádio 3 /?kind=radio\nTudo 67 /?kind=all\n",
			Topics: "Infantil 31 /?category=kids\nNotícias 31 /?category=news\n",
		},
		"/?kind=tv&q=&country=": {
			Title: "Canais de TV ao vivo", H1: "Canais de TV ao vivo", Total: "64 canais de TV",
			Cards: []string{"C02.br", "Solo.pt", "C01.br"}, Next: "/?offset=30",
			Tabs:   "TV 64! /?kind=tv\nRádio 3 /?kind=radio\nTudo 67 /?kind=all\n",
			Topics: "Infantil 31 /?category=kids\nNotícias 31 /?category=news\n",
		},
		"/en?q=canal&category=kids&offset=30": {
			Title: "Kids · Search for “canal”", H1: "Search for “canal”", Total: "31 channels and stations", NoIndex: true,
			Cards: []string{"C61.br"}, Previous: "/en?q=canal&category=kids",
			Tabs:   "TV 31 /en?q=canal&kind=tv&category=kids\nRadio 0 /en?q=canal&kind=radio\nAll 31! /en?q=canal&category=kids\n",
			Topics: "Kids 31! /en?q=canal\nNews 31 /en?q=canal&category=news\n",
			Active: "“canal” /en?category=kids\nKids /en?q=canal\n",
		},
		"/?kind=radio&country=br": {
			Title: "Brasil · Rádios ao vivo", H1: "Rádios ao vivo", Total: "2 rádios", NoIndex: true, Cards: []string{"rb.2", "rb.1"},
			Tabs:   "TV 62 /?country=BR\nRádio 2! /?kind=radio&country=BR\nTudo 64 /?kind=all&country=BR\n",
			Topics: "Pop 1 /?country=BR&genre=pop\nJazz 1 /?country=BR&genre=jazz\nBlues 1 /?country=BR&genre=blues\n",
			Active: "Brasil /?kind=radio\n",
		},
		"/brasil": {
			Title: "Brasil: TV e rádio ao vivo", H1: "Brasil", Total: "62 canais de TV", Cards: []string{"C02.br", "C01.br", "C03.br"}, Next: "/brasil?offset=30",
			Tabs:   "TV 62! /brasil\nRádio 2 /brasil?kind=radio\nTudo 64 /brasil?kind=all\n",
			Topics: "Infantil 31 /brasil?category=kids\nNotícias 31 /brasil?category=news\n",
		},
		"/fr/bresil?kind=radio": {
			Title: "Brésil · Radios en direct", H1: "Brésil", Total: "2 radios", Cards: []string{"rb.2", "rb.1"},
			Tabs:   "Télé 62 /fr/bresil\nRadio 2! /fr/bresil?kind=radio\nTout 64 /fr/bresil?kind=all\n",
			Topics: "Pop 1 /fr/bresil?genre=pop\nJazz 1 /fr/bresil?genre=jazz\nBlues 1 /fr/bresil?genre=blues\n",
		},
		"/en/brazil?language=pt&quality=720p&sort=name&online=1&kind=tv": {
			Title: "Brazil · Portuguese, 720p, Working recently · Live TV channels", H1: "Brazil", NoIndex: true, Total: "2 TV channels", Cards: []string{"C01.br", "C02.br"},
		},
		"/?network=Rede+%26+Cia&guide=1": {
			Title: "Rede & Cia, Com guia · Canais de TV ao vivo", H1: "Canais de TV ao vivo", Total: "1 canal de TV", NoIndex: true, Cards: []string{"Solo.pt"},
			Tabs:   "TV 1! /?network=Rede+%26+Cia&guide=1\nRádio 0 /?kind=radio&network=Rede+%26+Cia&guide=1\nTudo 1 /?kind=all&network=Rede+%26+Cia&guide=1\n",
			Active: "Rede & Cia /?guide=1\nCom guia /?network=Rede+%26+Cia\n",
		},
		"/de?q=silent&playable=0": {
			Title: "Auch nicht laufende · Suche nach „silent“", H1: "Suche nach „silent“", Total: "1 Sender", NoIndex: true, Cards: []string{"Silent.pt"},
			Tabs:   "TV 1 /de?q=silent&kind=tv&playable=0\nRadio 0 /de?q=silent&kind=radio&playable=0\nAlles 1! /de?q=silent&playable=0\n",
			Active: "„silent“ /de?playable=0\nAuch nicht laufende /de?q=silent\n",
		},
		"/es?q=cnal+05": { // a slip of the pen
			Title: "Búsqueda de «cnal 05»", H1: "Búsqueda de «cnal 05»", Total: "1 canal o radio", NoIndex: true, Cards: []string{"C05.br"},
		},
	} {
		got := readList(t, h, path)
		if want.Tabs == "" { // where they are another page's matter
			got.Tabs, got.Topics, got.Active = "", "", ""
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
}

// TestPlaylistsOfList checks that a search and a country name the same search as lists for
// media players, and the home page does not.
func TestPlaylistsOfList(t *testing.T) {
	h := listHandler(t)
	for path, want := range map[string]string{
		"/":                     "",
		"/?q=canal&offset=30":   "kind=all&lang=pt&q=canal&sort=relevance",
		"/en?category=kids":     "category=kids&lang=en&sort=popular",
		"/de?genre=jazz":        "genre=jazz&kind=radio&lang=de&sort=votes",
		"/brasil":               "country=BR&lang=pt&sort=popular",
		"/es/brasil?kind=radio": "country=BR&kind=radio&lang=es&sort=votes",
		"/?q=%22%3Cb%3E":        "kind=all&lang=pt&q=%22%3Cb%3E&sort=relevance",
	} {
		var got, all []string
		for _, link := range webtest.Elements(webtest.Tree(t, h, path), func(n *html.Node) bool { return n.Data == "link" && webtest.Attr(n, "rel") == "alternate" }) {
			if media := webtest.Attr(link, "type"); media == "audio/x-mpegurl" || media == "application/xspf+xml" {
				got = append(got, media+" "+webtest.Attr(link, "href"))
			}
		}
		if base := webtest.Links.Base + "/api/channels"; want != "" {
			all = []string{"audio/x-mpegurl " + base + ".m3u?" + want, "application/xspf+xml " + base + ".xspf?" + want}
		}
		if d := cmp.Diff(all, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
}

// TestOrders checks the orders that a list offers, and which it is in.
func TestOrders(t *testing.T) {
	h := listHandler(t)
	for path, want := range map[string]string{
		"/?kind=tv":             "popular! /?kind=tv, score /?sort=score, name /?sort=name",
		"/en/brazil":            "popular! /en/brazil, score /en/brazil?sort=score, name /en/brazil?sort=name",
		"/?kind=all":            "popular! /?kind=all, score /?kind=all&sort=score, votes /?kind=all&sort=votes, name /?kind=all&sort=name",
		"/?kind=radio":          "popular /?kind=radio&sort=popular, score /?kind=radio&sort=score, votes! /?kind=radio, name /?kind=radio&sort=name",
		"/?q=a&kind=tv":         "relevance! /?q=a&kind=tv, popular /?q=a&kind=tv&sort=popular, score /?q=a&kind=tv&sort=score, name /?q=a&kind=tv&sort=name",
		"/?kind=tv&sort=score":  "popular /?kind=tv, score! /?sort=score, name /?sort=name",
		"/?genre=pop&sort=name": "popular /?genre=pop&sort=popular, score /?genre=pop&sort=score, votes /?genre=pop, name! /?genre=pop&sort=name",
	} {
		var all []string
		for _, n := range webtest.Elements(webtest.Tree(t, h, path), func(n *html.Node) bool { return strings.HasPrefix(webtest.Attr(n, "id"), "sort-") }) {
			sort := strings.TrimPrefix(webtest.Attr(n, "id"), "sort-")
			if webtest.Attr(n, "aria-current") != "" {
				sort += "!"
			}
			all = append(all, sort+" "+webtest.Attr(n, "href"))
		}
		if d := cmp.Diff(want, strings.Join(all, ", ")); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
	home, tv := readList(t, h, "/").Cards, readList(t, h, "/?kind=tv").Cards
	if d := cmp.Diff(tv, home); d != "" {
		t.Errorf("the first shelf (-list +home):\n%s", d)
	}
}

// TestShelves checks the shelves of the home page: their order, where each leads, and
// that a channel stands on one shelf only.
func TestShelves(t *testing.T) {
	tree := webtest.Tree(t, listHandler(t), "/en")
	var shelves []string
	on := map[string]string{}
	for _, section := range webtest.Elements(tree, func(n *html.Node) bool { return strings.HasPrefix(webtest.Attr(n, "aria-labelledby"), "shelf-") }) {
		title := webtest.Elements(section, func(n *html.Node) bool { return n.Data == "h2" })[0]
		link := webtest.Elements(title, func(n *html.Node) bool { return n.Data == "a" })[0]
		cards := webtest.Elements(section, func(n *html.Node) bool { return webtest.HasClass(n, "card") })
		shelves = append(shelves, fmt.Sprintf("%s %d %s", webtest.Text(title), len(cards), webtest.Attr(link, "href")))
		for _, c := range cards {
			id := webtest.Attr(c, "data-id")
			if on[id] != "" {
				t.Errorf("%s is on the shelves %s and %s", id, on[id], webtest.Text(title))
			}
			on[id] = webtest.Text(title)
		}
	}
	want := []string{"Continue watching 0 /en/history", "Popular TV channels 12 /en?kind=tv", "News 12 /en?category=news", "Kids 12 /en?category=kids", "Popular radio stations 3 /en?kind=radio"}
	if d := cmp.Diff(want, shelves); d != "" {
		t.Errorf("shelves (-want +got):\n%s", d)
	}
}

// TestPagesOfListAreComplete follows the links to the next page from the first to the last,
// and back again: every channel comes once.
func TestPagesOfListAreComplete(t *testing.T) {
	h := listHandler(t)
	for _, first := range []string{"/?kind=tv", "/en/brazil", "/?q=canal&sort=name", "/?kind=all&playable=0"} {
		var ids []string
		pages := []string{first}
		for path := first; path != ""; {
			tree := webtest.Tree(t, h, path)
			for _, n := range webtest.Elements(tree, func(n *html.Node) bool { return webtest.HasClass(n, "card") }) {
				ids = append(ids, webtest.Attr(n, "data-id"))
			}
			next := readList(t, h, path)
			if before := len(pages) - 2; before >= 0 && readList(t, h, next.Previous).Cards[0] != readList(t, h, pages[before]).Cards[0] {
				t.Errorf("%s leads back to %s, not to %s", path, next.Previous, pages[before])
			}
			if path = next.Next; path != "" {
				pages = append(pages, path)
			}
		}
		sorted := slices.Compact(slices.Sorted(slices.Values(ids)))
		if len(ids) != len(sorted) || len(pages) != 3 {
			t.Errorf("%s: %d pages of %d channels, of which %d are different", first, len(pages), len(ids), len(sorted))
		}
	}
}

// TestListRefusesBadQueries checks that the pages refuse the queries that the API refuses.
func TestListRefusesBadQueries(t *testing.T) {
	h := listHandler(t)
	for _, query := range []string{
		"kind=film", "sort=size", "offset=-1", "offset=x", "offset=1e9", "guide=yes", "online=2", "playable=true", "q=" + strings.Repeat("x", 201), "q=%ff", "tag=a%00b", "country=" + strings.Repeat("x", 33),
	} {
		for _, path := range []string{"/", "/en/brazil"} {
			res := webtest.Request(h, "GET", path+"?"+query).Result()
			if path != "/" && strings.HasPrefix(query, "country=") {
				continue // there the path has the country
			}
			if res.StatusCode != http.StatusBadRequest {
				t.Errorf("%s?%.40s: %s", path, query, res.Status)
			}
		}
	}
	for _, path := range []string{"/atlantida", "/en/brasil", "/en/%3Cscript%3E"} {
		if w := webtest.Request(h, "GET", path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// TestEmptyListOffersSearches checks the ways out of a list that found nothing: each finds as
// many as it says.
func TestEmptyListOffersSearches(t *testing.T) {
	h := listHandler(t)
	for path, want := range map[string][]string{
		"/?q=dois&kind=tv":                    {"Procurar nas rádios 1", "Sem “dois” 64"},
		"/?q=silent":                          {"Incluir canais que não funcionaram 1", "Ver tudo 67"},
		"/?country=PT&category=news":          {"Procurar nas rádios 1", "Sem Portugal 31", "Sem Notícias 1"},
		"/brasil?offset=600":                  {"Voltar à primeira página 62"},
		"/?q=zzzzzzzz&country=ZZ&language=pt": nil,
		"/?country=%3Cb%3E&q=%22%27":          nil,
	} {
		tree := webtest.Tree(t, h, path)
		var got []string
		for _, n := range webtest.Elements(tree, func(n *html.Node) bool {
			return strings.HasPrefix(webtest.Attr(n, "id"), "try-") && webtest.Attr(n, "id") != "try-home"
		}) {
			got = append(got, webtest.Text(n))
			if total := readList(t, h, webtest.Attr(n, "href")).Total; total != "" && strings.Fields(total)[0] != webtest.Text(n)[strings.LastIndex(webtest.Text(n), " ")+1:] {
				t.Errorf("%s: %s leads to %s", path, webtest.Text(n), total)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
		if webtest.ByID(tree, "try-home") == nil {
			t.Errorf("%s: no way back", path)
		}
	}
}

// TestListForm checks that the form of a list asks for what the list is of: to
// send it unchanged leads to the same list.
func TestListForm(t *testing.T) {
	h := listHandler(t)
	for _, path := range []string{"/?q=canal&kind=tv&country=BR&category=news&language=por&quality=720p&online=1&playable=0&sort=name", "/brasil?tag=jazz+%26+blues", "/?country=%22%3E&kind=all"} {
		tree := webtest.Tree(t, h, path)
		form := webtest.Elements(tree, func(n *html.Node) bool { return webtest.HasClass(n, "list-form") })[0]
		sent := url.Values{}
		for _, n := range webtest.Elements(form, func(n *html.Node) bool { return true }) {
			_, checked := webtest.Lookup(n, "checked")
			_, selected := webtest.Lookup(n, "selected")
			switch {
			case n.Data == "input" && (webtest.Attr(n, "type") == "hidden" || checked):
				sent.Set(webtest.Attr(n, "name"), webtest.Attr(n, "value"))
			case n.Data == "option" && selected:
				sent.Set(webtest.Attr(n.Parent, "name"), webtest.Attr(n, "value"))
			}
		}
		want, got := readList(t, h, path), readList(t, h, webtest.Attr(form, "action")+"?"+sent.Encode())
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s as %v (-page +form):\n%s", path, sent, d)
		}
	}
}

// TestListTexts checks in each language that no text is missing, and that
// numbers are written as that language does.
func TestListTexts(t *testing.T) {
	missing := regexp.MustCompile(`\b(list|home|country|countries)\.[a-z]`)
	h := listHandler(t)
	for _, l := range i18n.Locales {
		brazil, _ := site.CountryPath(l, "BR")
		for _, path := range []string{
			site.Home.Path(l, ""), site.Home.Path(l, "") + "?kind=all", site.Home.Path(l, "") + "?q=zzzz&guide=1&online=1&playable=0",
			site.Home.Path(l, "") + "?kind=radio&q=r", brazil, brazil + "?kind=radio", brazil + "?offset=30", site.Countries.Path(l, ""), site.Countries.Path(l, "") + "?sort=name",
		} {
			if got := webtest.Text(webtest.ByID(webtest.Tree(t, h, path), "main")); missing.MatchString(got) || strings.Contains(got, "{n}") || strings.Contains(got, "%!") {
				t.Errorf("%s lacks a text: %s", path, got)
			}
		}
	}
	for l, want := range [5]string{"64 canais de TV e 3 rádios de 3 países", "64 TV channels and 3 radio stations from 3 countries", "64 canales de TV y 3 radios de 3 países", "64 chaînes de télé et 3 radios de 3 pays", "64 Fernsehsender und 3 Radiosender aus 3 Ländern"} {
		if got := webtest.Text(webtest.ByID(webtest.Tree(t, h, site.Home.Path(i18n.Locale(l), "")), "main")); !strings.Contains(got, want) {
			t.Errorf("%s does not contain %q: %.200s", i18n.Locale(l), want, got)
		}
	}
}

// TestBadges checks how cards show how well a channel works.
func TestBadges(t *testing.T) {
	tree := webtest.Tree(t, listHandler(t), "/en?kind=tv&playable=0&sort=score")
	badges := map[string]string{}
	for _, n := range webtest.Elements(tree, func(n *html.Node) bool { return webtest.HasClass(n, "badge") }) {
		card := n.Parent.Parent.Parent
		badges[webtest.Attr(card, "data-id")] = strings.TrimPrefix(webtest.Attr(n, "class"), "badge ") + ": " + webtest.Text(n)
	}
	want := map[string]string{"C00.br": "bad: Off the air when last checked", "C01.br": "fair: Works some of the time", "C02.br": "good: Works well"}
	if d := cmp.Diff(want, badges); d != "" {
		t.Errorf("badges (-want +got):\n%s", d)
	}
}

// groupsOf returns the groups of the page of countries, each with its tiles.
func groupsOf(tree *html.Node) string {
	var groups []string
	for _, n := range webtest.Elements(tree, func(n *html.Node) bool { return webtest.HasClass(n, "group") || webtest.HasClass(n, "atlas-most") }) {
		title := webtest.Elements(n, func(n *html.Node) bool { return n.Data == "h2" })[0]
		var tiles []string
		for _, a := range webtest.Elements(n, func(n *html.Node) bool { return n.Data == "a" }) {
			tiles = append(tiles, webtest.Text(a)+" "+webtest.Attr(a, "href"))
		}
		groups = append(groups, webtest.Attr(n, "id")+" "+webtest.Text(title)+": "+strings.Join(tiles, ", "))
	}
	return strings.Join(groups, "\n")
}

// TestCountries checks that the page of countries shows those with the most channels
// first, then all of them by region, each with what it has, and leads to a search for
// an unknown value.
func TestCountries(t *testing.T) {
	h := listHandler(t)
	for l, want := range [5]string{
		"most Países com mais canais: Brasil 62 canais de TV 2 rádios /brasil, Portugal 1 canal de TV 1 rádio /portugal\nregion-005 América do Sul 1: Brasil TV 62 · Rádio 2 /brasil\nregion-150 Europa 1: Portugal TV 1 · Rádio 1 /portugal\nregion-none Outros lugares 1: XX TV 1 /?kind=all&country=XX",
		"most Countries with most channels: Brazil 62 TV channels 2 radio stations /en/brazil, Portugal 1 TV channel 1 radio station /en/portugal\nregion-005 South America 1: Brazil TV 62 · Radio 2 /en/brazil\nregion-150 Europe 1: Portugal TV 1 · Radio 1 /en/portugal\nregion-none Elsewhere 1: XX TV 1 /en?kind=all&country=XX",
		"most Países con más canales: Brasil 62 canales de TV 2 radios /es/brasil, Portugal 1 canal de TV 1 radio /es/portugal\nregion-005 Sudamérica 1: Brasil TV 62 · Radio 2 /es/brasil\nregion-150 Europa 1: Portugal TV 1 · Radio 1 /es/portugal\nregion-none Otros lugares 1: XX TV 1 /es?kind=all&country=XX",
		"most Pays les plus fournis: Brésil 62 chaînes de télé 2 radios /fr/bresil, Portugal 1 chaîne de télé 1 radio /fr/portugal\nregion-005 Amérique du Sud 1: Brésil Télé 62 · Radio 2 /fr/bresil\nregion-150 Europe 1: Portugal Télé 1 · Radio 1 /fr/portugal\nregion-none Ailleurs 1: XX Télé 1 /fr?kind=all&country=XX",
		"most Länder mit den meisten Sendern: Brasilien 62 Fernsehsender 2 Radiosender /de/brasilien, Portugal 1 Fernsehsender 1 Radiosender /de/portugal\nregion-005 Südamerika 1: Brasilien TV 62 · Radio 2 /de/brasilien\nregion-150 Europa 1: Portugal TV 1 · Radio 1 /de/portugal\nregion-none Anderswo 1: XX TV 1 /de?kind=all&country=XX",
	} {
		for range 2 { // when it is made, and when it is there
			tree := webtest.Tree(t, h, site.Countries.Path(i18n.Locale(l), ""))
			if d := cmp.Diff(want, groupsOf(tree)); d != "" {
				t.Errorf("%s (-want +got):\n%s", i18n.Locale(l), d)
			}
			for _, jump := range webtest.Elements(webtest.ByID(tree, "jumps"), func(n *html.Node) bool { return n.Data == "a" }) {
				if id := strings.TrimPrefix(webtest.Attr(jump, "href"), "#"); webtest.ByID(tree, id) == nil {
					t.Errorf("%s: nothing has the id %q", i18n.Locale(l), id)
				}
			}
		}
	}
}

// TestCountriesByName checks that the other view shows each country once, at the letter
// that it is looked for at.
func TestCountriesByName(t *testing.T) {
	h := listHandler(t)
	want := "letter-B B: Brasilien TV 62 · Radio 2 /de/brasilien\nletter-P P: Portugal TV 1 · Radio 1 /de/portugal\nletter-X X: XX TV 1 /de?kind=all&country=XX"
	if d := cmp.Diff(want, groupsOf(webtest.Tree(t, h, "/de/laender?sort=name"))); d != "" {
		t.Errorf("by name (-want +got):\n%s", d)
	}
	if w := webtest.Request(h, "GET", "/de/laender?sort=size"); w.Code != http.StatusBadRequest {
		t.Errorf("another order: %d", w.Code)
	}
	for name, want := range map[string]string{"Åland": "A", "Österreich": "O", "": "#", "Éire": "E", "日本": "日"} {
		if got := initial(name); got != want {
			t.Errorf("initial(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestFilters checks that a page takes every filter, keeps it in its links and in
// its form, and shows it as a link that drops it.
func TestFilters(t *testing.T) {
	h := listHandler(t)
	for id := range filter.Count {
		f := &filter.All[id]
		if id == filter.Kind || id == filter.Sort || id == filter.Radius {
			if slices.Contains(narrowing, id) {
				t.Errorf("%s has links of its own", f.Name)
			}
			continue
		}
		value := "some"
		switch {
		case f.Chosen != "":
			value = f.ChosenValue()
		case id == filter.WorksIn:
			value = "PT"
		case id == filter.Near:
			value = "38.72,-9.14"
		case f.Normalize != nil:
			value = f.Normalize(value)
		}
		tree := webtest.Tree(t, h, "/en?sort=name&"+f.Name+"="+value)
		if webtest.ByID(tree, "drop-"+f.Name) == nil {
			t.Errorf("%s: no link drops it", f.Name)
			continue
		}
		if href := webtest.Attr(webtest.ByID(tree, "drop-"+f.Name), "href"); strings.Contains(href, f.Name+"=") {
			t.Errorf("%s: the link that drops it leads to %s", f.Name, href)
		}
		keeps := strings.Contains(webtest.Attr(webtest.ByID(tree, "kind-all"), "href"), f.Name+"="+value)
		if want := !f.PerKind && f.AppliesTo(filter.Any); keeps != want {
			t.Errorf("%s: the link to all kinds keeps it: %t, want %t", f.Name, keeps, want)
		}
		form := webtest.Elements(tree, func(n *html.Node) bool { return webtest.HasClass(n, "list-form") })[0]
		kept := webtest.Elements(form, func(n *html.Node) bool {
			_, checked := webtest.Lookup(n, "checked")
			_, selected := webtest.Lookup(n, "selected")
			return webtest.Attr(n, "value") == value && (selected || webtest.Attr(n, "name") == f.Name && (checked || webtest.Attr(n, "type") == "hidden"))
		})
		if len(kept) != 1 {
			t.Errorf("%s: the form keeps it %d times", f.Name, len(kept))
		}
	}
}

// TestAddressKeepsSearch checks that the address of what is wanted asks for the same.
func TestAddressKeepsSearch(t *testing.T) {
	for _, path := range []string{
		"/?kind=tv", "/?q=a+b&kind=radio&country=BR&category=x%26y&language=por&network=%22&quality=720p&subdivision=BR-BA&city=BRSSA&tag=%F0%9F%8E%B5&guide=1&online=1&works_in=PT&playable=0&sort=votes&offset=30",
		"/?kind=all&sort=votes", "/?category=news", "/?q=x", "/?tag=pop", "/?sort=score",
	} {
		u, err := url.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		in, q := listIn{}, u.Query()
		in.Playable = true
		in.Kind, in.Sort = q.Get("kind"), q.Get("sort")
		for _, id := range narrowing {
			value := q.Get(filter.All[id].Name)
			if text := in.Text(id); text != nil {
				*text = value
			} else if value != "" {
				*in.Flag(id) = value == "1"
			}
		}
		fmt.Sscan(q.Get("offset"), &in.Offset)
		w := in.wanted("/")
		if got := w.address(); got != path && got != strings.Replace(path, "&kind=radio", "", 1) {
			t.Errorf("%s changed to %s", path, got)
		}
	}
}

// TestRadioOnly checks that the page of a country that has stations and no TV
// channels shows the stations, and that its links still choose a kind.
func TestRadioOnly(t *testing.T) {
	reg := &catalog.Register{BuiltAt: webtest.Now}
	for i, country := range []string{"PT", "PT", "BR"} {
		r := catalog.Record{ID: fmt.Sprintf("rb.%d", i), Kind: catalog.Station, Name: "Onda", Country: country, Radio: &catalog.Radio{}}
		r.Streams = []catalog.StreamRecord{{ID: catalog.StreamID(i + 1), URL: "https://live.example/a.mp3", Kind: catalog.StreamAudio, Playable: true}}
		reg.Records = append(reg.Records, r)
	}
	tv := catalog.Record{ID: "Solo.br", Name: "Solo", Country: "BR"}
	tv.Streams = []catalog.StreamRecord{{ID: 9, URL: "https://live.example/b.m3u8", Kind: catalog.StreamHLS, Playable: true}}
	reg.Records = append(reg.Records, tv)
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: webtest.Show(t, reg, index.Overlay{}), Now: webtest.Clock}), Endpoints)
	for path, want := range map[string]string{
		"/en/portugal":            "rb.0 rb.1 /en/portugal",
		"/en/portugal?kind=radio": "rb.0 rb.1 /en/portugal",
		"/en/portugal?kind=tv":    "rb.0 rb.1 /en/portugal?kind=tv", // below what was not found
		"/en/brazil":              "Solo.br /en/brazil",
		"/en/brazil?kind=radio":   "rb.2 /en/brazil?kind=radio",
	} {
		canonical := webtest.Elements(webtest.Tree(t, h, path), func(n *html.Node) bool { return webtest.Attr(n, "rel") == "canonical" })[0]
		got := strings.Join(readList(t, h, path).Cards, " ") + " " + strings.TrimPrefix(webtest.Attr(canonical, "href"), webtest.Links.Base)
		if got != want {
			t.Errorf("%s shows %s, want %s", path, got, want)
		}
	}
}

// TestCountryIsCrawled checks that a search engine that follows the links of a
// country's page finds every channel of it on pages that it may index, and indexes
// no other part of the list.
func TestCountryIsCrawled(t *testing.T) {
	reg := &catalog.Register{BuiltAt: webtest.Now}
	want := map[string]bool{}
	for i := range 2*pageSize + 5 {
		r := catalog.Record{ID: fmt.Sprintf("C%03d.pt", i), Name: fmt.Sprintf("Canal %03d", i), Country: "PT"}
		r.Streams = []catalog.StreamRecord{{ID: catalog.StreamID(i + 1), URL: "https://live.example/a.m3u8", Kind: catalog.StreamHLS, Playable: true}}
		reg.Records = append(reg.Records, r)
		want[r.ID] = true
	}
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: webtest.Show(t, reg, index.Overlay{}), Now: webtest.Clock}), Endpoints)
	got := map[string]bool{}
	pages := 0
	for path := "/en/portugal"; path != ""; pages++ {
		l := readList(t, h, path)
		if l.NoIndex {
			t.Errorf("%s is not to be indexed", path)
		}
		canonical := webtest.Elements(webtest.Tree(t, h, path), func(n *html.Node) bool { return webtest.Attr(n, "rel") == "canonical" })
		if len(canonical) != 1 || webtest.Attr(canonical[0], "href") != webtest.Links.Base+path {
			t.Errorf("%s names another page as its canonical one", path)
		}
		for _, card := range webtest.Elements(webtest.Tree(t, h, path), func(n *html.Node) bool { return n.Data == "li" && webtest.Attr(n, "data-id") != "" }) {
			got[webtest.Attr(card, "data-id")] = true
		}
		next := webtest.Elements(webtest.Tree(t, h, path), func(n *html.Node) bool { return webtest.Attr(n, "id") == "more" })
		path = ""
		if len(next) > 0 && pages < 10 {
			path = webtest.Attr(next[0], "href")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("channels that are found (-want +got):\n%s", diff)
	}
	for _, path := range []string{"/en/portugal?offset=7", "/en/portugal?offset=3000", "/en/portugal?offset=30&quality=720p", "/en/portugal?q=canal&offset=30", "/en?kind=tv&offset=30"} {
		if !readList(t, h, path).NoIndex {
			t.Errorf("%s may be indexed", path)
		}
	}
}

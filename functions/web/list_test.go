package web

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

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
		BuiltAt: watchNow,
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
	add(catalog.Record{ID: `<i>"'&/?#`, Name: hostileName, Country: "XX", Categories: []string{hostileName}, Quality: hostileName})
	add(catalog.Record{ID: "rb.1", Kind: catalog.Station, Name: "Rádio Um", Country: "BR", Radio: &catalog.Radio{Tags: []string{"jazz & blues"}, Votes: 10}})
	add(catalog.Record{ID: "rb.2", Kind: catalog.Station, Name: "Rádio Dois", Country: "BR", Radio: &catalog.Radio{Tags: []string{"pop"}, Votes: 90}})
	add(catalog.Record{ID: "rb.3", Kind: catalog.Station, Name: hostileName, Country: "PT", Radio: &catalog.Radio{Tags: []string{hostileName}}})
	return reg
}

// listServer shows it, with measurements, logos and a guide.
func listServer(t testing.TB) *Server {
	t.Helper()
	ix, err := index.Build(listRegister())
	if err != nil {
		t.Fatal(err)
	}
	measured := func(score int, online bool) *catalog.Measurement {
		m := &catalog.Measurement{Health: catalog.StreamHealth{Status: "online", Score: &score, CheckedAt: ref("2026-11-22T11:00:00Z")}}
		if online {
			m.OnlineAt = watchNow
		}
		return m
	}
	at := index.NewView(ix, index.Overlay{
		OnlineSince: watchNow.Add(-time.Hour),
		Logos:       maps.All(map[string]string{"C03.br": "logo-3", `<i>"'&/?#`: `"><script>`}),
		Streams:     maps.All(map[catalog.StreamID]*catalog.Measurement{1: measured(20, false), 2: measured(50, true), 3: measured(99, true)}),
	}, watchLinks)
	return New(Options{Catalog: fixedCatalog{at}, Links: watchLinks, Now: func() time.Time { return watchNow }})
}

// A shownList is what a page of a list says.
type shownList struct {
	Title, H1, Total     string
	NoIndex              bool
	Cards                []string // ids, the first 3
	Tabs, Topics, Active string
	Next, Previous       string
}

// listTree reads a page.
func listTree(t testing.TB, s *Server, path string) *html.Node {
	t.Helper()
	res := watchPage(t, s, path)
	tree, err := html.Parse(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", path, res.Status, err)
	}
	return tree
}

// elements yields the elements of a tree of which f is true.
func elements(tree *html.Node, f func(n *html.Node) bool) (all []*html.Node) {
	for n := range tree.Descendants() {
		if n.Type == html.ElementNode && f(n) {
			all = append(all, n)
		}
	}
	return all
}

func hasClass(n *html.Node, class string) bool {
	return slices.Contains(strings.Fields(attr(n, "class")), class)
}

// readList returns what a page says.
func readList(t testing.TB, s *Server, path string) shownList {
	t.Helper()
	tree := listTree(t, s, path)
	var l shownList
	links := func(into *string, prefix string) func(n *html.Node) {
		return func(n *html.Node) {
			if id := attr(n, "id"); strings.HasPrefix(id, prefix) {
				*into += said(n)
				if attr(n, "aria-current") != "" {
					*into += "!"
				}
				*into += " " + attr(n, "href") + "\n"
			}
		}
	}
	reads := []func(n *html.Node){links(&l.Tabs, "kind-"), links(&l.Topics, "topic-"), links(&l.Active, "drop-")}
	for _, n := range elements(tree, func(*html.Node) bool { return true }) {
		for _, read := range reads {
			read(n)
		}
		switch {
		case n.Data == "title":
			l.Title = strings.TrimSuffix(said(n), " · Miramundo")
		case n.Data == "h1":
			l.H1 = said(n)
		case attr(n, "id") == "total":
			l.Total = said(n)
		case n.Data == "meta" && attr(n, "name") == "robots":
			l.NoIndex = strings.Contains(attr(n, "content"), "noindex")
		case hasClass(n, "card") && len(l.Cards) < 3:
			l.Cards = append(l.Cards, attr(n, "data-id"))
		case n.Data == "a" && attr(n, "rel") == "next":
			l.Next = attr(n, "href")
		case n.Data == "a" && attr(n, "rel") == "prev":
			l.Previous = attr(n, "href")
		}
	}
	return l
}

// TestLists reads pages of lists: what they find, in which order, and where
// their links lead.
func TestLists(t *testing.T) {
	s := listServer(t)
	for path, want := range map[string]shownList{
		"/": {
			Title: "TV e rádio do mundo todo, ao vivo", H1: "TV e rádio do mundo todo, ao vivo",
			Cards:  []string{"C02.br", "C01.br", "C00.br"},
			Tabs:   "TV 64 /?kind=tv\nRádio 3 /?kind=radio\nTudo 67 /?kind=all\n",
			Topics: "Infantil 31 /?category=kids\nNotícias 31 /?category=news\n",
		},
		"/?kind=tv&q=&country=": {
			Title: "Canais de TV ao vivo", H1: "Canais de TV ao vivo", Total: "64 canais de TV",
			Cards: []string{"C02.br", "C01.br", "C00.br"}, Next: "/?offset=30",
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
			Topics: "jazz & blues 1 /?country=BR&tag=jazz+%26+blues\npop 1 /?country=BR&tag=pop\n",
			Active: "Brasil /?kind=radio\n",
		},
		"/brasil": {
			Title: "Brasil: TV e rádio ao vivo", H1: "Brasil", Total: "62 canais de TV", Cards: []string{"C02.br", "C01.br", "C00.br"}, Next: "/brasil?offset=30",
			Tabs:   "TV 62! /brasil\nRádio 2 /brasil?kind=radio\nTudo 64 /brasil?kind=all\n",
			Topics: "Infantil 31 /brasil?category=kids\nNotícias 31 /brasil?category=news\n",
		},
		"/fr/bresil?kind=radio": {
			Title: "Brésil · Radios en direct", H1: "Brésil", Total: "2 radios", Cards: []string{"rb.2", "rb.1"},
			Tabs:   "Télé 62 /fr/bresil\nRadio 2! /fr/bresil?kind=radio\nTout 64 /fr/bresil?kind=all\n",
			Topics: "jazz & blues 1 /fr/bresil?tag=jazz+%26+blues\npop 1 /fr/bresil?tag=pop\n",
		},
		"/en/brazil?language=pt&quality=720p&sort=name&online=1&kind=tv": {
			Title: "Brazil · Portuguese, 720p, On the air lately · Live TV channels", H1: "Brazil", NoIndex: true, Total: "2 TV channels", Cards: []string{"C01.br", "C02.br"},
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
		got := readList(t, s, path)
		if want.Tabs == "" { // where they are another page's matter
			got.Tabs, got.Topics, got.Active = "", "", ""
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
}

// TestListWalk follows the links to the next page from the first to the last,
// and back again: every channel comes once.
func TestListWalk(t *testing.T) {
	s := listServer(t)
	for _, first := range []string{"/?kind=tv", "/en/brazil", "/?q=canal&sort=name", "/?kind=all&playable=0"} {
		var ids []string
		pages := []string{first}
		for path := first; path != ""; {
			tree := listTree(t, s, path)
			for _, n := range elements(tree, func(n *html.Node) bool { return hasClass(n, "card") }) {
				ids = append(ids, attr(n, "data-id"))
			}
			next := readList(t, s, path)
			if before := len(pages) - 2; before >= 0 && readList(t, s, next.Previous).Cards[0] != readList(t, s, pages[before]).Cards[0] {
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

// TestListRefused checks that what the API refuses the pages refuse: people are
// told on a page.
func TestListRefused(t *testing.T) {
	s := listServer(t)
	for _, query := range []string{
		"kind=film", "sort=size", "offset=-1", "offset=x", "offset=1e9", "guide=yes", "online=2", "playable=true", "q=" + strings.Repeat("x", 201), "q=%ff", "tag=a%00b", "country=" + strings.Repeat("x", 33),
	} {
		for _, path := range []string{"/", "/en/brazil"} {
			res := watchPage(t, s, path+"?"+query)
			if path != "/" && strings.HasPrefix(query, "country=") {
				continue // which the path says there
			}
			if res.StatusCode != http.StatusBadRequest || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
				t.Errorf("%s?%.40s: %s, %s", path, query, res.Status, res.Header.Get("Content-Type"))
			}
		}
	}
	for _, path := range []string{"/atlantida", "/en/brasil", "/en/%3Cscript%3E"} {
		if res := watchPage(t, s, path); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
}

// TestListEmpty checks the ways out of a list that found nothing: each finds as
// many as it says.
func TestListEmpty(t *testing.T) {
	s := listServer(t)
	for path, want := range map[string][]string{
		"/?q=dois&kind=tv":                    {"Procurar nas rádios 1", "Sem “dois” 64"},
		"/?q=silent":                          {"Incluir canais que não funcionaram 1", "Sem “silent” 67"},
		"/?country=PT&category=news":          {"Procurar nas rádios 1", "Sem Portugal 31", "Sem Notícias 1"},
		"/brasil?offset=600":                  {"Voltar à primeira página 62"},
		"/?q=zzzzzzzz&country=ZZ&language=pt": nil,
		"/?country=%3Cb%3E&q=%22%27":          nil,
	} {
		tree := listTree(t, s, path)
		var got []string
		for _, n := range elements(tree, func(n *html.Node) bool {
			return strings.HasPrefix(attr(n, "id"), "try-") && attr(n, "id") != "try-home"
		}) {
			got = append(got, said(n))
			if total := readList(t, s, attr(n, "href")).Total; total != "" && strings.Fields(total)[0] != said(n)[strings.LastIndex(said(n), " ")+1:] {
				t.Errorf("%s: %s leads to %s", path, said(n), total)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
		if byID(tree, "try-home") == nil {
			t.Errorf("%s: no way back", path)
		}
	}
}

// TestListForm checks that the form of a list asks for what the list is of: to
// send it unchanged leads to the same list.
func TestListForm(t *testing.T) {
	s := listServer(t)
	for _, path := range []string{"/?q=canal&kind=tv&country=BR&category=news&language=por&quality=720p&online=1&playable=0&sort=name", "/brasil?tag=jazz+%26+blues", "/?country=%22%3E&kind=all"} {
		tree := listTree(t, s, path)
		form := elements(tree, func(n *html.Node) bool { return hasClass(n, "list-form") })[0]
		sent := url.Values{}
		for _, n := range elements(form, func(n *html.Node) bool { return true }) {
			_, checked := attrOf(n, "checked")
			_, selected := attrOf(n, "selected")
			switch {
			case n.Data == "input" && (attr(n, "type") == "hidden" || checked):
				sent.Set(attr(n, "name"), attr(n, "value"))
			case n.Data == "option" && selected:
				sent.Set(attr(n.Parent, "name"), attr(n, "value"))
			}
		}
		want, got := readList(t, s, path), readList(t, s, attr(form, "action")+"?"+sent.Encode())
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s as %v (-page +form):\n%s", path, sent, d)
		}
	}
}

func attrOf(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// TestListTexts checks in each language that no text is missing, and that
// numbers are written as that language does.
func TestListTexts(t *testing.T) {
	s := listServer(t)
	for _, l := range i18n.Locales {
		brazil, _ := site.CountryPath(l, "BR")
		for _, path := range []string{
			site.Home.Path(l, ""), site.Home.Path(l, "") + "?kind=all", site.Home.Path(l, "") + "?q=zzzz&guide=1&online=1&playable=0",
			site.Home.Path(l, "") + "?kind=radio&q=r", brazil, brazil + "?kind=radio", brazil + "?offset=30", site.Countries.Path(l, ""),
		} {
			if got := said(byID(listTree(t, s, path), "main")); strings.Contains(got, "list.") || strings.Contains(got, "home.") || strings.Contains(got, "countr") && strings.Contains(got, "countries.") || strings.Contains(got, "{n}") || strings.Contains(got, "%!") {
				t.Errorf("%s lacks a text: %s", path, got)
			}
		}
	}
	for l, want := range [5]string{"64 canais de TV e 3 rádios de 3 países", "64 TV channels and 3 radio stations from 3 countries", "64 canales de TV y 3 radios de 3 países", "64 chaînes de télé et 3 radios de 3 pays", "64 Fernsehsender und 3 Radiosender aus 3 Ländern"} {
		if got := said(byID(listTree(t, s, site.Home.Path(i18n.Locale(l), "")), "main")); !strings.Contains(got, want) {
			t.Errorf("%s does not say %q: %.200s", i18n.Locale(l), want, got)
		}
	}
}

// TestCards compares cards with what their template makes of them, hostile ones
// too, and checks what they say.
func TestCards(t *testing.T) {
	s := listServer(t)
	at, _ := s.Catalog.View()
	forms := map[string]bool{}
	for _, l := range i18n.Locales {
		v := s.view(site.Home, l, nil)
		for _, c := range s.cards(v, at.Cards(index.Query{Selection: filter.Selection{Kind: "all"}, Limit: 100}, int(l)).Cards) {
			if c.ID == "Solo.pt" {
				c.Now = hostileName
			}
			for range 2 { // when its stamp is made, and when it is there
				got, err := v.Cards([]card{c})
				var want bytes.Buffer
				if err := pages["home"].ExecuteTemplate(&want, "_card.html", c); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(normal(t, want.String()), normal(t, string(got))); d != "" || err != nil {
					t.Fatalf("%s in %s, %v (-template +card):\n%s", c.ID, l, err, d)
				}
			}
			forms[c.ID] = true
		}
	}
	if len(forms) != 68 {
		t.Errorf("%d cards", len(forms))
	}
}

// TestChips compares choices with what their template makes of them.
func TestChips(t *testing.T) {
	v := listServer(t).view(site.Home, i18n.Locale(0), nil)
	for name, c := range map[string]choice{
		"a kind":      {ID: "kind-tv", Text: "TV", Href: "/?kind=tv", Count: "64"},
		"the kind":    {ID: "kind-tv", Text: "TV", Href: "/?kind=tv", Count: "64", Current: true},
		"a country":   {Text: "Brasil", Href: "/brasil", Count: "2.000", Flag: "/flags/br.svg"},
		"hostile":     {ID: hostileName, Text: hostileName, Href: "/?q=%3Cscript%3E&tag=a+%22b%22", Count: "1"},
		"a plus sign": {ID: "topic-a+b", Text: "A+B & 'C'", Href: "/?tag=a%2Bb", Count: "1"},
	} {
		for range 2 { // when its stamp is made, and when it is there
			got, err := v.Chip(c)
			var want bytes.Buffer
			if err := pages["home"].ExecuteTemplate(&want, "_chip.html", c); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(normal(t, want.String()), normal(t, string(got))); d != "" || err != nil {
				t.Errorf("%s, %v (-template +chip):\n%s", name, err, d)
			}
		}
	}
}

// normal returns a part of a page as browsers read it.
func normal(t testing.TB, part string) string {
	t.Helper()
	tree, err := html.Parse(strings.NewReader(part))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := html.Render(&b, tree); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCardWords checks what cards say of how well a channel works, and what
// stands for a logo.
func TestCardWords(t *testing.T) {
	s := listServer(t)
	tree := listTree(t, s, "/en?kind=tv&playable=0&sort=score")
	badges := map[string]string{}
	for _, n := range elements(tree, func(n *html.Node) bool { return hasClass(n, "badge") }) {
		card := n.Parent.Parent.Parent
		badges[attr(card, "data-id")] = strings.TrimPrefix(attr(n, "class"), "badge ") + ": " + said(n)
	}
	want := map[string]string{"C00.br": "bad: Off the air when last checked", "C01.br": "fair: Works some of the time", "C02.br": "good: Works well"}
	if d := cmp.Diff(want, badges); d != "" {
		t.Errorf("badges (-want +got):\n%s", d)
	}
	for name, want := range map[string]string{
		"Canal Once": "CO", "arte": "A", "": "", "🏴‍☠️ 🎵": "", "الأولى": "ا", "24 Horas": "2H", "É! o Canal": "ÉO", "«…» 3sat": "3", "e\u0301cran": "E",
	} {
		if got := initials(name); got != want {
			t.Errorf("initials(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestCountries checks that the page of countries leads to all of them, each at
// the letter that it is looked for at, and to a search for what is none.
func TestCountries(t *testing.T) {
	s := listServer(t)
	for l, want := range [5]string{
		"B: Brasil /brasil 64, P: Portugal /portugal 2, X: XX /?kind=all&country=XX 1",
		"B: Brazil /en/brazil 64, P: Portugal /en/portugal 2, X: XX /en?kind=all&country=XX 1",
		"B: Brasil /es/brasil 64, P: Portugal /es/portugal 2, X: XX /es?kind=all&country=XX 1",
		"B: Brésil /fr/bresil 64, P: Portugal /fr/portugal 2, X: XX /fr?kind=all&country=XX 1",
		"B: Brasilien /de/brasilien 64, P: Portugal /de/portugal 2, X: XX /de?kind=all&country=XX 1",
	} {
		for range 2 { // when it is made, and when it is there
			tree := listTree(t, s, site.Countries.Path(i18n.Locale(l), ""))
			var got []string
			for _, n := range elements(byID(tree, "main"), func(n *html.Node) bool { return n.Data == "a" }) {
				letter := elements(n.Parent.Parent.Parent, func(n *html.Node) bool { return n.Data == "h2" })[0]
				name, count, _ := strings.Cut(said(n), " ")
				got = append(got, said(letter)+": "+name+" "+attr(n, "href")+" "+count)
			}
			if got := strings.Join(got, ", "); got != want {
				t.Errorf("%s: %s, want %s", i18n.Locale(l), got, want)
			}
		}
	}
	for name, want := range map[string]string{"Åland": "A", "Österreich": "O", "": "#", "Éire": "E", "日本": "日"} {
		if got := initial(name); got != want {
			t.Errorf("initial(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestAddresses checks that the address of what is wanted asks for the same.
func TestAddresses(t *testing.T) {
	for _, path := range []string{
		"/?kind=tv", "/?q=a+b&kind=radio&country=BR&category=x%26y&language=por&network=%22&quality=720p&tag=%F0%9F%8E%B5&guide=1&online=1&playable=0&sort=votes&offset=30",
		"/?kind=all&sort=votes", "/?category=news", "/?q=x", "/?tag=pop", "/?sort=score",
	} {
		u, err := url.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		in := listIn{
			Q: q.Get("q"), Kind: q.Get("kind"), Category: q.Get("category"), Language: q.Get("language"), Network: q.Get("network"), Quality: q.Get("quality"),
			Tag: q.Get("tag"), Guide: q.Get("guide") == "1", Online: q.Get("online") == "1", Playable: q.Get("playable") != "0", Sort: q.Get("sort"),
		}
		fmt.Sscan(q.Get("offset"), &in.Offset)
		w := in.wanted("/", q.Get("country"), false)
		if got := w.address(); got != path && got != strings.Replace(path, "&kind=radio", "", 1) {
			t.Errorf("%s became %s", path, got)
		}
	}
}

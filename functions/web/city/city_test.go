package city

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/cities"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

const someCities = "1\tSão Paulo\tBR\t-23.55\t-46.64\n2\tSantos\tBR\t-23.96\t-46.33\n3\tRecife\tBR\t-8.05\t-34.9\n4\tPorto\tPT\t41.15\t-8.61\n"

// handler serves the page of a catalog with 40 stations in São Paulo, one of which is
// blocked, and one in Santos.
func handler(t testing.TB) http.Handler {
	t.Helper()
	return serve(webtest.Show(t, register(), index.Overlay{BlockedChannels: []string{"rb.39"}}))
}

// serve serves the page of a catalog.
func serve(c index.Viewer) http.Handler {
	s := New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: c, Now: webtest.Clock, Cities: cities.New(func() []byte { return []byte(someCities) })})
	return webtest.Handler(s, Endpoints)
}

// register returns the stations of the tests.
func register() *catalog.Register {
	reg := &catalog.Register{BuiltAt: webtest.Now, Countries: []catalog.Term{{Code: "BR", Name: catalog.Labels{"Brasil", "Brazil", "Brasil", "Brésil", "Brasilien"}}}}
	for n := range 41 {
		at, name := &catalog.Geo{Lat: -23.55 + float64(n%3)/100, Lon: -46.63}, fmt.Sprintf("Rádio %d", n)
		switch n {
		case 0:
			at = &catalog.Geo{Lat: -23.96, Lon: -46.33}
		case 40:
			name = webtest.HostileName
		}
		reg.Records = append(reg.Records, catalog.Record{
			ID: fmt.Sprintf("rb.%d", n), Kind: catalog.Station, Name: name, Country: "BR", Origin: "radio-browser",
			Radio:   &catalog.Radio{Tags: []string{"jazz"}, Votes: n, Geo: at},
			Streams: []catalog.StreamRecord{{ID: catalog.StreamID(n + 1), URL: "https://live.example/1.mp3", Kind: catalog.StreamAudio, Origin: "radio-browser", Playable: true}},
		})
	}
	return reg
}

// TestBlockedLater blocks stations after those of the release were counted: nothing of
// the page counts, lists or names them.
func TestBlockedLater(t *testing.T) {
	ix, err := index.Build(register())
	if err != nil {
		t.Fatal(err)
	}
	c := &indextest.Catalog{Shown: index.NewView(ix, index.Overlay{}, webtest.Links)}
	h := serve(c)
	const path = "/en/radio/sao-paulo-1"
	if body := webtest.Body(t, h, path); !strings.Contains(body, "40 radio stations") || !strings.Contains(body, "Rádio 39") {
		t.Errorf("before:\n%.2000s", body)
	}
	block := func(from, to int) {
		var ids []string
		for n := from; n < to; n++ {
			ids = append(ids, fmt.Sprintf("rb.%d", n))
		}
		c.Shown = index.NewView(ix, index.Overlay{BlockedChannels: ids}, webtest.Links)
	}
	block(30, 40)
	body := webtest.Body(t, h, path)
	if !strings.Contains(body, "30 radio stations") || strings.Contains(body, "40 radio stations") || strings.Contains(body, "Rádio 39") {
		t.Errorf("after:\n%.2000s", body)
	}
	tree := webtest.Tree(t, h, path)
	if ids := attrs(tree, "card", "data-id"); len(ids) != 30 || ids[1] != "rb.29" || webtest.ByID(tree, "more") != nil {
		t.Errorf("after: lists %v", ids)
	}
	if w := webtest.Request(h, "GET", path+"?offset=30"); w.Code != http.StatusNotFound {
		t.Errorf("after: the next page answers %d", w.Code)
	}
	block(0, 41)
	if w := webtest.Request(h, "GET", path); w.Code != http.StatusSeeOther {
		t.Errorf("without stations: %d", w.Code)
	}
}

// attrs returns an attribute of the elements with a class.
func attrs(tree *html.Node, class, name string) (all []string) {
	for _, n := range webtest.Elements(tree, func(n *html.Node) bool { return webtest.HasClass(n, class) }) {
		all = append(all, webtest.Attr(n, name))
	}
	return all
}

// TestCity checks the page in each language: its stations, the most voted first, its
// map, its ways on, and that it may ask where the visitor is.
func TestCity(t *testing.T) {
	h := handler(t)
	for _, l := range i18n.Locales {
		path := site.City.Path(l, "sao-paulo-1")
		w := webtest.Request(h, "GET", path)
		if w.Code != http.StatusOK || !strings.Contains(w.Header().Get("Permissions-Policy"), "geolocation=(self)") || !strings.HasPrefix(w.Header().Get("Cache-Control"), "public") {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		tree := webtest.Tree(t, h, path)
		ids := attrs(tree, "card", "data-id")
		if len(ids) != 30 || ids[0] != "rb.40" || ids[1] != "rb.38" {
			t.Errorf("%s lists %v", path, ids)
		}
		links := strings.Join(attrs(tree, "chip", "href"), "\n")
		brazil, _ := site.CountryPath(l, "BR")
		for _, want := range []string{brazil + "?kind=radio", site.Explore.Path(l, "") + "?at=1", site.Home.Path(l, "") + "?near=-23.55%2C-46.64", site.City.Path(l, "santos-2")} {
			if !strings.Contains(links, want) {
				t.Errorf("%s does not lead to %s:\n%s", path, want, links)
			}
		}
		if dots := attrs(tree, "map-dot", "href"); len(dots) != 3 {
			t.Errorf("%s: the dots of the map lead to %v", path, dots)
		}
		if next := webtest.Attr(webtest.ByID(tree, "more"), "href"); next != path+"?offset=30" {
			t.Errorf("%s goes on at %q", path, next)
		}
		rest := webtest.Tree(t, h, path+"?offset=30")
		if ids := attrs(rest, "card", "data-id"); len(ids) != 9 || webtest.ByID(rest, "more") != nil || webtest.Attr(webtest.ByID(rest, "previous"), "href") != path {
			t.Errorf("%s?offset=30 lists %v", path, ids)
		}
	}
	if body := webtest.Body(t, h, "/en/radio/sao-paulo-1"); strings.Contains(body, "<script>alert") || !strings.Contains(body, "<title>Radio stations in São Paulo, Brazil: listen live · Miramundo</title>") {
		t.Errorf("the page of São Paulo:\n%.2000s", body)
	}
}

// TestPaths checks that the number finds a city, and what other paths answer.
func TestPaths(t *testing.T) {
	h := handler(t)
	for path, want := range map[string][2]any{
		"/en/radio/sao-paulo-1":                        {http.StatusOK, ""},
		"/en/radio/another-name-1":                     {http.StatusMovedPermanently, "/en/radio/sao-paulo-1"},
		"/radio/1":                                     {http.StatusMovedPermanently, "/radio/sao-paulo-1"},
		"/de/radio/%3Cb%3E-1":                          {http.StatusMovedPermanently, "/de/radio/sao-paulo-1"},
		"/en/radio/recife-3":                           {http.StatusSeeOther, "/en?near=-8.05%2C-34.9"}, // without stations
		"/en/radio/sao-paulo":                          {http.StatusNotFound, ""},
		"/en/radio/sao-paulo-9":                        {http.StatusNotFound, ""},
		"/en/radio/sao-paulo-01":                       {http.StatusNotFound, ""},
		"/en/radio/-":                                  {http.StatusNotFound, ""},
		"/en/radio/sao-paulo-1?offset=40":              {http.StatusNotFound, ""},
		"/en/radio/sao-paulo-1?offset=-1":              {http.StatusBadRequest, ""},
		"/en/radio/sao-paulo-1?offset=x":               {http.StatusBadRequest, ""},
		"/en/radio/" + strings.Repeat("a", 200) + "-1": {http.StatusNotFound, ""},
	} {
		w := webtest.Request(h, "GET", path)
		if d := cmp.Diff(want, [2]any{w.Code, w.Header().Get("Location")}); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
}

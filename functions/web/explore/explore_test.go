package explore

import (
	"encoding/json"
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
	"miramundo.dev/shared/cities"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Cities as the build writes them, the largest first; the last lines are not cities.
const someCities = "1\tSão Paulo\tBR\t-23.55\t-46.64\n2\tGuarulhos\tBR\t-23.46\t-46.53\n3\tSantos\tBR\t-23.96\t-46.33\n4\tSuva\tFJ\t-18.14\t178.44\n\nx\ty\n5\tNowhere\tBR\tn\t0\n"

func station(n int, name, country string, at *catalog.Geo) catalog.Record {
	id := catalog.StreamID(n)
	return catalog.Record{
		ID: fmt.Sprintf("rb.%d", n), Kind: catalog.Station, Name: name, Country: country, Origin: "radio-browser",
		Radio:   &catalog.Radio{Tags: []string{"jazz"}, Votes: n, Geo: at},
		Streams: []catalog.StreamRecord{{ID: id, URL: fmt.Sprintf("https://live.example/%d.mp3", n), Kind: catalog.StreamAudio, Origin: "radio-browser", Playable: name != "Silent"}},
	}
}

// handler serves the page of a small catalog.
func handler(t testing.TB) http.Handler {
	t.Helper()
	centre, suburb, coast := &catalog.Geo{Lat: -23.55, Lon: -46.63}, &catalog.Geo{Lat: -23.45, Lon: -46.53}, &catalog.Geo{Lat: -24.1, Lon: -46.2}
	reg := &catalog.Register{
		BuiltAt:    webtest.Now,
		Categories: []catalog.Category{{ID: "news", Name: catalog.Labels{"Notícias", "News", "Noticias", "Infos", "Nachrichten"}}},
		Countries:  []catalog.Term{{Code: "BR", Name: catalog.Labels{"Brasil", "Brazil", "Brasil", "Brésil", "Brasilien"}}},
		Records: []catalog.Record{
			station(1, "Um", "BR", centre), station(2, "Dois", "BR", suburb), station(3, "Costa", "BR", coast), station(4, "Silent", "BR", centre),
			station(5, "Elsewhere", "PT", centre), station(6, "Unplaced", "BR", nil), station(7, webtest.HostileName, "", coast),
			{ID: "C.br", Name: "Canal", Country: "BR", Categories: []string{"news"}, Origin: "iptv-org",
				Streams: []catalog.StreamRecord{{ID: 8, URL: "https://live.example/8.m3u8", Kind: catalog.StreamHLS, Origin: "iptv-org", Playable: true}}},
		},
	}
	atlas := cities.New(func() []byte { return []byte(someCities) })
	s := New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: webtest.Show(t, reg, index.Overlay{}), Cities: atlas, Now: webtest.Clock})
	return webtest.Handler(s, Endpoints)
}

// TestData checks what the globe shows: stations belong to the largest city around them,
// or else to the nearest of their country.
func TestData(t *testing.T) {
	w := webtest.Request(handler(t), "GET", placesPath)
	var got shown
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := shown{
		Countries: map[string][2]int{"BR": {1, 4}, "PT": {0, 1}},
		Cities:    map[string][][5]any{"BR": {{3., "Santos", -23.96, -46.33, 2.}, {1., "São Paulo", -23.55, -46.64, 2.}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// links returns the texts and addresses of the links of a page, within an element.
func links(tree *html.Node, within string) (all []string) {
	for _, a := range webtest.Elements(webtest.ByID(tree, within), func(n *html.Node) bool { return n.Data == "a" }) {
		all = append(all, strings.Join(strings.Fields(webtest.Text(a)), " ")+" "+webtest.Attr(a, "href"))
	}
	return all
}

// TestExplore checks the page in each language: without a script it leads everywhere.
func TestExplore(t *testing.T) {
	h := handler(t)
	for _, l := range i18n.Locales {
		path := site.Explore.Path(l, "")
		tree := webtest.Tree(t, h, path)
		if d := cmp.Diff([]string{"Santos 2 " + path + "?at=3", "São Paulo 2 " + path + "?at=1"}, links(tree, "chosen")); d != "" {
			t.Errorf("%s: the cities (-want +got):\n%s", path, d)
		}
		all := strings.Join(links(tree, "main"), "\n")
		for _, want := range []string{path + "?at=BR", "?genre=jazz", "?category=news", "/surprise?kind=radio"} {
			if !strings.Contains(all, want) {
				t.Errorf("%s does not lead to %s:\n%s", path, want, all)
			}
		}
	}
}

// TestChosen checks what there is in a place, as the page and the globe show it, and that
// every other place is refused.
func TestChosen(t *testing.T) {
	h := handler(t)
	for path, want := range map[string][]string{
		"/en/explore?at=1": {"Brazil /en/explore?at=BR", "All radio in São Paulo /en/radio/sao-paulo-1", "Dois Jazz /en/channel/rb.2", "Um Jazz /en/channel/rb.1"},
		"/en/explore?at=BR": {
			"Popular TV · Brazil /en/brazil?kind=tv", "Canal News /en/channel/C.br", "Popular radio · Brazil /en/brazil?kind=radio",
			"Unplaced Jazz /en/channel/rb.6", "Costa Jazz /en/channel/rb.3", "Dois Jazz /en/channel/rb.2", "Um Jazz /en/channel/rb.1",
			"Santos 2 /en/explore?at=3", "São Paulo 2 /en/explore?at=1",
		},
	} {
		tree := webtest.Tree(t, h, path)
		var got []string
		for _, link := range links(tree, "chosen") {
			name, _, _ := strings.Cut(link, " ")
			got = append(got, strings.Replace(link, name+" "+name+" ", name+" ", 1)) // the plate has it too
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
		if robots := webtest.Elements(tree, func(n *html.Node) bool { return n.Data == "meta" && webtest.Attr(n, "name") == "robots" }); len(robots) != 1 {
			t.Errorf("%s may be indexed", path)
		}
	}
	part := webtest.Request(h, "GET", "/de/around/3").Body.String()
	if !strings.Contains(part, "Santos") || strings.Contains(part, "<body") || strings.Contains(part, "<script>alert") {
		t.Errorf("the part of a city:\n%s", part)
	}
	for _, at := range []string{"2", "br", "AQ", "ZZ", "0", "01", "-1", "1%00", "%3Cb%3E", "1234567890123", "%22", "BR%20"} {
		for _, path := range []string{"/around/" + at, "/en/explore?at=" + at} {
			if w := webtest.Request(h, "GET", path); w.Code != http.StatusNotFound && w.Code != http.StatusBadRequest {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
	}
}

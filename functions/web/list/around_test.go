package list

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/cities"
)

// placedHandler serves lists of stations in and around Lisbon.
func placedHandler(t *testing.T) http.Handler {
	t.Helper()
	reg := &catalog.Register{BuiltAt: webtest.Now, Countries: []catalog.Term{{Code: "PT", Name: catalog.Labels{"Portugal", "Portugal", "Portugal", "Portugal", "Portugal"}}}}
	for n, lat := range []float64{39, 38.72, 38.8, 41.15} {
		reg.Records = append(reg.Records, catalog.Record{
			ID: fmt.Sprintf("rb.%d", n), Kind: catalog.Station, Name: fmt.Sprint("Estação ", n), Country: "PT", Origin: "radio-browser",
			Radio:   &catalog.Radio{Tags: []string{}, Votes: n, Geo: &catalog.Geo{Lat: lat, Lon: -9.14}},
			Streams: []catalog.StreamRecord{{ID: catalog.StreamID(n + 1), URL: "https://live.example/1.mp3", Kind: catalog.StreamAudio, Origin: "radio-browser", Playable: true}},
		})
	}
	s := New(Options{
		Pages: page.NewRenderer(webtest.Links), Catalog: webtest.Show(t, reg, index.Overlay{}), Now: webtest.Clock,
		Cities: cities.New(func() []byte { return []byte("1\tLisbon\tPT\t38.72\t-9.14\n") }),
	})
	return webtest.Handler(s, Endpoints)
}

// TestNearPlace checks the list of what is near a place: the nearest first with its
// distance, a map, other radii, and a link that drops the place. No shared cache keeps it.
func TestNearPlace(t *testing.T) {
	h := placedHandler(t)
	w := webtest.Request(h, "GET", "/en?near=38.72001,-9.14&radius=40")
	if cache := w.Header().Get("Cache-Control"); w.Code != http.StatusOK || !strings.HasPrefix(cache, "private") || !strings.Contains(w.Header().Get("Permissions-Policy"), "geolocation=(self)") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	tree := webtest.Tree(t, h, "/en?near=38.72001,-9.14&radius=40")
	text := func(class string) (all []string) {
		for _, n := range webtest.Elements(tree, func(n *html.Node) bool { return webtest.HasClass(n, class) }) {
			all = append(all, strings.Join(strings.Fields(webtest.Text(n)), " "))
		}
		return all
	}
	if got := fmt.Sprint(text("card-link"), text("card-distance")); got != "[Estação 1 Estação 2 Estação 0] [0 km 8.9 km 31 km]" {
		t.Errorf("the cards are %s", got)
	}
	if h1 := webtest.Elements(tree, func(n *html.Node) bool { return n.Data == "h1" }); webtest.Text(h1[0]) != "Radio near Lisbon" || len(text("map-disc")) != 1 {
		t.Errorf("the heading is %q, with %d maps", webtest.Text(h1[0]), len(text("map-disc")))
	}
	for id, want := range map[string]string{
		"drop-near": "/en?kind=radio", "radius-100": "/en?near=38.72%2C-9.14&radius=100", "radius-50": "/en?near=38.72%2C-9.14",
		"sort-name": "/en?near=38.72%2C-9.14&radius=40&sort=name", "kind-tv": "/en?kind=tv",
	} {
		got := webtest.Attr(webtest.ByID(tree, id), "href")
		if got = strings.Replace(got, "kind=radio&near", "near", 1); got != want {
			t.Errorf("%s leads to %s, want %s", id, got, want)
		}
	}
	if robots := webtest.Elements(tree, func(n *html.Node) bool { return n.Data == "meta" && webtest.Attr(n, "name") == "robots" }); len(robots) != 1 {
		t.Error("search engines may index the place of a visitor")
	}
}

// TestNearElsewhere checks lists that name a place in another way, or none.
func TestNearElsewhere(t *testing.T) {
	h := placedHandler(t)
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/en?near=0,0":                     {http.StatusOK, "Radio near 0,0"},
		"/en?near=38.72,-9.14&q=estacao+2": {http.StatusOK, "8.9 km"},
		"/en?sort=distance":                {http.StatusOK, "TV"},
		"/en?radius=20":                    {http.StatusOK, "<h1"},
		"/en?near=":                        {http.StatusOK, "<h1"},
		"/en/portugal?near=38.72,-9.14":    {http.StatusOK, "31 km"},
		"/en/portugal?kind=radio":          {http.StatusOK, `href="/en/radio/lisbon-1"`},
		"/en?near=91,0":                    {http.StatusBadRequest, ""},
		"/en?near=porto":                   {http.StatusBadRequest, ""},
		"/en?near=0,0&radius=501":          {http.StatusBadRequest, ""},
		"/en?near=%3Cscript%3E,0":          {http.StatusBadRequest, ""},
	} {
		w := webtest.Request(h, "GET", path)
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("%s: %d without %q", path, w.Code, want.text)
		}
		if !strings.Contains(path, "near=3") && w.Code == http.StatusOK && !strings.Contains(path, "near=0") && !strings.HasPrefix(w.Header().Get("Cache-Control"), "public") {
			t.Errorf("%s: Cache-Control %q", path, w.Header().Get("Cache-Control"))
		}
	}
}

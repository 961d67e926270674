package list

import (
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store/embedded"
)

// scheduleHandler returns the pages of channels with programmes: of n channels in Brazil
// from an hour ago to the next hour, one in France whose programme is over, and one in Portugal with a programme over midnight in UTC.
func scheduleHandler(t testing.TB, n int) http.Handler {
	t.Helper()
	return scheduleHandlerAt(t, n, webtest.Clock)
}

// scheduleHandlerAt is scheduleHandler with a clock.
func scheduleHandlerAt(t testing.TB, n int, clock func() time.Time) http.Handler {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	hour := func(n int) time.Time { return webtest.Now.Add(time.Duration(n) * time.Hour) }
	reg := &catalog.Register{BuiltAt: webtest.Now}
	grids := map[string]guide.Grid{}
	add := func(id, name, country string, ps ...guide.Programme) {
		i := catalog.StreamID(len(reg.Records) + 1)
		reg.Records = append(reg.Records, catalog.Record{ID: id, Name: name, Country: country, Origin: "iptv-org", Streams: []catalog.StreamRecord{
			{ID: i, URL: fmt.Sprintf("https://o.example/%d.m3u8", i), Kind: catalog.StreamHLS, Origin: "iptv-org", Playable: true},
		}})
		g, ok := guide.NewGrid("test", "guide.example", guide.WindowOf(webtest.Now), ps)
		if !ok {
			t.Fatalf("%s has no guide", id)
		}
		grids[id] = g
	}
	for i := range n {
		title := fmt.Sprint("Jornal ", i)
		if i == 0 {
			title = webtest.HostileName
		}
		add(fmt.Sprintf("C%03d.br", i), fmt.Sprint("Canal ", i), "BR",
			guide.Programme{Start: hour(-1), Stop: hour(1), Title: title}, guide.Programme{Start: hour(1), Stop: hour(2), Title: "Filme"})
	}
	add("Past.fr", "Passé", "FR", guide.Programme{Start: hour(-3), Stop: hour(-2), Title: "Fini"})
	add("Night.pt", "Noite", "PT", guide.Programme{Start: webtest.Now.Add(11*time.Hour + 30*time.Minute), Stop: hour(13), Title: "Meia-noite"})
	c := guide.Change{Window: guide.WindowOf(webtest.Now), Sources: []string{"test"}}
	c.Add("test", grids)
	if _, err := c.Keep(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	live := guide.Follow(t.Context(), overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
	shown := webtest.Show(t, reg, index.Overlay{Guides: live.Sites(webtest.Now)})
	return webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: shown, Guides: live, Now: clock}), Endpoints)
}

func airings(tree *html.Node) (ids []string) {
	for _, row := range webtest.Elements(tree, func(n *html.Node) bool { return webtest.HasClass(n, "airing") }) {
		ids = append(ids, webtest.Attr(row, "data-id"))
	}
	return ids
}

// TestSchedule checks in each language that the page lists what is on now, with hours,
// how much has passed and what comes next, and leads on where nothing is on.
func TestSchedule(t *testing.T) {
	h := scheduleHandler(t, 3)
	for _, l := range i18n.Locales {
		path := site.Schedule.Path(l, "")
		tree := webtest.Tree(t, h, path)
		if d := cmp.Diff([]string{"C000.br", "C001.br", "C002.br"}, airings(tree)); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
		got := webtest.Text(webtest.ByID(tree, "main"))
		for _, part := range []string{"Canal 1", "Jornal 1", "Filme", "11:00", "13:00"} {
			if !strings.Contains(got, part) {
				t.Errorf("%s lacks %q: %s", path, part, got)
			}
		}
		if strings.Contains(got, "schedule.") {
			t.Errorf("%s lacks a text: %s", path, got)
		}
		bars := webtest.Elements(tree, func(n *html.Node) bool { return n.Data == "progress" })
		if len(bars) != 3 || webtest.Attr(bars[0], "value") != "50" {
			t.Errorf("%s has %d bars, the first at %s", path, len(bars), webtest.Attr(bars[0], "value"))
		}
		for _, query := range []string{"?country=FR", "?country=fr", "?country=ZZ", "?country=AQ", "?offset=100000", "?country=%3Cb"} {
			tree := webtest.Tree(t, h, path+query)
			if ids := airings(tree); len(ids) > 0 {
				t.Errorf("%s%s lists %q", path, query, ids)
			}
			links := webtest.Elements(webtest.ByID(tree, "airings"), func(n *html.Node) bool { return n.Data == "a" })
			if len(links) != 1 {
				t.Errorf("%s%s leads on by %d links", path, query, len(links))
			}
		}
		for _, query := range []string{"?country=BRA", "?offset=-1", "?offset=x", "?offset=100001"} {
			if w := webtest.Request(h, "GET", path+query); w.Code != http.StatusBadRequest {
				t.Errorf("%s%s: %d", path, query, w.Code)
			}
		}
	}
}

// TestSchedulePages checks that the pages go on to the last channel, each once.
func TestSchedulePages(t *testing.T) {
	h := scheduleHandler(t, 150)
	seen := map[string]bool{}
	pages := 0
	for path := "/en/schedule?country=BR"; path != ""; pages++ {
		tree := webtest.Tree(t, h, path)
		for _, id := range airings(tree) {
			if seen[id] {
				t.Errorf("%s is listed twice", id)
			}
			seen[id] = true
		}
		path = ""
		for _, a := range webtest.Elements(tree, func(n *html.Node) bool { return n.Data == "a" && webtest.Attr(n, "rel") == "next" }) {
			path = webtest.Attr(a, "href")
		}
		if pages > 5 {
			t.Fatal("the pages do not end")
		}
	}
	if len(seen) != 150 || pages != 3 {
		t.Errorf("%d channels on %d pages", len(seen), pages)
	}
	tree := webtest.Tree(t, h, "/en/schedule?country=BR")
	options := webtest.Elements(tree, func(n *html.Node) bool { return n.Data == "option" })
	if len(options) != 2 || webtest.Text(options[1]) != "Brazil (150)" {
		t.Errorf("the menu has %d countries", len(options))
	}
}

package list

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// TestTimeline checks that the page of the grid has the first part of it as data, in the
// order of the API, what is on for those without scripts, and links to both views.
func TestTimeline(t *testing.T) {
	h := scheduleHandler(t, 20)
	for _, l := range i18n.Locales {
		tree := webtest.Tree(t, h, site.Schedule.Path(l, "")+"?view=timeline&country=br")
		var start gridStart
		if err := json.Unmarshal([]byte(webtest.Text(webtest.ByID(tree, "data"))), &start); err != nil {
			t.Fatal(err)
		}
		if len(start.Items) != firstSize || start.Total != 20 || start.From != "2026-11-22T11:30:00Z" || start.To != "2026-11-22T15:30:00Z" {
			t.Errorf("%d of %d channels from %s to %s", len(start.Items), start.Total, start.From, start.To)
		}
		var titles []string
		for _, p := range start.Items[1].Programmes {
			titles = append(titles, p.Title)
		}
		if diff := cmp.Diff([]string{"Jornal 1", "Filme"}, titles); diff != "" {
			t.Errorf("%s (-want +got):\n%s", l, diff)
		}
		grid := webtest.ByID(tree, "timeline")
		if webtest.Attr(grid, "data-country") != "BR" || !strings.HasSuffix(webtest.Attr(grid, "data-channel"), "/_") {
			t.Errorf("%s: the grid is of %q, at %q", l, webtest.Attr(grid, "data-country"), webtest.Attr(grid, "data-channel"))
		}
		quiet := webtest.Elements(tree, func(n *html.Node) bool { return n.Data == "noscript" })
		if len(quiet) != 1 || !strings.Contains(webtest.Text(quiet[0]), "Canal 1") {
			t.Errorf("%s: without scripts the page has no list", l)
		}
		if got := webtest.Text(webtest.ByID(tree, "main")); strings.Contains(got, "schedule.") {
			t.Errorf("%s lacks a text: %s", l, got)
		}
	}
	views := webtest.Elements(webtest.Tree(t, h, "/en/schedule?view=timeline&country=BR"), func(n *html.Node) bool { return webtest.HasClass(n, "chip") && n.Data == "a" })
	if len(views) != 2 || webtest.Attr(views[0], "href") != "/en/schedule?country=BR" || webtest.Attr(views[1], "aria-current") == "" {
		t.Errorf("the views are %d", len(views))
	}
}

// TestTimelineOf checks that the grid of what a visitor keeps begins without channels, and
// that the page takes nothing else for a view or a list.
func TestTimelineOf(t *testing.T) {
	h := scheduleHandler(t, 3)
	tree := webtest.Tree(t, h, "/en/schedule?view=timeline&of=favorites")
	var start gridStart
	if err := json.Unmarshal([]byte(webtest.Text(webtest.ByID(tree, "data"))), &start); err != nil || len(start.Items) != 0 || start.Total != 0 {
		t.Errorf("%v %+v", err, start)
	}
	if got := webtest.Attr(webtest.ByID(tree, "timeline"), "data-of"); got != "favorites" {
		t.Errorf("the grid is of %q", got)
	}
	for _, query := range []string{"?view=week", "?of=" + strings.Repeat("x", 65), "?q=" + strings.Repeat("x", 201)} {
		if w := webtest.Request(h, "GET", "/en/schedule"+query); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", query, w.Code)
		}
	}
	webtest.Tree(t, h, "/en/schedule?view=timeline&of=%22%3E%3Cscript%3E")
}

// TestProgrammes checks that a search finds what is on and what comes within a day, by words
// with and without accents, and of a country.
func TestProgrammes(t *testing.T) {
	h := scheduleHandler(t, 70)
	for query, want := range map[string]int{
		"q=jornal+1": 11, "q=JÓRNAL+69": 1, "q=fílme": foundSize, "q=jornal+1&country=FR": 0, "q=fini": 0, "q=%20": 0, "q=%3Cscript%3E": 1, "q=nothing": 0,
	} {
		tree := webtest.Tree(t, h, "/en/schedule?"+query)
		rows := webtest.Elements(tree, func(n *html.Node) bool { return webtest.HasClass(n, "found") })
		if len(rows) != want {
			t.Errorf("%s finds %d programmes, want %d", query, len(rows), want)
		}
		if want == 0 && query != "q=%20" && len(webtest.Elements(webtest.ByID(tree, "airings"), func(n *html.Node) bool { return n.Data == "a" })) != 1 {
			t.Errorf("%s leads nowhere", query)
		}
	}
	row := webtest.Elements(webtest.Tree(t, h, "/de/programm?q=filme"), func(n *html.Node) bool { return webtest.HasClass(n, "found") })[0]
	links := webtest.Elements(row, func(n *html.Node) bool { return n.Data == "a" })
	if got := webtest.Attr(links[1], "href"); got != "/api/channels/"+webtest.Attr(row, "data-id")+"/guia.ics?lang=de&start=2026-11-22T13%3A00%3A00Z" {
		t.Errorf("the calendar file is %s", got)
	}
}

// TestAroundMidnight moves the clock over midnight in UTC: what began before it is on until
// it ends, in the list and in the grid, although the guide of the new day has not come.
func TestAroundMidnight(t *testing.T) {
	now := webtest.Now
	h := scheduleHandlerAt(t, 1, func() time.Time { return now })
	midnight := webtest.Now.Truncate(24 * time.Hour).Add(24 * time.Hour)
	for before, on := range map[time.Duration]bool{
		-31 * time.Minute: false, -30 * time.Minute: true, -time.Second: true, 0: true, time.Second: true, time.Hour - time.Second: true, time.Hour: false,
	} {
		now = midnight.Add(before)
		got := airings(webtest.Tree(t, h, "/en/schedule?country=PT"))
		if want := map[bool][]string{true: {"Night.pt"}}[on]; !cmp.Equal(want, got) {
			t.Errorf("%s after midnight %q are on, want %q", before, got, want)
		}
		var start gridStart
		text := webtest.Text(webtest.ByID(webtest.Tree(t, h, "/en/schedule?view=timeline&country=PT"), "data"))
		if err := json.Unmarshal([]byte(text), &start); err != nil || len(start.Items) != 1 || len(start.Items[0].Programmes) != 1 {
			t.Errorf("%s after midnight the grid is %s", before, text)
		}
	}
}

package list

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// TestLand checks what the page of a country has besides the list: its region, its place
// on the globe, what is on now, and other countries of its region. A search has the first
// two.
func TestLand(t *testing.T) {
	links := func(n *html.Node) (hrefs []string) {
		if n != nil {
			for _, a := range webtest.Elements(n, func(n *html.Node) bool { return n.Data == "a" }) {
				hrefs = append(hrefs, webtest.Attr(a, "href"))
			}
		}
		return hrefs
	}
	ways := func(tree *html.Node, class string) []string {
		for _, n := range webtest.Elements(tree, func(n *html.Node) bool { return webtest.HasClass(n, class) }) {
			return links(n)
		}
		return nil
	}
	brazil := []string{"/en/countries#region-005", "/en/explore?at=BR"}
	on := []string{site.Schedule.Path(i18n.EN, "") + "?country=BR", "/en/channel/C000.br", "/en/channel/C001.br", "/en/channel/C002.br", "/en/channel/C003.br"}
	for _, test := range []struct {
		name, path string
		channels   int // that are on now
		ways, on   []string
	}{
		{"a country", "/en/brazil", 4, brazil, on},
		{"too few on now", "/en/brazil", 3, brazil, nil},
		{"its stations", "/en/brazil?kind=radio", 4, brazil, nil},
		{"a search", "/en/brazil?q=canal", 4, brazil, nil},
		{"a category", "/en/brazil?category=news", 4, brazil, nil},
		{"a country without channels", "/en/chile", 4, nil, nil},
	} {
		tree := webtest.Tree(t, scheduleHandler(t, test.channels), test.path)
		if d := cmp.Diff(strings.Join(test.ways, " "), strings.Join(ways(tree, "land-ways"), " ")); d != "" {
			t.Errorf("%s: ways (-want +got):\n%s", test.name, d)
		}
		if d := cmp.Diff(strings.Join(test.on, " "), strings.Join(ways(tree, "land-on"), " ")); d != "" {
			t.Errorf("%s: on now (-want +got):\n%s", test.name, d)
		}
	}
}

func TestNeighbours(t *testing.T) {
	places := []place{
		{Code: "AR", region: "005", own: true, tv: 3, radio: 4}, {Code: "BR", region: "005", own: true, tv: 90}, {Code: "CL", region: "005", own: true, tv: 8},
		{Code: "FR", region: "150", own: true, tv: 99}, {Code: "XX", region: "005", tv: 99},
	}
	for i := range 2 * relatedCount {
		places = append(places, place{Code: fmt.Sprint(i), region: "002", own: true, tv: i})
	}
	for code, want := range map[string]string{"BR": "CL AR", "FR": "", "0": "23 22 21 20 19 18 17 16 15 14 13 12"} {
		var here place
		for _, p := range places {
			if p.Code == code {
				here = p
			}
		}
		var got []string
		for _, p := range neighbours(places, here) {
			got = append(got, p.Code)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("neighbours of %s: %v, want %s", code, got, want)
		}
	}
}

func TestFolded(t *testing.T) {
	v := page.NewRenderer(webtest.Links).View(site.Home, i18n.EN, nil)
	for _, test := range []struct {
		topics, chosen int // the chosen one is -1 for none
		seen           int
		text           string
		open           bool
	}{
		{0, -1, 0, "", false}, {12, -1, 12, "", false}, {13, -1, 10, "3 more", false}, {24, 9, 10, "14 more", false}, {24, 10, 10, "14 more", true},
	} {
		topics := make(part.Chips, test.topics)
		if test.chosen >= 0 {
			topics[test.chosen].Current = true
		}
		seen, more := folded(v, topics)
		if more == nil {
			more = &rest{}
		}
		if len(seen) != test.seen || more.Text != test.text || more.Open != test.open || len(seen)+len(more.Topics) != test.topics {
			t.Errorf("%d topics: %d seen, then %+v", test.topics, len(seen), more)
		}
	}
}

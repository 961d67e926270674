package list

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/works"
)

// worksHandler returns the handler of a catalog in which networks of Portugal play C00.br
// and refuse C01.br, and a probe played C02.br.
func worksHandler(t *testing.T) http.Handler {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for n, channel := range []string{"C00.br", "C01.br"} {
		c := social.Counted{Channel: channel, Ledger: fact.Ledger{Revision: 1}}
		for network := range 3 {
			r := social.Report{
				Channel: channel, Browser: "Chrome", OS: "Windows", Country: "PT", OK: n == 0, At: webtest.Now,
				Network: social.NetworkOf([16]byte{byte(network + 1)}, channel),
			}
			if !r.OK {
				r.Code = "geo"
			}
			c.Apply(r)
		}
		if err := social.ShowCounts(t.Context(), db, social.ShardOf(channel), []social.Counted{c}); err != nil {
			t.Fatal(err)
		}
	}
	following, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	counts := social.FollowOverlay(following, overlay.NewSet(db, slog.New(slog.DiscardHandler), webtest.Clock))
	waiting, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := counts.Loaded(waiting); err != nil {
		t.Fatal(err)
	}
	shown := webtest.Show(t, listRegister(), index.Overlay{
		OnlineSince: webtest.Now.Add(-48 * time.Hour),
		Streams: func(yield func(catalog.StreamID, *catalog.Measurement) bool) {
			yield(3, &catalog.Measurement{Health: catalog.StreamHealth{Status: "online"}, OnlineAt: webtest.Now})
		},
	})
	server := New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: shown, Works: works.New(counts, webtest.Clock), Now: webtest.Clock})
	return request.Handler(request.Options{Log: slog.New(slog.DiscardHandler), Now: webtest.Clock, CountryHeader: "X-Client-Region"}, server, Endpoints)
}

// TestWorksIn checks the list of what plays in a country, in each language: the channels
// with their marks, the checkbox, and what the list means in words.
func TestWorksIn(t *testing.T) {
	h := worksHandler(t)
	for _, l := range i18n.Locales {
		home := site.Home.Path(l, "")
		tree := webtest.Tree(t, h, home+"?works_in=pt&sort=works")
		country, _ := i18n.CountryName("PT", l)
		said := func(key string) string { // as webtest.Text has it, with plain spaces
			return strings.Join(strings.Fields(l.T(key, map[string]any{"country": country})), " ")
		}
		var got []string
		for _, card := range webtest.Elements(tree, func(n *html.Node) bool { return webtest.HasClass(n, "card") }) {
			mark := webtest.Elements(card, func(n *html.Node) bool { return webtest.HasClass(n, "card-works") })
			if len(mark) != 1 {
				t.Fatalf("%s: %d marks on a card", home, len(mark))
			}
			got = append(got, webtest.Attr(card, "data-id")+": "+strings.TrimSpace(webtest.Text(mark[0])))
		}
		want := []string{"C00.br: " + said("list.works_confirmed"), "C02.br: " + said("list.works_likely")}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", home, d)
		}
		text := webtest.Text(tree)
		for _, key := range []string{"list.works_in", "list.works_in_means", "list.works_hint", "list.sort_works"} {
			if !strings.Contains(text, said(key)) {
				t.Errorf("%s does not say %q", home, said(key))
			}
		}
		box := webtest.Elements(tree, func(n *html.Node) bool {
			return webtest.Attr(n, "type") == "checkbox" && strings.HasPrefix(webtest.Attr(n, "name"), "works_")
		})
		if len(box) != 1 || webtest.Attr(box[0], "value") != "PT" || !slices.ContainsFunc(box[0].Attr, func(a html.Attribute) bool { return a.Key == "checked" }) {
			t.Errorf("%s has %d checkboxes", home, len(box))
		}
		hidden := webtest.Elements(tree, func(n *html.Node) bool {
			return webtest.Attr(n, "type") == "hidden" && webtest.Attr(n, "name") == "works_in"
		})
		if len(hidden) > 0 {
			t.Errorf("%s sends works_in also when the checkbox is not checked", home)
		}
	}
	body := webtest.Body(t, h, "/en?kind=tv")
	if strings.Contains(body, "card-works") || !strings.Contains(body, `name="works_here" value="1"`) || strings.Contains(body, "sort=works") {
		t.Error("a list that was not asked for it speaks of a country")
	}
}

// TestWorksHere checks that the search for what plays where the visitor is leads to that of
// the visitor's country, which no cache keeps, and that the page itself is the same for all.
func TestWorksHere(t *testing.T) {
	h := worksHandler(t)
	for _, test := range []struct{ path, country, want string }{
		{"/en?works_here=1", "PT", "/en?works_in=PT"},
		{"/?q=canal&works_here=1&sort=works&offset=30", "BR", "/?q=canal&works_in=BR&sort=works"},
		{"/en/brazil?works_here=1&kind=radio", "PT", "/en/brazil?kind=radio&works_in=PT"},
		{"/en?works_here=1&works_in=BR", "PT", "/en?works_in=PT"},
		{"/en?works_here=1&works_in=BR", "", "/en?works_in=BR"},
		{"/en?works_here=1&q=a", "", "/en?q=a"},
		{"/en?works_here=1&q=a", "ZZ", "/en?q=a"},
		{"/en?works_here=1&q=a", "<b>", "/en?q=a"},
	} {
		w := webtest.Request(h, "GET", test.path, "X-Client-Region", test.country)
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != test.want {
			t.Errorf("%s in %q: %d to %q, want %q", test.path, test.country, w.Code, got, test.want)
		}
		if got := w.Header().Get("Cache-Control"); got != "private, no-store" {
			t.Errorf("%s: Cache-Control is %q", test.path, got)
		}
	}
	here := webtest.Request(h, "GET", "/en?works_in=PT", "X-Client-Region", "PT").Body.String()
	if there := webtest.Request(h, "GET", "/en?works_in=PT", "X-Client-Region", "JP").Body.String(); here != there {
		t.Error("the page depends on the visitor's country")
	}
}

// TestWorksInHostile checks that countries that do not exist are refused.
func TestWorksInHostile(t *testing.T) {
	h := worksHandler(t)
	for _, value := range []string{"XX", "ZZ", "P", "PRT", "%3Cb%3E", "P%00", "%FF", "..", "%C4%B1t", strings.Repeat("P", 5000)} {
		for _, path := range []string{"/en?works_in=" + value, "/en/brazil?works_in=" + value, "/en?works_here=1&works_in=" + value} {
			if w := webtest.Request(h, "GET", path, "X-Client-Region", "PT"); w.Code != http.StatusBadRequest {
				t.Errorf("%.60s: %d", path, w.Code)
			}
		}
	}
	for value, n := range map[string]int{"": 30, "FR": 1, "uk": 1} {
		body := webtest.Body(t, h, fmt.Sprintf("/en?kind=tv&works_in=%s", value))
		if got := strings.Count(body, `class="card"`); value == "" && got != n || value != "" && strings.Count(body, "card-works") != n {
			t.Errorf("works_in=%s: %d cards", value, got)
		}
	}
}

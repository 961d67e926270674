package catalog

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/apitest"
)

func gridOf(t testing.TB, h http.Handler, query string) (p gridPage, rows []string) {
	t.Helper()
	res, body := apitest.Do(t, h, "GET", gridPath+"?"+query, "")
	if err := json.Unmarshal([]byte(body), &p); err != nil || res.StatusCode != http.StatusOK || p.Items == nil {
		t.Fatalf("%s: %s %v %s", query, res.Status, err, body)
	}
	rows = []string{}
	for _, row := range p.Items {
		line := row.ChannelID
		for _, on := range row.Programmes {
			line += " " + on.Start[11:16] + "-" + on.Stop[11:16]
		}
		rows = append(rows, line)
	}
	return p, rows
}

func TestGrid(t *testing.T) {
	s := open(t, openDB(t))
	const (
		aurora = "Aurora.br 11:00-13:00 13:00-01:00"
		beacon = "Beacon.uk 11:30-12:30 12:30-00:30"
		zebra  = "Zebra.br 11:15-13:00 13:00-14:00"
		later  = "Later.br 14:00-15:00"
	)
	list := func(rows ...string) []string { return append([]string{}, rows...) }
	for query, want := range map[string][]string{
		"country=uk":                          list(beacon),
		"country=XX":                          list(),
		"category=sports":                     list(aurora),
		"kind=radio":                          list("rb.1 10:00-14:00"),
		"ids=Zebra.br,Aurora.br":              list(zebra, aurora),
		"ids=Old.br,%20Aurora.br,Nowhere.br,": list(aurora),
		"ids=Blank.br":                        list("Blank.br"),
		"ids=Blank.br,Later.br,Beacon.uk&guide=1&from=2026-11-22T23:00:00Z": list("Later.br", "Beacon.uk 12:30-00:30"),
		"ids=Blocked.br":                                 list(),
		"ids=Later.br&country=XX&offset=1":               list(later),
		"ids=Zebra.br&hours=1":                           list("Zebra.br 11:15-13:00"),
		"ids=Zebra.br&from=2026-11-22T13:00:00Z&hours=1": list("Zebra.br 13:00-14:00"),
		"ids=Zebra.br&from=2026-11-20T13:00:00Z":         list("Zebra.br"),
		"ids=Beacon.uk&from=2026-11-22T23:00:00Z":        list("Beacon.uk 12:30-00:30"),
		"ids=rb.1&hours=999":                             list("rb.1 10:00-14:00"),
	} {
		if _, got := gridOf(t, s, query); !cmp.Equal(want, got) {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{
		"hours=0", "hours=x", "limit=0", "offset=-1", "kind=x", "playable=yes", "from=now", "from=2026-13-40T99:00:00Z", "from=2026-11-22T12:00:00%2B01:00", "from=9999-12-31T23:00:00Z",
		"country=" + strings.Repeat("B", 33), "ids=" + strings.Repeat("x", 4001), "ids=" + strings.Repeat("x,", 50),
	} {
		if res, body := apitest.Do(t, s, "GET", gridPath+"?"+query, ""); res.StatusCode != http.StatusBadRequest {
			t.Errorf("%q: %s %s", query, res.Status, body)
		}
	}
}

// TestGridPages checks that pages go on to the last channel, each once, and repeat the query.
func TestGridPages(t *testing.T) {
	h := crowded(t, 130)
	seen, pages := map[string]bool{}, 0
	for query := "limit=50&from=2026-11-22T00:00:00Z&hours=24"; query != ""; pages++ {
		p, _ := gridOf(t, h, query)
		for _, row := range p.Items {
			if seen[row.ChannelID] || len(row.Programmes) != 40 {
				t.Errorf("%s with %d programmes", row.ChannelID, len(row.Programmes))
			}
			seen[row.ChannelID] = true
		}
		if p.Total != 130 || p.From != "2026-11-22T00:00:00Z" || p.To != "2026-11-23T00:00:00Z" {
			t.Errorf("%d channels from %s to %s", p.Total, p.From, p.To)
		}
		query = ""
		if p.Next != nil {
			_, query, _ = strings.Cut(*p.Next, "?")
		}
		if pages > 5 {
			t.Fatal("the pages do not end")
		}
	}
	if len(seen) != 130 || pages != 3 {
		t.Errorf("%d channels on %d pages", len(seen), pages)
	}
}

// TestGridKept checks that caches may keep a grid.
func TestGridKept(t *testing.T) {
	s := open(t, openDB(t))
	res, _ := apitest.Do(t, s, "GET", gridPath, "")
	if got := res.Header.Get("Cache-Control"); !strings.HasPrefix(got, "public, max-age=60") {
		t.Errorf("Cache-Control is %q", got)
	}
	again, _ := apitest.Do(t, s, "GET", gridPath, "", "If-None-Match", res.Header.Get("ETag"))
	if res.Header.Get("ETag") == "" || again.StatusCode != http.StatusNotModified {
		t.Errorf("%q: %s", res.Header.Get("ETag"), again.Status)
	}
}

func BenchmarkGrid(b *testing.B) {
	h := crowded(b, 5000)
	for _, query := range []string{"limit=30&hours=12", "limit=50&hours=24&from=2026-11-22T00:00:00Z", "limit=30&hours=12&offset=4000"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				if res, body := apitest.Do(b, h, "GET", gridPath+"?"+query, ""); res.StatusCode != http.StatusOK {
					b.Fatal(fmt.Sprint(res.Status, body))
				}
			}
		})
	}
}

package functions

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/health"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
)

const (
	firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0"
	chrome  = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
)

// keepReports stores the counts of a channel that fails in Brazil and plays in
// Portugal, in the form in which reports are counted.
func keepReports(t *testing.T, db store.DB, channel string) social.Counts {
	t.Helper()
	c := social.Counted{Channel: channel, Ledger: fact.Ledger{Revision: 1}}
	networks := byte(0)
	report := func(country, browser, system, code string) {
		networks++
		c.Apply(social.Report{
			OK: code == "", Code: code, Browser: browser, OS: system, Country: country, At: noon,
			Network: social.NetworkOf([16]byte{networks}, channel),
		})
	}
	for range 3 {
		report("BR", "Firefox", "Windows", "geo")
		report("PT", "Chrome", "Linux", "")
	}
	report("BR", "Chrome", "Linux", "cors")
	c.Apply(social.Latency{Country: "BR", Samples: 4, SumMS: 4 * 800, LastAt: noon})
	c.Favorites, c.Comments = 2, 1
	ctx := context.Background()
	if err := db.Set(ctx, social.CountsPath(channel), c); err != nil {
		t.Fatal(err)
	}
	if err := social.ShowCounts(ctx, db, social.ShardOf(channel), []social.Counted{c}); err != nil {
		t.Fatal(err)
	}
	return c.Counts
}

// followSocial waits until d shows the social counts that are stored in db.
func followSocial(t *testing.T, d *compose.Parts) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	d.Social = social.FollowOverlay(ctx, overlay.NewSet(d.DB, d.Log, time.Now))
	waiting, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	if err := d.Social.Loaded(waiting); err != nil {
		t.Fatal(err)
	}
}

// getJSON returns the decoded answer to a caller in a country with a browser.
func getJSON[T any](t *testing.T, h http.Handler, path, country, agent string) (v T) {
	t.Helper()
	res, body := apitest.Do(t, h, "GET", path, "", "X-Client-Region", country, "User-Agent", agent)
	if err := json.Unmarshal([]byte(body), &v); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s %.300s, %v", path, res.Status, body, err)
	}
	return v
}

// TestWorksIn checks that a search for what plays in a country goes by the reports from
// there, says how sure it is, reads no document, and is another answer for another country.
func TestWorksIn(t *testing.T) {
	meter := storetest.NewMeter(openEmbedded(t))
	keepReports(t, meter, "Aurora.br")
	keepReports(t, meter, "Listed.us") // blocked
	d := deps(t, meter, fixture)
	followSocial(t, d)
	v := apitest.Validating(t, mux(t, d), documents(t)...)
	plays := func(country string) *catalog.WorksIn {
		return &catalog.WorksIn{Country: country, Verdict: catalog.Confirmed, Plays: 3}
	}
	fails := &catalog.WorksIn{Country: "BR", Verdict: catalog.Fails, Fails: 4}
	before := meter.Ops()
	for path, want := range map[string]map[string]*catalog.WorksIn{
		"/api/channels?works_in=PT":                         {"Aurora.br": plays("PT")},
		"/api/channels?works_in=pt&kind=all&sort=works":     {"Aurora.br": plays("PT")},
		"/api/channels?works_in=PT&q=aurora&sort=relevance": {"Aurora.br": plays("PT")},
		"/api/channels?works_in=PT&category=kids":           {},
		"/api/channels?works_in=BR":                         {},
		"/api/channels?works_in=FR":                         {},
		"/api/channels?sort=works&q=tv+aurora":              {"Aurora.br": fails},
		"/api/channels?q=tv+aurora":                         {"Aurora.br": nil},
	} {
		got := map[string]*catalog.WorksIn{}
		for _, item := range getJSON[catalog.Page](t, v, path, "BR", chrome).Items {
			got[item.ID] = item.WorksIn
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
	last := getJSON[catalog.Page](t, v, "/api/channels?sort=works", "BR", chrome).Items
	if got := last[len(last)-1]; got.ID != "Aurora.br" {
		t.Errorf("%s comes last of what plays in Brazil", got.ID)
	}
	if first := getJSON[catalog.Page](t, v, "/api/channels?sort=works&limit=1", "PT", chrome).Items[0]; !cmp.Equal(first.WorksIn, plays("PT")) {
		t.Errorf("%s comes first in Portugal: %+v", first.ID, first.WorksIn)
	}
	for _, format := range []string{"m3u", "m3u8", "xspf", "json"} {
		path := "/api/channels." + format
		_, list := apitest.Do(t, v, "GET", path+"?works_in=PT", "")
		if !strings.Contains(list, "Aurora") || format == "json" && !strings.Contains(list, "works_in=PT") || strings.Contains(list, "Sakura") {
			t.Errorf("%s of what plays in Portugal: %s", path, list)
		}
		if _, list := apitest.Do(t, v, "GET", path+"?works_in=BR", ""); strings.Contains(list, "Aurora") {
			t.Errorf("%s of what plays in Brazil: %s", path, list)
		}
	}
	if ops := meter.Ops().Less(before); ops != (storetest.Ops{}) {
		t.Errorf("searches cost %+v", ops)
	}
}

// TestSocialIsTheSameEverywhere checks that search, detail and panel show the same
// counts for the country of the caller, and that lists and details read no document
// for them.
func TestSocialIsTheSameEverywhere(t *testing.T) {
	meter := storetest.NewMeter(openEmbedded(t))
	counts := keepReports(t, meter, "Aurora.br")
	keepReports(t, meter, "Listed.us") // blocked
	keepReports(t, meter, "Nowhere.xx")
	d := deps(t, meter, fixture)
	followSocial(t, d)
	h := mux(t, d)
	v := apitest.Validating(t, h, documents(t)...)
	for _, c := range []struct {
		country, agent string
		place          social.Place
		forYou         string
	}{
		{"BR", firefox, social.Place{Browser: "Firefox", OS: "Windows", Country: "BR"}, "geo_bloqueado"},
		{"BR", chrome, social.Place{Browser: "Chrome", OS: "Linux", Country: "BR"}, "geo_bloqueado"},
		{"PT", chrome, social.Place{Browser: "Chrome", OS: "Linux", Country: "PT"}, "boa"},
		{"", "", social.Place{Browser: "Outro", OS: "Outro", Country: "ZZ"}, "sem_dado"},
	} {
		want := health.Social(counts, c.place)
		before := meter.Ops()
		page := getJSON[catalog.Page](t, v, "/api/channels?kind=all&playable=0&limit=50", c.country, c.agent)
		full := getJSON[catalog.ChannelFull](t, v, "/api/channels/Aurora.br", c.country, c.agent)
		if ops := meter.Ops().Less(before); ops != (storetest.Ops{}) {
			t.Errorf("a page and a detail cost %+v", ops)
		}
		if d := cmp.Diff(&want, full.Social); d != "" {
			t.Errorf("detail at %v (-want +got):\n%s", c.place, d)
		}
		told := 0
		for _, item := range page.Items {
			switch {
			case item.ID == "Aurora.br":
				told++
				if d := cmp.Diff(&want, item.Social); d != "" {
					t.Errorf("item at %v (-want +got):\n%s", c.place, d)
				}
			case *item.Social != catalog.Social{} || item.ID == "Listed.us" || item.ID == "Nowhere.xx":
				t.Errorf("%s shows %+v", item.ID, item.Social)
			}
		}
		before = meter.Ops()
		panel := getJSON[health.Panel](t, v, "/api/channels/Aurora.br/health?lang=en", c.country, c.agent)
		if ops := meter.Ops().Less(before); ops != (storetest.Ops{Reads: 1}) {
			t.Errorf("a panel costs %+v", ops)
		}
		links := health.PanelLinks{
			Self:    "https://mira.example/api/channels/Aurora.br/health",
			Channel: "https://mira.example/api/channels/Aurora.br", Report: "https://mira.example/api/play-report",
		}
		if told != 1 || panel.ForYou != c.forYou || panel.Links != links || panel.YourEnvironment.Plays != want.YourPlays {
			t.Errorf("at %v: %d items, panel %+v", c.place, told, panel)
		}
	}
	if res, body := apitest.Do(t, v, "GET", "/api/channels/Listed.us/health", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("the panel of a blocked channel: %s %s", res.Status, body)
	}
}

// TestPanelBlock checks that a blocked channel has no panel either.
func TestPanelBlock(t *testing.T) {
	db := openEmbedded(t)
	keepReports(t, db, "Aurora.br")
	d := deps(t, db, fixture)
	h := mux(t, d)
	b, err := block.New(block.Channel, "Aurora.br", "asked for", noon)
	if err == nil {
		err = d.Blocks.Add(context.Background(), b)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Catalog.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	if res, body := apitest.Do(t, h, "GET", "/api/channels/Aurora.br/health", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("%s %s", res.Status, body)
	}
}

// TestPanelWithoutDatabase checks that a panel is answered from memory while the
// database does not answer, if it is in memory.
func TestPanelWithoutDatabase(t *testing.T) {
	db := storetest.NewSwitch(openEmbedded(t))
	keepReports(t, db, "Aurora.br")
	d := deps(t, db, fixture)
	followSocial(t, d)
	h := mux(t, d)
	with := getJSON[health.Panel](t, h, "/api/channels/Aurora.br/health", "BR", firefox)
	db.Off()
	without := getJSON[health.Panel](t, h, "/api/channels/Aurora.br/health", "BR", firefox)
	if d := cmp.Diff(with, without); d != "" || with.Fails != 4 {
		t.Errorf("(-database +memory):\n%s", d)
	}
	if res, body := apitest.Do(t, h, "GET", "/api/channels/Sakura.jp/health", ""); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, `"unavailable"`) {
		t.Errorf("of a channel that memory does not have: %s %s", res.Status, body)
	}
}

// reportFrom sends a play report of a new guest at an address in a country.
func reportFrom(t *testing.T, h http.Handler, addr, country, report string) {
	t.Helper()
	_, body := apitest.Do(t, h, "POST", "/api/guest", "")
	var guest struct{ Token string }
	if err := json.Unmarshal([]byte(body), &guest); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/api/play-report", strings.NewReader(report))
	r.RemoteAddr = addr + ":4711"
	for name, value := range map[string]string{
		"Content-Type": "application/json", "X-Guest-Token": guest.Token, "X-Client-Region": country, "User-Agent": firefox,
	} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusOK {
		t.Fatalf("report: %d %s", w.Code, w.Body)
	}
}

// countReports counts what was reported of a channel, n reports in all.
func countReports(t *testing.T, d *compose.Parts, channel string, n int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	counting := make(chan error, 1)
	go func() { counting <- Aggregate(ctx, d) }()
	for doc, err := range d.DB.Watch(ctx, social.CountsPath(channel)) {
		var c social.Counted
		if err == nil && doc.Decode != nil {
			err = doc.Decode(&c)
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.Plays+c.Fails == n {
			break
		}
	}
	cancel()
	if err := <-counting; err != nil {
		t.Errorf("Aggregate = %v", err)
	}
}

// TestPanelOfReports follows reports from the callers that send them, each in a network
// of its own, to the panel.
func TestPanelOfReports(t *testing.T) {
	d := deps(t, openEmbedded(t), fixture)
	h := mux(t, d)
	for n := range 12 {
		report, country := `{"channel_id":"Aurora.br","ok":true}`, "US"
		if n%2 == 0 {
			report, country = `{"channel_id":"Aurora.br","ok":false,"code":"cors"}`, "BR"
		}
		reportFrom(t, h, fmt.Sprintf("198.51.%d.1", n), country, report)
	}
	countReports(t, d, "Aurora.br", 12)
	p := getJSON[health.Panel](t, h, "/api/channels/Aurora.br/health?lang=en", "BR", firefox)
	got := []any{p.Plays, p.Fails, *p.Health, *p.LastFailCode, p.Geo, p.ForYou, len(p.Environments), p.Reasons[0].Code, p.Reasons[0].Count}
	want := []any{6, 6, 50, "cors", health.GeoVerdict{
		Kind: "geo", BlockedIn: []string{"BR"}, WorksIn: []string{"US"}, Label: "Seems blocked in: Brazil. Works in: United States.",
	}, "geo_bloqueado", 2, "cors", 6}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestOneNetworkDecidesNothing has guests of one network report that a channel fails:
// they are counted, and nothing is concluded, of three as of twenty.
func TestOneNetworkDecidesNothing(t *testing.T) {
	d := deps(t, openEmbedded(t), fixture)
	h := mux(t, d)
	const path = "/api/channels/Aurora.br/health?lang=en"
	want := getJSON[health.Panel](t, h, path, "BR", firefox)
	for n := range 20 {
		reportFrom(t, h, fmt.Sprintf("198.51.100.%d", n), "BR", `{"channel_id":"Aurora.br","ok":false,"code":"geo"}`)
	}
	countReports(t, d, "Aurora.br", 20)
	got := getJSON[health.Panel](t, h, path, "BR", firefox)
	if got.Fails != 20 || len(got.Regions) != 1 || got.YourEnvironment.Fails != 20 || got.YourCountry.Fails != 20 {
		t.Fatalf("the reports are not counted: %+v", got)
	}
	concluded := func(p health.Panel) []any {
		return []any{p.Health, p.LastFailCode, p.Geo, p.ForYou, p.YourEnvironment.Health, p.YourCountry.Health}
	}
	if diff := cmp.Diff(concluded(want), concluded(got)); diff != "" || got.Regions[0].Health != nil {
		t.Errorf("what is concluded (-before +after):\n%s", diff)
	}
	followSocial(t, d)
	if s := getJSON[catalog.ChannelFull](t, mux(t, d), "/api/channels/Aurora.br", "BR", firefox).Social; s.Fails != 20 || s.YourGeoOK != nil || s.Health != nil || s.LastFailCode != nil {
		t.Errorf("the detail record concludes %+v", s)
	}
}

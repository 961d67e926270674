package library

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var (
	noon  = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	links = catalog.LinkBase{Base: "https://mira.example", Hop: "https://hop.example", Legacy: "https://legacy.example"}
)

// record returns a channel with one stream for each of its feeds.
func record(id, name, country string, feeds ...string) catalog.Record {
	r := catalog.Record{ID: id, Name: name, Country: country, Origin: "iptv-org"}
	for _, feed := range feeds {
		r.Streams = append(r.Streams, catalog.StreamRecord{
			ID: catalog.StreamID(crc32.ChecksumIEEE([]byte(id + feed))), URL: fmt.Sprintf("https://%s.example/%s/live.m3u8?x=1", strings.ToLower(id), feed),
			Feed: feed, Kind: catalog.StreamHLS, Origin: "iptv-org", Playable: true,
		})
	}
	return r
}

// records are the channels of most tests.
func records() []catalog.Record {
	station := record("rb.960e57c5-0000-4000-8000-000000000001", "Rádio Alvorada", "BR", "")
	station.Kind, station.Radio = catalog.Station, &catalog.Radio{}
	same := record("Alvorada.br", "Radio Alvorada", "BR", "SD")
	return []catalog.Record{
		record("Aurora.br", "Aurora", "BR", "SP", "Rio"), record("Aurora.pt", "Aurora", "PT", "SD"),
		record("Beacon.uk", "Beacon", "GB", "SD"), record("Twin.fr", "Jumeau", "FR", "SD"), record("Twin2.fr", "JUMEAU", "FR", "SD"),
		station, same,
	}
}

func viewOf(t testing.TB, list []catalog.Record) *index.View {
	t.Helper()
	ix, err := index.Build(&catalog.Register{BuiltAt: noon, Records: list, ChannelAliases: map[string]string{"AuroraTV.br": "Aurora.br"}})
	if err != nil {
		t.Fatal(err)
	}
	return index.NewView(ix, index.Overlay{}, links)
}

// serve returns the function over db and a catalog.
func serve(db store.DB, v index.Viewer) http.Handler {
	return request.Handler(request.Options{Auth: apitest.ByName{}}, New(db, v, links, func() time.Time { return noon }), Endpoints)
}

// A reply is all that any answer may hold.
type reply struct {
	Library
	ID         string `json:"id"`
	GroupID    string `json:"group_id"`
	CategoryID string `json:"category_id"`
	Slug       string `json:"slug"`
	Report     report `json:"report"`
	Followed   struct {
		ID string `json:"id"`
	} `json:"followed"`
	Error  string `json:"error"`
	Reason string `json:"reason"`
}

// call does one call as owner, and returns the status and the answer. A body
// that is no JSON is sent as a list.
func call(t testing.TB, h http.Handler, owner, method, path, body string) (int, reply) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("X-Guest-Token", owner)
	r.Header.Set("Content-Type", "application/json")
	if !strings.HasPrefix(body, "{") {
		r.Header.Set("Content-Type", "audio/x-mpegurl")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var out reply
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%s %s: %v in %.200q", method, path, err, w.Body)
	}
	return w.Code, out
}

// short writes a library in one line: folder/sub-tab: channel=stream …
func short(l Library) string {
	var b strings.Builder
	for _, c := range l.Categories {
		for _, g := range c.Groups {
			fmt.Fprintf(&b, "%s/%s:", c.Name, g.Name)
			for _, it := range g.Items {
				b.WriteString(" " + it.ChannelID)
				if it.StreamID != nil {
					b.WriteString("=" + *it.StreamID)
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestImportList imports lists as others write them.
func TestImportList(t *testing.T) {
	h := serve(wiretest.OpenDB(t), &indextest.Catalog{Shown: viewOf(t, records())})
	rio := records()[0].Streams[1].ID.String()
	best := records()[2].Streams[0].ID.String()
	for i, test := range []struct {
		name, query, list string
		want              string
		missed            []unmatched
		report            report
	}{
		{"by id, in groups", "", `#EXTM3U
#EXTINF:-1 tvg-id="Beacon.uk@SD" group-title="News;Public",Any name
https://elsewhere.example/1
#EXTINF:-1 tvg-id="AuroraTV.br" group-title="Canais / Brasil",Once called so
https://elsewhere.example/2
#EXTINF:-1 tvg-id="Aurora.br@Rio" group-title="Canais / Brasil",Its other feed
https://elsewhere.example/3
#EXTINF:-1 tvg-id="Aurora.br@SP" group-title="Canais / Brasil",Its main feed
https://elsewhere.example/4
`, "Importados/News: Beacon.uk\nCanais/Brasil: Aurora.br Aurora.br=" + rio + "\n", nil, report{Matched: 4, Added: 3, Repeated: 1}},
		{"by address", "?category=Lista", "HTTP://aurora.br.EXAMPLE/Rio/live.m3u8?x=1\nhttps://aurora.br.example/SP/live.m3u8?x=1#t\nhttps://hop.example/api/s/" + best + ".m3u8\n" +
			"https://aurora.br.example/SP/live.m3u8\nhttps://hop.example/api/s/s_0000000000000\nhttps://mira.example/api/s/iptv-org:Beacon.uk@SD:0?p=1",
			"Lista/Geral: Aurora.br=" + rio + " Aurora.br Beacon.uk\n",
			[]unmatched{{4, "https://aurora.br.example/SP/live.m3u8", notInCatalog}, {5, "https://hop.example/api/s/s_0000000000000", notInCatalog}},
			report{Matched: 4, Added: 3, Repeated: 1, Missed: 2}},
		{"by name", "", `#EXTINF:-1 tvg-country="pt",AURÓRA (720p) [Not 24/7]
u://1
#EXTINF:-1 tvg-id="x.br",aurora
u://2
#EXTINF:-1,aurora
u://3
#EXTINF:-1 tvg-country="FR",Jumeau
u://4
#EXTINF:-1 tvg-country="BR" radio="true",Rádio Alvorada
u://5
#EXTINF:-1 tvg-country="BR",Rádio Alvorada
u://6
#EXTINF:-1,[]
u://7
#RADIOBROWSERUUID:960E57C5-0000-4000-8000-000000000001
#EXTINF:-1 group-title="Rádio",By uuid
u://8
`, "Importados/Geral: Aurora.pt Aurora.br rb.960e57c5-0000-4000-8000-000000000001 Alvorada.br\nImportados/Rádio: rb.960e57c5-0000-4000-8000-000000000001\n",
			[]unmatched{{6, "aurora", ambiguousName}, {8, "Jumeau", ambiguousName}, {14, "[]", notInCatalog}},
			report{Matched: 5, Added: 5, Missed: 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, got := call(t, h, fmt.Sprint("ana", i), "POST", "/api/library/import"+test.query, test.list)
			if status != http.StatusOK {
				t.Fatalf("%d %s %s", status, got.Error, got.Reason)
			}
			if d := cmp.Diff(test.want, short(got.Library)); d != "" {
				t.Errorf("library (-want +got):\n%s", d)
			}
			test.report.Unmatched = append([]unmatched{}, test.missed...)
			if d := cmp.Diff(test.report, got.Report); d != "" {
				t.Errorf("report (-want +got):\n%s", d)
			}
		})
	}
}

// TestImportBounds imports more than fits, and what is no list.
func TestImportBounds(t *testing.T) {
	var list []catalog.Record
	var text strings.Builder
	for i := range 41 {
		list = append(list, record(fmt.Sprintf("C%d.br", i), fmt.Sprint("Channel ", i), "BR", "SD"))
		fmt.Fprintf(&text, "#EXTINF:-1 tvg-id=\"C%d.br\",x\nu://x\n", i)
	}
	for i := range 150 {
		fmt.Fprintf(&text, "#EXTINF:-1,%s %d\nu://x\n", strings.Repeat("long ", 100), i)
	}
	h := serve(wiretest.OpenDB(t), &indextest.Catalog{Shown: viewOf(t, list)})
	_, got := call(t, h, "ana", "POST", "/api/library/import", text.String())
	if r := got.Report; r.Matched != 41 || r.Added != 40 || r.OverCap != 1 || r.Missed != 150 || len(r.Unmatched) != 100 || len(r.Unmatched[0].Name) > 100 {
		t.Errorf("report %+v", r)
	}
	for _, test := range []struct {
		body          string
		status        int
		code, problem string
	}{
		{"", 400, "invalid_body", "missing"},
		{"#EXTM3U\n", 400, "invalid_import", "empty"},
		{"<html>", 400, "invalid_import", "empty"},
		{strings.Repeat("u://x\n", 20_001), 400, "invalid_import", "too_many"},
		{strings.Repeat("x", 1<<20+1), 413, "body_too_large", ""},
		{`{"categories":`, 400, "invalid_import", "syntax"},
		{`{"categories":[{"name":"A","groups":[{"items":[{"channel_id":"Gone.br"}]}]}]}`, 400, "invalid_import", "nothing_matched"},
	} {
		path := "/api/library/import?replace=1"
		if status, got := call(t, h, "ana", "POST", path, test.body); status != test.status || got.Error != test.code || got.Reason != test.problem {
			t.Errorf("%.40q: %d %s %s, want %d %s %s", test.body, status, got.Error, got.Reason, test.status, test.code, test.problem)
		}
	}
	if _, after := call(t, h, "ana", "GET", "/api/library", ""); short(after.Library) != short(got.Library) {
		t.Errorf("what was refused changed the library: %s", short(after.Library))
	}
}

// TestFinderFollows imports after a reload: the new catalog is asked.
func TestFinderFollows(t *testing.T) {
	s := &indextest.Catalog{Shown: viewOf(t, records())}
	h := serve(wiretest.OpenDB(t), s)
	const address = "https://late.br.example/SD/live.m3u8?x=1"
	if _, got := call(t, h, "ana", "POST", "/api/library/import", address); got.Report.Matched != 0 {
		t.Fatalf("report %+v", got.Report)
	}
	s.Shown = viewOf(t, append(records(), record("Late.br", "Late", "BR", "SD")))
	if _, got := call(t, h, "ana", "POST", "/api/library/import", address); got.Report.Matched != 1 {
		t.Errorf("after a reload: report %+v", got.Report)
	}
}

// TestRoundTrip exports a library, and imports it elsewhere.
func TestRoundTrip(t *testing.T) {
	h := serve(wiretest.OpenDB(t), &indextest.Catalog{Shown: viewOf(t, records())})
	rio := records()[0].Streams[1].ID.String()
	_, made := call(t, h, "ana", "POST", "/api/categories", `{"name":"TV & mais"}`)
	for _, body := range []string{
		`{"group_id":"` + made.GroupID + `","channel_id":"Aurora.br","stream_id":"` + rio + `"}`,
		`{"group_id":"` + made.GroupID + `","channel_id":"Beacon.uk"}`,
	} {
		if status, got := call(t, h, "ana", "POST", "/api/items", body); status != 200 {
			t.Fatalf("%d %s", status, got.Error)
		}
	}
	_, before := call(t, h, "ana", "GET", "/api/library", "")
	saved := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/api/library/export", nil)
	r.Header.Set("X-Guest-Token", "ana")
	h.ServeHTTP(saved, r)
	whole, err := json.Marshal(before.Library)
	if err != nil {
		t.Fatal(err)
	}
	for owner, body := range map[string]string{"bob": saved.Body.String(), "eva": string(whole)} {
		status, got := call(t, h, owner, "POST", "/api/library/import", body)
		if d := cmp.Diff(short(before.Library), short(got.Library)); status != 200 || d != "" {
			t.Errorf("%s: %d (-exported +imported):\n%s", owner, status, d)
		}
		if strings.Contains(body, made.GroupID) && owner == "bob" {
			t.Error("the export holds ids")
		}
	}
}

// TestStale shows a channel that the catalog has lost, and one that it has
// renamed.
func TestStale(t *testing.T) {
	s := &indextest.Catalog{Shown: viewOf(t, records())}
	h := serve(wiretest.OpenDB(t), s)
	_, made := call(t, h, "ana", "POST", "/api/categories", `{"name":"TV"}`)
	for _, id := range []string{"Aurora.pt", "rb.960e57c5-0000-4000-8000-000000000001", "AuroraTV.br"} {
		call(t, h, "ana", "POST", "/api/items", `{"group_id":"`+made.GroupID+`","channel_id":"`+id+`"}`)
	}
	ix, err := index.Build(&catalog.Register{
		Records:        []catalog.Record{record("Aurora.br", "Aurora Nova", "BR", "SP")},
		ChannelAliases: map[string]string{"AuroraTV.br": "Aurora.br"},
		Gone: []catalog.Gone{
			{ID: "Aurora.pt", Name: "Aurora Portugal", Country: "PT", Reason: catalog.GoneClosed, Since: "2026-10-01", ReplacedBy: "AuroraTV.br"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Shown = index.NewView(ix, index.Overlay{}, links)
	_, got := call(t, h, "ana", "GET", "/api/library", "")
	br, pt := "BR", "PT"
	name, since, successor, radio := "Aurora Portugal", "2026-10-01", "Aurora.br", "Rádio Alvorada"
	station := "rb.960e57c5-0000-4000-8000-000000000001"
	want := []item{
		{
			ChannelID: "Aurora.pt", Name: "Aurora", Country: &pt, Kind: "tv", Stale: true,
			Gone: &catalog.GoneChannel{ChannelID: "Aurora.pt", Name: &name, Country: &pt, Kind: "tv", Reason: "closed", Since: &since, ReplacedBy: &successor},
		},
		{
			ChannelID: station, Name: radio, Country: &br, Kind: "radio", Sort: 1, Stale: true,
			Gone: &catalog.GoneChannel{ChannelID: station, Name: &radio, Country: &br, Kind: "radio", Reason: "vanished"},
		},
		{ChannelID: "Aurora.br", Name: "Aurora Nova", Country: &br, Kind: "tv", Sort: 2, PlayableHint: true},
	}
	for i := range want {
		want[i].ID = got.Categories[0].Groups[0].Items[i].ID
		want[i].API = "https://mira.example/api/items/" + want[i].ID
	}
	if d := cmp.Diff(want, got.Categories[0].Groups[0].Items); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestLimits fills a library to its bounds by calls. A channel that a full sub-tab has can
// be added again.
func TestLimits(t *testing.T) {
	list := make([]catalog.Record, library.MaxItems+1)
	for i := range list {
		list[i] = record(fmt.Sprintf("C%d.br", i), fmt.Sprint("C ", i), "BR", "SD")
	}
	h := serve(wiretest.OpenDB(t), &indextest.Catalog{Shown: viewOf(t, list)})
	_, made := call(t, h, "ana", "POST", "/api/categories", `{"name":"TV"}`)
	item := func(n int) string { return fmt.Sprintf(`{"group_id":%q,"channel_id":"C%d.br"}`, made.GroupID, n) }
	for path, test := range map[string]struct {
		body func(n int) string
		code string
		more int
	}{
		"/api/categories": {func(int) string { return `{"name":"TV"}` }, "category_limit_reached", 7},
		"/api/groups":     {func(int) string { return `{"name":"TV","category_id":"` + made.ID + `"}` }, "group_limit_reached", 11},
		"/api/items":      {item, "item_limit_reached", 40},
	} {
		for i := range test.more {
			if status, got := call(t, h, "ana", "POST", path, test.body(i)); status != 200 {
				t.Fatalf("%s number %d: %d %s", path, i, status, got.Error)
			}
		}
		if status, got := call(t, h, "ana", "POST", path, test.body(test.more)); status != 400 || got.Error != test.code {
			t.Errorf("%s beyond the limit: %d %s", path, status, got.Error)
		}
	}
	if status, got := call(t, h, "ana", "POST", "/api/items", item(7)); status != 200 || got.ID != got.Categories[0].Groups[0].Items[7].ID {
		t.Errorf("again: %d, item %s", status, got.ID)
	}
}

// TestOthers checks that what is another's is answered as what is nobody's.
func TestOthers(t *testing.T) {
	h := serve(wiretest.OpenDB(t), &indextest.Catalog{Shown: viewOf(t, records())})
	_, ana := call(t, h, "ana", "POST", "/api/categories", `{"name":"TV"}`)
	_, it := call(t, h, "ana", "POST", "/api/items", `{"group_id":"`+ana.GroupID+`","channel_id":"Aurora.br"}`)
	call(t, h, "bob", "POST", "/api/categories", `{"name":"TV"}`)
	ids := strings.NewReplacer("CAT", ana.ID, "GRP", ana.GroupID, "ITM", it.ID)
	none := strings.NewReplacer("CAT", "cat_aaaaaaaaaaaa", "GRP", "grp_aaaaaaaaaaaa", "ITM", "itm_aaaaaaaaaaaa")
	for _, c := range [][3]string{
		{"PATCH", "/api/categories/CAT", `{"name":"x"}`}, {"POST", "/api/categories/CAT/position", `{"position":0}`}, {"DELETE", "/api/categories/CAT", ""},
		{"POST", "/api/groups", `{"category_id":"CAT","name":"x"}`}, {"PATCH", "/api/groups/GRP", `{"position":0}`}, {"DELETE", "/api/groups/GRP", ""},
		{"POST", "/api/items", `{"group_id":"GRP","channel_id":"Aurora.br"}`}, {"PATCH", "/api/items/ITM", `{"position":0}`},
		{"DELETE", "/api/items/ITM", ""}, {"POST", "/api/items/ITM/play", ""},
	} {
		status, got := call(t, h, "bob", c[0], ids.Replace(c[1]), ids.Replace(c[2]))
		status2, want := call(t, h, "bob", c[0], none.Replace(c[1]), none.Replace(c[2]))
		if d := cmp.Diff(want, got); status != 404 || status2 != 404 || d != "" {
			t.Errorf("%s %s: another's %d, nobody's %d (-nobody's +another's):\n%s", c[0], c[1], status, status2, d)
		}
	}
	if _, after := call(t, h, "ana", "GET", "/api/library", ""); short(after.Library) != "TV/Geral: Aurora.br\n" {
		t.Errorf("afterwards: %s", short(after.Library))
	}
}

// TestUnavailable checks what callers are told while a part does not answer.
func TestUnavailable(t *testing.T) {
	loaded := &indextest.Catalog{Shown: viewOf(t, records())}
	for _, c := range [][3]string{
		{"GET", "/api/library", ""}, {"POST", "/api/categories", `{"name":"TV"}`}, {"GET", "/api/library/export", ""},
		{"POST", "/api/library/import", "u://x"}, {"POST", "/api/library/feed-token", ""},
	} {
		if status, got := call(t, serve(storetest.Broken(), loaded), "ana", c[0], c[1], c[2]); status != 503 || got.Error != "unavailable" {
			t.Errorf("%s %s without a database: %d %s", c[0], c[1], status, got.Error)
		}
	}
	db := wiretest.OpenDB(t)
	for _, c := range [][3]string{{"GET", "/api/library", ""}, {"POST", "/api/categories", `{"name":"TV"}`}, {"POST", "/api/library/import", "u://x"}} {
		if status, got := call(t, serve(db, &indextest.Catalog{}), "ana", c[0], c[1], c[2]); status != 503 || got.Error != "catalog_unavailable" {
			t.Errorf("%s %s without a catalog: %d %s", c[0], c[1], status, got.Error)
		}
	}
	if l, err := library.Load(t.Context(), db, "g_ana"); err != nil || l.Revision != 0 {
		t.Errorf("what could not be answered was kept: %+v, %v", l, err)
	}
}

func TestPlainName(t *testing.T) {
	for in, want := range map[string]string{
		"Aurora (720p) [Not 24/7]": "Aurora", "Aurora [Geo-blocked] (1080i)": "Aurora", "Aurora (Rio)": "Aurora (Rio)",
		"[x]": "[x]", "(720p)": "(720p)", "": "", "]": "]", "a]": "a]", " a ": "a", "p)": "p)",
	} {
		if got := plainName(in); got != want {
			t.Errorf("plainName(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestDoubles adds a channel several times to a sub-tab, by its id and a former one, at the
// same time, and after it is full. One item is there, and each answer names it.
func TestDoubles(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, writers int) {
		h := serve(db, &indextest.Catalog{Shown: viewOf(t, records())})
		_, made := call(t, h, "ana", "POST", "/api/categories", `{"name":"TV"}`)
		body := func(channel string) string {
			return fmt.Sprintf(`{"group_id":%q,"channel_id":%q}`, made.GroupID, channel)
		}
		ids := make([]string, 2*writers)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				_, added := call(t, h, "ana", "POST", "/api/items", body([]string{"Aurora.br", "AuroraTV.br"}[i%2]))
				ids[i] = added.ID
			})
		}
		all.Wait()
		for _, id := range ids {
			if id != ids[0] || id == "" {
				t.Fatalf("the answers name %q, want one item", ids)
			}
		}
		for _, other := range []string{"Aurora.pt", "Beacon.uk"} {
			call(t, h, "ana", "POST", "/api/items", body(other))
		}
		_, got := call(t, h, "ana", "POST", "/api/items", body("Aurora.br"))
		if d := cmp.Diff("TV/Geral: Aurora.br Aurora.pt Beacon.uk", strings.TrimSpace(short(got.Library))); d != "" || got.ID != ids[0] {
			t.Errorf("item %s, want %s (-want +got):\n%s", got.ID, ids[0], d)
		}
		_, got = call(t, h, "ana", "POST", "/api/library/import?category=TV", "#EXTM3U\n#EXTINF:-1 tvg-id=\"Aurora.br\" group-title=\"Geral\",Aurora\nhttp://x.example/\n")
		if got.Report.Repeated != 1 || got.Report.Added != 0 {
			t.Errorf("an import of the same: %+v", got.Report)
		}
		pin := fmt.Sprintf(`{"group_id":%q,"channel_id":"Aurora.br","stream_id":%q}`, made.GroupID, records()[0].Streams[1].ID)
		_, pinned := call(t, h, "ana", "POST", "/api/items", pin)
		if pinned.ID == ids[0] || len(pinned.Categories[0].Groups[0].Items) != 4 {
			t.Errorf("another stream of the channel: item %s, %s", pinned.ID, short(pinned.Library))
		}
		if _, got = call(t, h, "ana", "PATCH", "/api/items/"+pinned.ID, `{"stream_id":""}`); len(got.Categories[0].Groups[0].Items) != 3 || got.Categories[0].Groups[0].Items[0].ID != ids[0] {
			t.Errorf("an item that became a double: %s", short(got.Library))
		}
	})
}

// TestOldDoubles shows a library that an earlier version stored with doubles. They are not
// shown, nor exported to players, and the next change removes them.
func TestOldDoubles(t *testing.T) {
	db := wiretest.OpenDB(t)
	h := serve(db, &indextest.Catalog{Shown: viewOf(t, records())})
	_, made := call(t, h, "ana", "POST", "/api/categories", `{"name":"TV"}`)
	_, err := library.Update(t.Context(), db, identity.Owner(made.Owner), noon, func(l *library.Library) error {
		g := &l.Categories[0].Groups[0]
		g.Items = []library.Item{
			{ID: "itm_a", Channel: "Aurora.br", Name: "Aurora"}, {ID: "itm_b", Channel: "Beacon.uk", Name: "Beacon"},
			{ID: "itm_c", Channel: "Aurora.br", Name: "Aurora", Played: 1700000000}, {ID: "itm_d", Channel: "Left.br", Name: "Left"}, {ID: "itm_e", Channel: "Left.br", Name: "Left"},
		}
		g.LastItem = "itm_c"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, got := call(t, h, "ana", "GET", "/api/library", "")
	g := got.Categories[0].Groups[0]
	if d := cmp.Diff("TV/Geral: Aurora.br Beacon.uk Left.br", strings.TrimSpace(short(got.Library))); d != "" || *g.LastItemID != "itm_a" || g.Items[0].LastPlayedAt == nil {
		t.Errorf("%s was played last, %v (-want +got):\n%s", *g.LastItemID, g.Items[0].LastPlayedAt, d)
	}
	call(t, h, "ana", "POST", "/api/items/itm_b/play", "")
	l, err := library.Load(t.Context(), db, identity.Owner(made.Owner))
	if err != nil || l.Len() != 3 {
		t.Errorf("after a change: %d items are stored, %v; want 3", l.Len(), err)
	}
}

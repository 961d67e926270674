package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire"
)

// A grid is what channels show, in order.
type grid map[string][]guide.Programme

// follow keeps what channels show, and returns it as the service has it.
func follow(t testing.TB, db store.DB, g grid) *guide.Live {
	t.Helper()
	w, grids := guide.WindowOf(noon), map[string]guide.Grid{}
	for channel, ps := range g {
		fixed, skipped := guide.Fix(ps, w)
		one, ok := guide.NewGrid("test", "guide.example", w, fixed)
		if skipped > 0 || len(fixed) != len(ps) {
			t.Fatalf("%s: %d of %d programmes remain", channel, len(fixed), len(ps))
		}
		if ok {
			grids[channel] = one
		}
	}
	c := guide.Change{Window: w, Sources: []string{"test"}}
	c.Add("test", grids)
	if _, err := c.Keep(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return guide.Follow(t.Context(), overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
}

// A listed is a channel of the tests, with the hours of its programmes: from
// noon on, each to the next.
type listed struct {
	id, name, country, category string
	radio, dead                 bool
	hours                       []float64
}

var listing = []listed{
	{"Zebra.br", "Zebra", "BR", "news", false, false, []float64{-0.75, 1, 2}},
	{"Aurora.br", "Aurora", "BR", "sports", false, false, []float64{-13, -1, 1, 13}},
	{"Beacon.uk", "Beacon", "GB", "news", false, true, []float64{-0.5, 0.5, 12.5}},
	{"Later.br", "Later", "BR", "news", false, false, []float64{2, 3}},
	{"Ended.br", "Ended", "BR", "news", false, false, []float64{-3, -2}},
	{"Blank.br", "Blank", "BR", "news", false, false, nil},
	{"Blocked.br", "Blocked", "BR", "news", false, false, []float64{-1, 1}},
	{"rb.1", "Rádio", "BR", "", true, false, []float64{-2, 2}},
}

// A stage is the function with a catalog and a guide.
type stage struct {
	http.Handler
	now *time.Time
	db  store.DB
}

// byName accepts a guest token as the name of its owner.
type byName struct{}

func (byName) Speaker(_ context.Context, shown identity.Credentials, _ identity.Class) (identity.Speaker, error) {
	name := shown.GuestToken
	if name == "" {
		return identity.Speaker{}, identity.ErrCredential
	}
	return identity.Speaker{Owner: identity.Owner("g_" + name), Guest: true}, nil
}

// shows returns the guide of listing.
func shows() grid {
	g := grid{}
	for _, l := range listing {
		for i, from := range l.hours[:max(len(l.hours)-1, 0)] {
			at := func(hours float64) time.Time { return noon.Add(time.Duration(hours * float64(time.Hour))) }
			g[l.id] = append(g[l.id], guide.Programme{Start: at(from), Stop: at(l.hours[i+1]), Title: fmt.Sprintf("%s news %d", l.name, i), Desc: "<Text> & more", Category: "News"})
		}
	}
	return g
}

func openDB(t testing.TB) store.DB {
	t.Helper()
	db, events, err := wire.Open(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: filepath.Join(t.TempDir(), "data")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); db.Close() })
	return db
}

// build returns the index of listing.
func build(t testing.TB) *index.Index {
	t.Helper()
	reg := &catalog.Register{
		BuiltAt: noon, ChannelAliases: map[string]string{"Old.br": "Aurora.br"},
		Categories: []catalog.Category{{ID: "news", Name: catalog.Labels{"Notícias", "News", "Noticias", "Actualités", "Nachrichten"}}, {ID: "sports", Name: catalog.Labels{"Esportes", "Sports"}}},
	}
	for i, l := range listing {
		r := catalog.Record{ID: l.id, Name: l.name, Country: l.country, Origin: "iptv-org", Streams: []catalog.StreamRecord{{
			ID: catalog.StreamID(i + 1), URL: "https://o.example/x.m3u8", Kind: catalog.StreamHLS, Origin: "iptv-org", Playable: !l.dead,
		}}}
		if l.category != "" {
			r.Categories = []string{l.category}
		}
		if l.radio {
			r.Kind, r.Radio = catalog.Station, &catalog.Radio{}
		}
		reg.Records = append(reg.Records, r)
	}
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// open returns a stage over db.
func open(t testing.TB, db store.DB) stage {
	t.Helper()
	live, now := follow(t, db, shows()), noon
	overlay := index.Overlay{BlockedChannels: []string{"Blocked.br"}, Guides: live.Sites(now)}
	links := catalog.LinkBase{Base: "https://mira.example", Hop: "https://hop.example"}
	server := New(Options{
		Catalog: shown{index.NewView(build(t), overlay, links)}, DB: db, Guide: live, Links: links, Now: func() time.Time { return now },
	})
	return stage{request.Handler(request.Options{Auth: byName{}}, server, Endpoints), &now, db}
}

func TestGuideDay(t *testing.T) {
	s := open(t, openDB(t))
	for _, test := range []struct {
		path   string
		status int
		want   string // the error, or what the day has
	}{
		{"Zebra.br/guia", 200, "Zebra.br 2026-11-22 Zebra news 0,Zebra news 1 now Zebra news 0 after Zebra news 1"},
		{"Zebra.br/guia?day=2026-11-22", 200, "Zebra.br 2026-11-22 Zebra news 0,Zebra news 1 now Zebra news 0 after Zebra news 1"},
		{"Zebra.br/guia?day=", 200, "Zebra.br 2026-11-22 Zebra news 0,Zebra news 1 now Zebra news 0 after Zebra news 1"},
		{"Old.br/guia", 200, "Aurora.br 2026-11-22 Aurora news 0,Aurora news 1,Aurora news 2 now Aurora news 1 after Aurora news 2"},
		{"rb.1/guia", 200, "rb.1 2026-11-22 Rádio news 0 now Rádio news 0 after "},
		{"Later.br/guia", 200, "Later.br 2026-11-22 Later news 0 now  after Later news 0"},
		{"Zebra.br/guia?day=2026-11-23", 404, "guide_not_found"},
		{"Zebra.br/guia?day=2026-11-21", 404, "guide_not_found"},
		{"Aurora.br/guia?day=2026-11-21", 404, "guide_not_found"}, // though the guide has some of it
		{"Zebra.br/guia?day=2026-11-24", 404, "guide_not_found"},
		{"Zebra.br/guia?day=9999-12-31", 404, "guide_not_found"},
		{"Zebra.br/guia?day=0000-01-01", 404, "guide_not_found"},
		{"Blank.br/guia", 404, "guide_not_found"},
		{"Blocked.br/guia", 404, "channel_not_found"},
		{"Nowhere.br/guia", 404, "channel_not_found"},
		{"Nowhere.br/guia?day=x", 400, "invalid_request"},
		{"Zebra.br/guia?day=tomorrow", 400, "invalid_request"},
		{"Zebra.br/guia?day=2026-02-30", 400, "invalid_request"},
		{"Zebra.br/guia?day=2026-13-01", 400, "invalid_request"},
		{"Zebra.br/guia?day=2026-1-1", 400, "invalid_request"},
		{"Zebra.br/guia?day=2026-11-22T00:00:00Z", 400, "invalid_request"},
		{"Zebra.br/guia?day=%00", 400, "invalid_request"},
	} {
		res, body := apitest.Do(t, s, "GET", "/api/channels/"+test.path, "")
		if got := tellDay(t, body); res.StatusCode != test.status || got != test.want {
			t.Errorf("%s: %d %s, want %d %s", test.path, res.StatusCode, got, test.status, test.want)
		}
		if test.status == 400 && !strings.Contains(body, `"param":"day"`) {
			t.Errorf("%s: %s", test.path, body)
		}
	}
}

// tellDay says in a line what an answer tells of a day.
func tellDay(t testing.TB, body string) string {
	t.Helper()
	var d struct {
		catalog.GuideDay
		Error string
	}
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if d.Error != "" {
		return d.Error
	}
	var titles []string
	for _, p := range d.Programmes {
		titles = append(titles, p.Title)
	}
	return fmt.Sprintf("%s %s %s now %s after %s", d.ChannelID, d.Day, strings.Join(titles, ","), title(d.Now), title(d.After))
}

func title(p *catalog.Programme) string {
	if p == nil {
		return ""
	}
	return p.Title
}

// TestGuideDayKept checks how long caches may keep a day, and that a caller that
// has it gets 304.
func TestGuideDayKept(t *testing.T) {
	s := open(t, openDB(t))
	for _, test := range []struct {
		channel string
		at      time.Duration
		want    string
	}{
		{"Zebra.br", 0, "public, max-age=300"},
		{"Zebra.br", 58 * time.Minute, "public, max-age=120"},
		{"Zebra.br", time.Hour - time.Second/2, "public, max-age=0"},
		{"Zebra.br", time.Hour, "public, max-age=300"},
		{"Later.br", 0, "public, max-age=60"},
		{"Later.br", 2*time.Hour - 20*time.Second, "public, max-age=20"},
		{"Aurora.br", 12*time.Hour - 90*time.Second, "public, max-age=90"}, // its programme goes on tomorrow
	} {
		*s.now = noon.Add(test.at)
		res, body := apitest.Do(t, s, "GET", "/api/channels/"+test.channel+"/guia", "")
		if got := res.Header.Get("Cache-Control"); got != test.want {
			t.Errorf("%s after %v: %s, want %s", test.channel, test.at, got, test.want)
		}
		if !strings.Contains(body, "<Text> & more") {
			t.Errorf("%s: %s", test.channel, body)
		}
		if res, body := apitest.Do(t, s, "GET", "/api/channels/"+test.channel+"/guia", "", "If-None-Match", res.Header.Get("Etag")); res.StatusCode != http.StatusNotModified || body != "" {
			t.Errorf("%s again: %s %s", test.channel, res.Status, body)
		}
	}
	*s.now = noon
	before, _ := apitest.Do(t, s, "GET", "/api/channels/Zebra.br/guia", "")
	*s.now = noon.Add(time.Hour)
	after, _ := apitest.Do(t, s, "GET", "/api/channels/Zebra.br/guia", "")
	if tag := before.Header.Get("Etag"); tag == "" || tag == after.Header.Get("Etag") {
		t.Errorf("the version stays %q when another programme is on", tag)
	}
}

// TestGuideSite asks for a channel with programmes, and for its guide: both name
// the same site, in the record and in a list.
func TestGuideSite(t *testing.T) {
	s := open(t, openDB(t))
	for path, want := range map[string]string{
		"/api/channels/Zebra.br":      `"guide_site":"guide.example"`,
		"/api/channels?q=zebra":       `"has_guide":true,"guide_site":"guide.example"`,
		"/api/channels/Zebra.br/guia": `"site":"guide.example"`,
		"/api/channels/Blank.br":      `"guide_site":null`,
	} {
		if _, body := apitest.Do(t, s, "GET", path, ""); !strings.Contains(body, want) {
			t.Errorf("%s is without %s: %s", path, want, body)
		}
	}
}

// TestDetail checks what the record of a channel says of now.
func TestDetail(t *testing.T) {
	s := open(t, openDB(t))
	for channel, want := range map[string]string{"Zebra.br": "Zebra news 0", "Old.br": "Aurora news 1", "Later.br": "", "Blank.br": "none"} {
		_, body := apitest.Do(t, s, "GET", "/api/channels/"+channel, "")
		var c catalog.ChannelFull
		if err := json.Unmarshal([]byte(body), &c); err != nil {
			t.Fatal(err)
		}
		got := "none"
		if c.GuideNow != nil {
			got = title(c.GuideNow.Now)
		}
		if got != want || !strings.Contains(body, `"guide_now":`) || strings.Contains(body, `"desc":"<Text> & more"`) != (want != "none") {
			t.Errorf("%s shows %q, want %q: %s", channel, got, want, body)
		}
	}
}

// onAir returns a page of what is on, and its items in short.
func onAir(t testing.TB, h http.Handler, query string, headers ...string) (p nowPage, items []string) {
	t.Helper()
	res, body := apitest.Do(t, h, "GET", "/api/guide/now?"+query, "", headers...)
	if err := json.Unmarshal([]byte(body), &p); err != nil || res.StatusCode != http.StatusOK || p.Items == nil {
		t.Fatalf("%s: %s %v %s", query, res.Status, err, body)
	}
	items = []string{}
	for _, a := range p.Items {
		short := a.ChannelID + " " + title(a.Now) + "/" + title(a.After)
		if a.Programme != nil {
			short = fmt.Sprintf("%s %s %v", a.ChannelID, a.Programme.Title, *a.OnAir)
		}
		items = append(items, short)
	}
	return p, items
}

func TestGuideNow(t *testing.T) {
	s := open(t, openDB(t))
	const (
		aurora = "Aurora.br Aurora news 1/Aurora news 2"
		beacon = "Beacon.uk Beacon news 0/Beacon news 1"
		zebra  = "Zebra.br Zebra news 0/Zebra news 1"
		radio  = "rb.1 Rádio news 0/"
	)
	for query, want := range map[string][]string{
		"":                          {aurora, beacon, zebra},
		"kind=radio":                {radio},
		"kind=all":                  {aurora, beacon, radio, zebra},
		"country=br":                {aurora, zebra},
		"country=uk":                {beacon},
		"country=%20gb%20":          {beacon},
		"country=XX":                {},
		"category=news":             {beacon, zebra},
		"category=news&country=BR":  {zebra},
		"category=none":             {},
		"playable=1":                {aurora, zebra},
		"limit=1":                   {aurora},
		"limit=1&offset=2":          {zebra},
		"limit=1&offset=3":          {},
		"offset=100000000":          {},
		"limit=9999":                {aurora, beacon, zebra},
		"q=%20":                     {aurora, beacon, zebra},
		"unknown=1":                 {aurora, beacon, zebra},
		"q=zebra":                   {"Zebra.br Zebra news 0 true", "Zebra.br Zebra news 1 false"},
		"q=news&category=sports":    {"Aurora.br Aurora news 1 true", "Aurora.br Aurora news 2 false"},
		"q=news&limit=3":            {"Aurora.br Aurora news 1 true", "Zebra.br Zebra news 0 true", "Beacon.uk Beacon news 0 true"},
		"q=later":                   {"Later.br Later news 0 false"},
		"q=blocked":                 {},
		"q=ended":                   {},
		"q=rádio":                   {},
		"q=rádio&kind=radio":        {"rb.1 Rádio news 0 true"},
		"q=beacon&playable=1":       {},
		"q=news&country=GB&limit=1": {"Beacon.uk Beacon news 0 true"},
	} {
		if _, got := onAir(t, s, query); !cmp.Equal(want, got) {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"limit=0", "limit=x", "offset=-1", "kind=x", "favorites=2", "playable=yes", "q=" + strings.Repeat("x", 201), "country=" + strings.Repeat("B", 33)} {
		if res, body := apitest.Do(t, s, "GET", "/api/guide/now?"+query, ""); res.StatusCode != http.StatusBadRequest {
			t.Errorf("%q: %s %s", query, res.Status, body)
		}
	}
}

// TestGuideNowItem shows an item whole.
func TestGuideNowItem(t *testing.T) {
	s := open(t, openDB(t))
	res, body := apitest.Do(t, s, "GET", "/api/guide/now?country=GB&lang=de", "")
	want := `{"items":[{"channel_id":"Beacon.uk","name":"Beacon","kind":"tv","country":"GB","categories":["news"],"category_labels":["Nachrichten"],"logo_url":null,"playable_hint":false,` +
		`"agora":{"inicio":"2026-11-22T11:30:00Z","fim":"2026-11-22T12:30:00Z","titulo":"Beacon news 0","categoria":"News"},` +
		`"a_seguir":{"inicio":"2026-11-22T12:30:00Z","fim":"2026-11-23T00:30:00Z","titulo":"Beacon news 1","categoria":"News"},` +
		`"api":"https://mira.example/api/channels/Beacon.uk"}],"total":1,"limit":20,"offset":0,"next_offset":null,"next":null,"api":"https://mira.example/api/guide/now"}`
	if d := cmp.Diff(want, body); d != "" {
		t.Error(d)
	}
	if got := res.Header.Get("Cache-Control"); got != "public, max-age=30" {
		t.Errorf("Cache-Control is %s", got)
	}
	_, items := onAir(t, s, "q=later")
	p, _ := onAir(t, s, "q=later")
	if len(items) != 1 || p.Items[0].Now != nil || title(p.Items[0].After) != "Later news 0" {
		t.Errorf("a programme to come: %+v", p.Items)
	}
}

// TestGuideNowPages follows the addresses of the pages: each item is on one.
func TestGuideNowPages(t *testing.T) {
	s := open(t, openDB(t))
	for _, query := range []string{"kind=all&limit=1", "q=news&limit=2&kind=all", "limit=2&country=BR&q=%22news"} {
		all, want := onAir(t, s, strings.Replace(strings.Replace(query, "limit=1", "limit=50", 1), "limit=2", "limit=50", 1))
		got := []string{}
		for next, pages := query, 0; next != ""; pages++ {
			p, items := onAir(t, s, next)
			got, next = append(got, items...), ""
			if p.Total != all.Total || pages > 20 {
				t.Fatalf("%q: page %d of %d, not %d", query, pages, p.Total, all.Total)
			}
			if p.Next != nil {
				next = strings.TrimPrefix(*p.Next, "https://mira.example/api/guide/now?")
			}
		}
		if d := cmp.Diff(want, got); d != "" || all.Total != len(want) {
			t.Errorf("%q, %d in all: %s", query, all.Total, d)
		}
	}
}

// TestGuideNowFavorites checks that favorites are the caller's, and that
// nobody's cache mixes callers up.
func TestGuideNowFavorites(t *testing.T) {
	db := storetest.NewSwitch(openDB(t))
	s := open(t, db)
	for _, id := range []string{"Old.br", "Ended.br", "Blocked.br", "rb.1", "Nowhere.br"} {
		if _, _, err := kept.UpdateFavorites(t.Context(), db, "g_ana", func(f *kept.Favorites) ([]social.Favorite, error) {
			return f.Add(id, noon, func(id string) (string, bool) { return id, true })
		}); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string][]string{
		"favorites=1":            {"Aurora.br Aurora news 1/Aurora news 2"},
		"favorites=1&kind=all":   {"Aurora.br Aurora news 1/Aurora news 2", "rb.1 Rádio news 0/"},
		"favorites=1&country=GB": {},
		"favorites=1&q=news":     {"Aurora.br Aurora news 1 true", "Aurora.br Aurora news 2 false"},
	} {
		if _, got := onAir(t, s, query, "X-Guest-Token", "ana"); !cmp.Equal(want, got) {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
		if _, got := onAir(t, s, query, "X-Guest-Token", "bea"); len(got) > 0 {
			t.Errorf("%q: another caller sees %q", query, got)
		}
	}
	res, _ := apitest.Do(t, s, "GET", "/api/guide/now?favorites=1", "", "X-Guest-Token", "ana")
	if got := res.Header.Get("Cache-Control"); got != "private" {
		t.Errorf("Cache-Control is %s", got)
	}
	for _, query := range []string{"favorites=1", "favorites=1&q=x"} {
		res, body := apitest.Do(t, s, "GET", "/api/guide/now?"+query, "")
		if res.StatusCode != http.StatusUnauthorized || !strings.Contains(body, `"invalid_session"`) || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s without a credential: %s %v %s", query, res.Status, res.Header, body)
		}
	}
	db.Off()
	if res, body := apitest.Do(t, s, "GET", "/api/guide/now?favorites=1", "", "X-Guest-Token", "ana"); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, `"unavailable"`) {
		t.Errorf("without a database: %s %s", res.Status, body)
	}
	if _, got := onAir(t, s, ""); len(got) != 3 {
		t.Errorf("without a database only %q is on air", got)
	}
}

// TestNoCatalog checks that both answer while there is no catalog.
func TestNoCatalog(t *testing.T) {
	none := request.Handler(request.Options{}, New(Options{Catalog: shown{}, Now: time.Now}), Endpoints)
	for _, path := range []string{"/api/channels/Zebra.br/guia", "/api/guide/now"} {
		if res, body := apitest.Do(t, none, "GET", path, ""); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, `"catalog_unavailable"`) {
			t.Errorf("%s: %s %s", path, res.Status, body)
		}
	}
}

// FuzzDay checks that no text is taken for a day that it is not.
func FuzzDay(f *testing.F) {
	for _, s := range []string{"", "2026-11-22", "2026-11-23", "2026-11-21", "2026-02-29", "0000-00-00", "9999-99-99", "today"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := dayOf(text, noon)
		if day := at.Format(time.DateOnly); err == nil && (day != "2026-11-22" && day != "2026-11-23" || text != "" && day != text) {
			t.Errorf("%q is %v", text, at)
		}
	})
}

// TestGuideNowBound asks for more programmes than a search finds.
func TestGuideNowBound(t *testing.T) {
	h := crowded(t, 30) // of whom 1,800 programmes are on or to come
	for query, want := range map[string]int{"q=da&limit=50&offset=980": 20, "q=da&limit=50&offset=1000": 0, "q=da": 20, "limit=50": 30} {
		p, items := onAir(t, h, query)
		total := maxFound
		if !strings.Contains(query, "q=") {
			total = 30
		}
		if p.Total != total || len(items) != want || (p.Next != nil) != (query == "q=da") {
			t.Errorf("%s: %d items of %d, then %v", query, len(items), p.Total, p.NextOffset)
		}
	}
}

// crowded returns the function with n channels, each with 80 programmes.
func crowded(b testing.TB, n int) http.Handler {
	b.Helper()
	db, g := openDB(b), grid{}
	reg := &catalog.Register{BuiltAt: noon, Categories: []catalog.Category{{ID: "news"}}}
	for i := range n {
		id := fmt.Sprintf("Channel%04d.br", i)
		reg.Records = append(reg.Records, catalog.Record{ID: id, Name: fmt.Sprintf("Televisão %04d", i), Country: []string{"BR", "PT", "AO"}[i%3], Categories: []string{"news"}, Origin: "iptv-org", Streams: []catalog.StreamRecord{{
			ID: catalog.StreamID(i + 1), URL: "https://o.example/x.m3u8", Kind: catalog.StreamHLS, Origin: "iptv-org", Playable: true,
		}}})
		for k := range 80 {
			at := noon.Truncate(24 * time.Hour).Add(time.Duration(k) * 36 * time.Minute)
			g[id] = append(g[id], guide.Programme{Start: at, Stop: at.Add(36 * time.Minute), Title: fmt.Sprintf("%s da cidade %d", []string{"Jornal", "Filme", "Novela", "Futebol", "Rara"}[min(k*i%401, 400)/100], k*i%997), Desc: "O que aconteceu hoje."})
		}
	}
	ix, err := index.Build(reg)
	if err != nil {
		b.Fatal(err)
	}
	links := catalog.LinkBase{Base: "https://mira.example", Hop: "https://hop.example"}
	live := follow(b, db, g)
	view := index.NewView(ix, index.Overlay{Guides: live.Sites(noon)}, links)
	return request.Handler(request.Options{}, New(Options{Catalog: shown{view}, DB: db, Guide: live, Links: links, Now: func() time.Time { return noon }}), Endpoints)
}

func BenchmarkGuideNow(b *testing.B) {
	h := crowded(b, 5000)
	for _, query := range []string{"", "limit=50", "country=PT&category=news", "limit=50&offset=4000", "q=rara", "q=futebol%20cidade%2012", "q=jornal", "q=c"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				res, body := apitest.Do(b, h, "GET", "/api/guide/now?"+query, "")
				if res.StatusCode != http.StatusOK || strings.Contains(body, `"items":[]`) {
					b.Fatalf("%s %s", res.Status, body)
				}
			}
		})
	}
}

package feeds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/m3u"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var (
	noon  = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	links = catalog.LinkBase{Base: "https://mira.example", Hop: "https://hop.example", Legacy: "https://legacy.example"}
)

// streamID returns the id that the tests give to a stream.
func streamID(channel, feed string) catalog.StreamID {
	return catalog.StreamID(crc32.ChecksumIEEE([]byte(channel + feed)))
}

// record returns a channel with a stream of HLS for each of its feeds, the
// first of the sharpest picture.
func record(id, name string, feeds ...string) catalog.Record {
	r := catalog.Record{ID: id, Name: name, Country: "BR", Origin: "iptv-org", Languages: []string{"por"}}
	for i, f := range feeds {
		r.Streams = append(r.Streams, catalog.StreamRecord{
			ID: streamID(id, f), URL: "https://origin.example/" + id + f, Feed: f, Kind: catalog.StreamHLS,
			Origin: "iptv-org", Playable: true, Quality: fmt.Sprintf("%dp", 1080-100*i),
		})
	}
	return r
}

// records are the channels of the tests.
func records() []catalog.Record {
	video := record("Video.br", "Vídeo", "SD")
	video.Streams[0].Kind, video.Streams[0].URL = catalog.StreamYouTube, "https://www.youtube.com/watch?v=AAAAAAAAAAA"
	both := record("Both.br", "Both", "HD", "SD")
	both.Streams[0].Kind, both.Streams[0].URL = catalog.StreamYouTube, "https://www.youtube.com/watch?v=BBBBBBBBBBB"
	outside := record("Outside.br", "Outside", "SD")
	outside.Streams[0].Kind, outside.Streams[0].URL = catalog.StreamExternal, "rtmp://origin.example/live"
	station := record("rb.1", "Rádio, \"a boa\" - FM", "")
	station.Kind, station.Radio = catalog.Station, &catalog.Radio{}
	station.Streams[0].Kind = catalog.StreamAudio
	return []catalog.Record{record("Aurora.br", "Aurora", "HD", "SD"), record("Beacon.uk", "Beacon", "SD"), record("Silent.br", "Silent"), video, both, outside, station}
}

func indexOf(t testing.TB, list []catalog.Record) *index.Index {
	t.Helper()
	ix, err := index.Build(&catalog.Register{BuiltAt: noon, Records: list, ChannelAliases: map[string]string{"Old.br": "Aurora.br"}})
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func viewOf(t testing.TB, list []catalog.Record, o index.Overlay) *index.View {
	t.Helper()
	return index.NewView(indexOf(t, list), o, links)
}

// serve returns the function over db and a catalog.
func serve(db store.DB, v index.Viewer) http.Handler {
	return request.Handler(request.Options{CountryHeader: "X-Country"}, New(db, v, grid{}, func() time.Time { return noon }), Endpoints)
}

// keepOne keeps a library of one sub-tab that holds the given items, each a
// channel and after "=" the stream that is pinned.
func keepOne(t testing.TB, db store.DB, items ...string) *library.Library {
	t.Helper()
	l, err := library.Update(t.Context(), db, "g_ana", noon, func(l *library.Library) error {
		l.Clear()
		c, err := l.AddCategory("Notícias do Dia")
		if err != nil {
			return err
		}
		for _, item := range items {
			channel, stream, _ := strings.Cut(item, "=")
			it := library.ItemOf(channel, "Was "+channel, catalog.TV, "BR")
			it.Stream = stream
			if _, _, err := l.AddItem(c.Groups[0].ID, it, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// read returns what a path of the feeds of l answers with.
func read(t testing.TB, h http.Handler, l *library.Library, path string) string {
	t.Helper()
	res, body := apitest.Do(t, h, "GET", "/f/"+l.Token+path, "")
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s", path, res.Status, body)
	}
	return body
}

// addresses returns the addresses that a list in M3U gives.
func addresses(list string) (out []string) {
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, strings.TrimPrefix(line, links.Hop+"/api/s/"))
		}
	}
	return out
}

// document returns a list in JSON.
func document(t testing.TB, body string) feed.ChannelList {
	t.Helper()
	var d feed.ChannelList
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func playlist(channel, feed string) string { return streamID(channel, feed).String() + ".m3u8" }

// dead returns an overlay in which streams were found offline at noon.
func dead(ids ...catalog.StreamID) index.Overlay {
	at := noon.Format(time.RFC3339)
	return index.Overlay{Streams: func(yield func(catalog.StreamID, *catalog.Measurement) bool) {
		for _, id := range ids {
			if !yield(id, &catalog.Measurement{Health: catalog.StreamHealth{Status: "offline", CheckedAt: &at}}) {
				return
			}
		}
	}}
}

// TestStreams checks which stream an item gives to players.
func TestStreams(t *testing.T) {
	hd, sd := streamID("Aurora.br", "HD"), streamID("Aurora.br", "SD")
	for _, test := range []struct {
		name, item string
		overlay    index.Overlay
		want       string // address after the hop's; empty when no list gives one
		kind       string // in JSON
	}{
		{"the best", "Aurora.br", index.Overlay{}, playlist("Aurora.br", "HD"), "hls"},
		{"the best that lives", "Aurora.br", dead(hd), playlist("Aurora.br", "SD"), "hls"},
		{"all dead", "Aurora.br", dead(hd, sd), playlist("Aurora.br", "HD"), "hls"},
		{"pinned", "Aurora.br=" + sd.String(), index.Overlay{}, playlist("Aurora.br", "SD"), "hls"},
		{"pinned and dead", "Aurora.br=" + sd.String(), dead(sd), playlist("Aurora.br", "HD"), "hls"},
		{"pinned, all dead", "Aurora.br=" + sd.String(), dead(hd, sd), playlist("Aurora.br", "SD"), "hls"},
		{"pinned and blocked", "Aurora.br=" + sd.String(), index.Overlay{BlockedStreams: []catalog.StreamID{sd}}, playlist("Aurora.br", "HD"), "hls"},
		{"pinned and gone", "Aurora.br=s_zzzzzzzzzzzzy", index.Overlay{}, playlist("Aurora.br", "HD"), "hls"},
		{"pinned of another channel", "Aurora.br=" + streamID("Beacon.uk", "SD").String(), index.Overlay{}, playlist("Aurora.br", "HD"), "hls"},
		{"pinned by position", "Aurora.br=iptv-org:Aurora.br@SD:0", index.Overlay{}, playlist("Aurora.br", "SD"), "hls"},
		{"all blocked", "Aurora.br", index.Overlay{BlockedStreams: []catalog.StreamID{hd, sd}}, "", ""},
		{"renamed channel", "Old.br", index.Overlay{}, playlist("Aurora.br", "HD"), "hls"},
		{"blocked channel", "Aurora.br", index.Overlay{BlockedChannels: []string{"Aurora.br"}}, "", ""},
		{"gone channel", "Nowhere.br", index.Overlay{}, "", ""},
		{"no stream", "Silent.br", index.Overlay{}, "", ""},
		{"external", "Outside.br", index.Overlay{}, "", ""},
		{"platform", "Video.br", index.Overlay{}, "", "youtube"},
		{"platform beside media", "Both.br", index.Overlay{}, playlist("Both.br", "SD"), "hls"},
		{"platform pinned", "Both.br=" + streamID("Both.br", "HD").String(), index.Overlay{}, "", "youtube"},
		{"platform beside dead media", "Both.br", dead(streamID("Both.br", "SD")), "", "youtube"},
		{"station", "rb.1", index.Overlay{}, streamID("rb.1", "").String(), "audio"},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := wiretest.OpenDB(t)
			h := serve(db, &indextest.Catalog{Shown: viewOf(t, records(), test.overlay)})
			l := keepOne(t, db, test.item)
			want := []string(nil)
			if test.want != "" {
				want = []string{test.want}
			}
			if d := cmp.Diff(want, addresses(read(t, h, l, "/library.m3u"))); d != "" {
				t.Errorf("M3U: %s", d)
			}
			if list := read(t, h, l, "/library.xspf"); strings.Count(list, "<location>") != len(want) || !strings.Contains(list, test.want) {
				t.Errorf("XSPF: %s", list)
			}
			d := document(t, read(t, h, l, "/library.json"))
			if len(d.Channels) != 1 {
				t.Fatalf("JSON has %d channels", len(d.Channels))
			}
			c := d.Channels[0]
			kind := ""
			if c.Kind != nil {
				kind = *c.Kind
			}
			if kind != test.kind || (c.URL == nil) != (test.kind == "") || (c.YouTube != nil) != (test.kind == "youtube") {
				t.Errorf("JSON has %+v", c)
			}
			guide := read(t, h, l, "/guia.xml")
			if gone := c.EPGID == nil; gone != c.Stale || !gone && !strings.Contains(guide, `<channel id="`+*c.EPGID+`">`) {
				t.Errorf("the guide of %+v is %s", c, guide)
			}
		})
	}
}

// TestLevels reads the feeds of every level: the channels, their groups, and
// the addresses that one leads to.
func TestLevels(t *testing.T) {
	db := wiretest.OpenDB(t)
	h := serve(db, &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})})
	l, err := library.Update(t.Context(), db, "g_ana", noon, func(l *library.Library) error {
		for _, name := range []string{"Notícias; | \"1\"", "日本, TV"} {
			c, err := l.AddCategory(name)
			if err != nil {
				return err
			}
			if _, _, err := l.AddGroup(c.ID, "Rádio - 2"); err != nil {
				return err
			}
			for i, channel := range []string{"Aurora.br", "rb.1"} {
				if _, _, err := l.AddItem(c.Groups[i].ID, library.ItemOf(channel, "", catalog.TV, ""), nil); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path, name, level string
		groups            []string
	}{
		{"/library", "Miramundo", "library", []string{"Notícias '1' / Geral", "Notícias '1' / Rádio - 2", "日本 TV / Geral", "日本 TV / Rádio - 2"}},
		{"/c/noticias-1", "Notícias; | \"1\"", "category", []string{"Geral", "Rádio - 2"}},
		{"/c/" + l.Categories[1].Slug, "日本, TV", "category", []string{"Geral", "Rádio - 2"}},
		{"/c/noticias-1/g/radio-2", "Notícias; | \"1\" / Rádio - 2", "group", []string{"Rádio - 2"}},
	} {
		var groups []string
		list := read(t, h, l, test.path+".m3u")
		entries, _ := m3u.Parse(list)
		for _, e := range entries {
			groups = append(groups, e.Group)
		}
		if d := cmp.Diff(test.groups, groups); d != "" {
			t.Errorf("%s: %s", test.path, d)
		}
		if other := read(t, h, l, test.path+".m3u8"); other != list {
			t.Errorf("%s.m3u8 is %s", test.path, other)
		}
		d := document(t, read(t, h, l, test.path+".json"))
		if d.Name != test.name || d.Level != test.level || len(d.Channels) != len(groups) || *d.UpdatedAt != "2026-11-22T12:00:00Z" {
			t.Errorf("%s: %+v", test.path, d)
		}
		for _, address := range []string{d.Feeds.M3U, d.Feeds.M3U8, d.Feeds.JSON, d.Feeds.XSPF, *d.EPGURL, strings.TrimSuffix(*d.EPGURL, ".gz")} {
			read(t, h, l, strings.TrimPrefix(address, links.Base+"/f/"+l.Token))
		}
	}
}

// TestUnknown checks that all that is not there is answered alike, so that
// nothing can be told apart.
func TestUnknown(t *testing.T) {
	db := wiretest.OpenDB(t)
	h := serve(db, &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})})
	l := keepOne(t, db, "Aurora.br")
	_, want := apitest.Do(t, h, "GET", "/f/"+strings.Repeat("a", 26)+"/library.m3u", "")
	if !strings.Contains(want, `"feed_not_found"`) {
		t.Fatalf("an unknown token: %s", want)
	}
	for _, path := range []string{
		"/f/x/library.m3u", "/f/" + strings.ToUpper(l.Token) + "/library.m3u", "/f/" + l.Token + "x/library.m3u",
		"/f/" + strings.Repeat("a", 4000) + "/library.m3u", "/f/%2e%2e/library.m3u", "/f/%F0%9F%93%BA/library.json",
	} {
		if res, body := apitest.Do(t, h, "GET", path, ""); res.StatusCode != http.StatusNotFound || body != want {
			t.Errorf("%.60s: %s %s", path, res.Status, body)
		}
	}
	for _, path := range []string{
		"/library.pls", "/library", "/library.", "/.m3u", "/other.m3u", "/library.M3U", "/library.m3u.gz", "/guia.xml.bz2", "/library.xml",
		"/c/none.m3u", "/c/noticias-do-dia.xml", "/c/noticias-do-dia", "/c/.m3u", "/c/guia.xml", "/c/%2F.m3u",
		"/c/none/guia.xml", "/c/noticias-do-dia/guia", "/c/noticias-do-dia/library.m3u", "/c/noticias-do-dia/g",
		"/c/noticias-do-dia/g/none.m3u", "/c/none/g/geral.m3u", "/c/noticias-do-dia/g/geral.zip", "/c/noticias-do-dia/g/geral/guia.m3u",
		"/c/noticias-do-dia/g/none/guia.xml", "/c/none/g/geral/guia.xml.gz",
	} {
		if res, body := apitest.Do(t, h, "GET", "/f/"+l.Token+path, ""); res.StatusCode != http.StatusNotFound || body != want {
			t.Errorf("%s: %s %s", path, res.Status, body)
		}
	}
}

// TestChanges checks that a list tells at once what changed: the library, its
// token, and the catalog.
func TestChanges(t *testing.T) {
	db := wiretest.OpenDB(t)
	v := &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})}
	h := serve(db, v)
	l := keepOne(t, db, "Aurora.br")
	want := func(channel, feed string) {
		t.Helper()
		for range 2 { // as it is written, and as it was kept
			if d := cmp.Diff([]string{playlist(channel, feed)}, addresses(read(t, h, l, "/library.m3u"))); d != "" {
				t.Error(d)
			}
		}
	}
	want("Aurora.br", "HD")
	v.Shown = v.Shown.WithOverlay(index.Overlay{BlockedStreams: []catalog.StreamID{streamID("Aurora.br", "HD")}})
	want("Aurora.br", "SD")
	l = keepOne(t, db, "Beacon.uk")
	want("Beacon.uk", "SD")
	old := *l
	l, err := library.Update(t.Context(), db, "g_ana", noon, func(l *library.Library) error { l.RotateToken(); return nil })
	if err != nil {
		t.Fatal(err)
	}
	want("Beacon.uk", "SD")
	if res, _ := apitest.Do(t, h, "GET", "/f/"+old.Token+"/library.m3u", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("the old token answers %s", res.Status)
	}
	if body := read(t, h, l, "/library.json"); strings.Contains(body, old.Token) {
		t.Error("the list still leads to the old token")
	}
}

// TestCountry checks that callers get the streams of their countries, also of
// lists that were kept for others.
func TestCountry(t *testing.T) {
	db := wiretest.OpenDB(t)
	list := records()
	list[0].Streams[0].Label = "Geo-blocked"
	h := serve(db, &indextest.Catalog{Shown: viewOf(t, list, index.Overlay{})})
	l := keepOne(t, db, "Aurora.br")
	for range 2 {
		for country, feed := range map[string]string{"BR": "HD", "PT": "SD"} {
			_, body := apitest.Do(t, h, "GET", "/f/"+l.Token+"/library.m3u", "", "X-Country", country)
			if d := cmp.Diff([]string{playlist("Aurora.br", feed)}, addresses(body)); d != "" {
				t.Errorf("%s: %s", country, d)
			}
		}
	}
}

// TestAging checks that a list does not outlast the measurements that it was
// made by.
func TestAging(t *testing.T) {
	db, now := wiretest.OpenDB(t), noon
	h := request.Handler(request.Options{}, New(db, &indextest.Catalog{Shown: viewOf(t, records(), dead(streamID("Aurora.br", "HD")))}, grid{}, func() time.Time { return now }), Endpoints)
	l := keepOne(t, db, "Aurora.br")
	for _, test := range []struct {
		after time.Duration
		feed  string
	}{{0, "SD"}, {rank.Stale, "SD"}, {rank.Stale + fresh*time.Second, "HD"}} {
		now = noon.Add(test.after)
		if d := cmp.Diff([]string{playlist("Aurora.br", test.feed)}, addresses(read(t, h, l, "/library.m3u"))); d != "" {
			t.Errorf("after %v: %s", test.after, d)
		}
	}
}

// TestReads counts what a feed costs: two documents, also when it was kept, and
// none for what cannot be a token.
func TestReads(t *testing.T) {
	db := storetest.NewMeter(wiretest.OpenDB(t))
	h := serve(db, &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})})
	l := keepOne(t, db, "Aurora.br", "rb.1")
	for _, path := range []string{"/library.m3u", "/library.m3u", "/library.json", "/c/noticias-do-dia.xspf", "/c/noticias-do-dia/g/geral.m3u8", "/guia.xml.gz", "/c/none.m3u"} {
		before := db.Ops()
		apitest.Do(t, h, "GET", "/f/"+l.Token+path, "")
		if got := db.Ops().Less(before); got != (storetest.Ops{Reads: 2}) {
			t.Errorf("%s costs %+v", path, got)
		}
	}
	for _, path := range []string{"/f/x/library.m3u", "/f/" + l.Token + "/library.pls"} {
		before := db.Ops()
		apitest.Do(t, h, "GET", path, "")
		if got := db.Ops().Less(before); got != (storetest.Ops{}) {
			t.Errorf("%s costs %+v", path, got)
		}
	}
}

// TestHTTP checks what readers and caches are told.
func TestHTTP(t *testing.T) {
	db := wiretest.OpenDB(t)
	h := serve(db, &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})})
	items := []string{}
	for range 40 {
		items = append(items, "Aurora.br")
	}
	l := keepOne(t, db, items...)
	for path, want := range map[string][2]string{
		"/library.m3u":                           {"audio/x-mpegurl", "inline; filename=library.m3u"},
		"/library.m3u8":                          {"audio/x-mpegurl", "inline; filename=library.m3u8"},
		"/library.json":                          {"application/json", "inline; filename=library.json"},
		"/c/noticias-do-dia.xspf":                {"application/xspf+xml", "inline; filename=noticias-do-dia.xspf"},
		"/guia.xml":                              {"application/xml", "inline; filename=guia.xml"},
		"/c/noticias-do-dia/g/geral.m3u":         {"audio/x-mpegurl", "inline; filename=noticias-do-dia-geral.m3u"},
		"/c/noticias-do-dia/g/geral/guia.xml.gz": {"application/gzip", "inline; filename=guia.xml.gz"},
	} {
		target := "/f/" + l.Token + path
		res, body := apitest.Do(t, h, "GET", target, "")
		head := res.Header
		got := [2]string{head.Get("Content-Type"), head.Get("Content-Disposition")}
		if res.StatusCode != http.StatusOK || got != want {
			t.Errorf("%s: %s, %q", path, res.Status, got)
		}
		if head.Get("Cache-Control") != "private, no-cache" || head.Get("Access-Control-Allow-Origin") != "*" || head.Get("Etag") == "" {
			t.Errorf("%s: %v", path, head)
		}
		res, none := apitest.Do(t, h, "HEAD", target, "")
		if none != "" || res.Header.Get("Content-Length") != fmt.Sprint(len(body)) || res.Header.Get("Etag") != head.Get("Etag") {
			t.Errorf("HEAD %s: %v %q", path, res.Header, none)
		}
		res, none = apitest.Do(t, h, "GET", target, "", "If-None-Match", head.Get("Etag"))
		if res.StatusCode != http.StatusNotModified || none != "" {
			t.Errorf("%s again: %s %q", path, res.Status, none)
		}
		res, plain := apitest.Do(t, h, "GET", target, "", "Accept-Encoding", "gzip")
		packed := res.Header.Get("Content-Encoding") == "gzip"
		if wanted := !strings.HasSuffix(path, ".gz") && len(body) >= 1024; packed != wanted || plain != body {
			t.Errorf("%s: packed is %v, %d bytes of %d", path, packed, len(plain), len(body))
		}
	}
}

// TestSecret checks that no token comes into the log, and no hash of one to
// callers.
func TestSecret(t *testing.T) {
	var log bytes.Buffer
	good := wiretest.OpenDB(t)
	db := storetest.NewSwitch(good)
	v := &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})}
	h := request.Handler(request.Options{Log: slog.New(cloudlog.New(&log, slog.LevelDebug, "test"))}, New(db, v, grid{}, func() time.Time { return noon }), Endpoints)
	l := keepOne(t, good, "Aurora.br")
	for range 2 {
		for _, path := range []string{"/library.m3u", "/c/none.m3u", "/c/noticias-do-dia/g/geral.json", "/guia.xml", "//", "/x/y/z"} {
			if _, body := apitest.Do(t, h, "GET", "/f/"+l.Token+path, ""); strings.Contains(body, `"error"`) && strings.Contains(body, "feeds/") {
				t.Errorf("%s tells %s", path, body)
			}
		}
		db.Off()
	}
	if strings.Contains(log.String(), l.Token) || !strings.Contains(log.String(), "/f/{token}") {
		t.Errorf("the log is %s", log.String())
	}
}

// TestUnavailable checks what readers are told while a part does not answer.
func TestUnavailable(t *testing.T) {
	good := wiretest.OpenDB(t)
	l := keepOne(t, good, "Aurora.br")
	loaded := &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})}
	for name, test := range map[string]struct {
		h    http.Handler
		code string
	}{
		"no database": {serve(storetest.Broken(), loaded), "unavailable"},
		"no catalog":  {serve(good, &indextest.Catalog{}), "catalog_unavailable"},
	} {
		res, body := apitest.Do(t, test.h, "GET", "/f/"+l.Token+"/library.m3u", "")
		if res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, `"`+test.code+`"`) || res.Header.Get("Etag") != "" {
			t.Errorf("%s: %s %s", name, res.Status, body)
		}
	}
}

// TestAgain imports a list that was written: each channel is found again.
func TestAgain(t *testing.T) {
	db := wiretest.OpenDB(t)
	h := serve(db, &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})})
	l := keepOne(t, db, "Aurora.br", "Beacon.uk", "rb.1")
	var ids []string
	entries, _ := m3u.Parse(read(t, h, l, "/library.m3u"))
	for _, e := range entries {
		id, _, _ := strings.Cut(e.ID, "@")
		ids = append(ids, id)
	}
	if d := cmp.Diff([]string{"Aurora.br", "Beacon.uk", "rb.1"}, ids); d != "" {
		t.Error(d)
	}
}

func tagged(data []byte, tag string) file { return file{Content: api.Content{Data: data, Tag: tag}} }

func TestShelf(t *testing.T) {
	var s shelf
	ix := indexOf(t, records())
	one, other := index.NewView(ix, index.Overlay{}, links), index.NewView(ix, index.Overlay{}, links)
	at := func(n uint64) key { return key{token: "a", version: library.Version(n)} }
	data := make([]byte, maxList)
	for n := range uint64(10) {
		s.put(one, at(n), tagged(data, fmt.Sprint(n)))
	}
	s.put(one, at(9), tagged(nil, "a second time"))
	s.put(one, at(10), tagged(append(data, 0), ""))
	for n := range uint64(11) {
		c, ok := s.get(one, at(n))
		if want := n >= 8 && n <= 9; ok != want || ok && c.Tag != fmt.Sprint(n) {
			t.Errorf("list %d: %q, %v", n, c.Tag, ok)
		}
	}
	if s.bytes != maxShelf || len(s.keys) != 2 || len(s.lists) != 2 {
		t.Errorf("holds %d bytes, %d keys, %d lists", s.bytes, len(s.keys), len(s.lists))
	}
	if _, ok := s.get(other, at(9)); ok {
		t.Error("a list of another view is found")
	}
	s.put(other, at(1), tagged(nil, "1"))
	if _, ok := s.get(one, at(9)); ok || s.bytes != 0 || len(s.lists) != 1 {
		t.Errorf("lists of a view that is gone stay: %d bytes", s.bytes)
	}
}

// TestShelfLineup checks that a shelf counts what a lineup holds besides its document.
func TestShelfLineup(t *testing.T) {
	var s shelf
	v := index.NewView(indexOf(t, records()), index.Overlay{}, links)
	l := &feed.List{}
	for i := range 1000 {
		l.Entries = append(l.Entries, feed.Entry{Number: i + 1, GuideID: "Aurora.br", URL: "https://mira.example/api/s/1.m3u8"})
	}
	f := lineupOf(l)
	s.put(v, key{token: "a"}, f)
	if most := len(f.Data) + 500*len(l.Entries); s.bytes < len(f.Data)+100*len(l.Entries) || s.bytes > most {
		t.Errorf("it counts %d bytes for a document of %d", s.bytes, len(f.Data))
	}
	s.put(index.NewView(indexOf(t, records()), index.Overlay{}, links), key{token: "b"}, file{})
	if s.bytes != 0 {
		t.Errorf("%d bytes remain", s.bytes)
	}
}

// full keeps a library that is as large as libraries get.
func full(t testing.TB, db store.DB) (*library.Library, []catalog.Record) {
	t.Helper()
	var list []catalog.Record
	var plan []library.Category
	for i := range library.MaxCategories {
		c := library.Category{Name: fmt.Sprint("Notícias e esportes ", i)}
		for k := range library.MaxGroups {
			g := library.Group{Name: fmt.Sprint("Canais locais ", k)}
			for n := range library.MaxItems {
				id := fmt.Sprintf("Channel%d.br", len(list))
				list = append(list, record(id, fmt.Sprintf("Televisão número %d, HD", n), "HD", "SD", "Rio"))
				g.Items = append(g.Items, library.ItemOf(id, "Televisão", catalog.TV, "BR"))
			}
			c.Groups = append(c.Groups, g)
		}
		plan = append(plan, c)
	}
	l, err := library.Update(t.Context(), db, "g_ana", noon, func(l *library.Library) error {
		l.Clear()
		l.Merge(plan)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l, list
}

// BenchmarkFeed reads the feed of a full library: for the first time, and when
// neither it nor the catalog changed.
func BenchmarkFeed(b *testing.B) {
	db := wiretest.OpenDB(b)
	l, list := full(b, db)
	view := &indextest.Catalog{Shown: viewOf(b, list, index.Overlay{})}
	h := request.Handler(request.Options{}, New(db, view, crowded(b, db, list), func() time.Time { return noon }), Endpoints)
	for _, format := range []string{"library.m3u", "library.json", "library.xspf", "guia.xml", "guia.xml.gz"} {
		b.Run("first/"+format, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				view.Shown = view.Shown.WithOverlay(index.Overlay{})
				b.StartTimer()
				b.SetBytes(int64(len(read(b, h, l, "/"+format))))
			}
		})
		b.Run("again/"+format, func(b *testing.B) {
			read(b, h, l, "/"+format)
			for b.Loop() {
				b.SetBytes(int64(len(read(b, h, l, "/"+format))))
			}
		})
	}
}

// publish publishes the folder of ana's library.
func publish(t testing.TB, db store.DB, l *library.Library, title string) {
	t.Helper()
	d := public.Draft{Name: "ana-tv", Title: title, Folders: []string{l.Categories[0].ID}}
	if _, _, err := public.Put(t.Context(), db, "g_ana", d, noon); err != nil {
		t.Fatal(err)
	}
}

// TestPublic reads the feeds of a public library: they are those of its folders alone, name
// neither the token nor ids, and change with the library and its title.
func TestPublic(t *testing.T) {
	db := storetest.NewMeter(wiretest.OpenDB(t))
	l := keepOne(t, db, "Aurora.br", "Gone.br")
	h := serve(db, &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})})
	publish(t, db, l, "TV")
	if _, err := library.Update(t.Context(), db, "g_ana", noon, func(l *library.Library) error {
		c, err := l.AddCategory("Private")
		if err != nil {
			return err
		}
		_, _, err = l.AddItem(c.Groups[0].ID, library.ItemOf("Beacon.uk", "Beacon", catalog.TV, "GB"), nil)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	get := func(path string) (int, string, string) {
		res, body := apitest.Do(t, h, "GET", "/l/ana-tv"+path, "")
		return res.StatusCode, body, res.Header.Get("Etag")
	}
	for _, path := range []string{"/library.m3u", "/library.m3u8", "/library.xspf", "/library.json", "/noticias-do-dia.m3u", "/noticias-do-dia.json", "/guia.xml", "/noticias-do-dia/guia.xml"} {
		for range 2 { // the second is cached
			status, body, tag := get(path)
			if status != http.StatusOK || tag == "" || !strings.Contains(body, "Aurora") {
				t.Errorf("%s: %d, %q", path, status, body)
			}
			for _, secret := range []string{l.Token, "g_ana", l.Categories[0].ID, "/f/", "Beacon", "Private"} {
				if strings.Contains(body, secret) {
					t.Errorf("%s has %q: %s", path, secret, body)
				}
			}
		}
	}
	for _, path := range []string{"/private.m3u", "/private/guia.xml", "/library.txt", "/library", "/.m3u", "/guia.xml/guia.xml", "/" + l.Token + ".m3u", "/..%2Flibrary.m3u"} {
		if status, body, _ := get(path); status != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	before := db.Ops()
	_, _, tag := get("/library.json")
	if cost := db.Ops().Less(before); cost.Reads != 3 || cost.Writes != 0 {
		t.Errorf("a feed costs %+v", cost)
	}
	if _, _, err := public.Put(t.Context(), db, "g_ana", public.Draft{Name: "ana-tv", Title: "Other", Folders: []string{l.Categories[0].ID}}, noon.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, body, next := get("/library.json"); next == tag || document(t, body).Name != "Other" {
		t.Errorf("with another title: %s", body)
	}
	if _, err := public.Withdraw(t.Context(), db, "g_ana", noon.AddDate(100, 0, 0)); err != nil {
		t.Fatal(err)
	}
	if status, body, _ := get("/library.json"); status != http.StatusNotFound || !strings.Contains(body, "feed_not_found") {
		t.Errorf("when it is withdrawn: %d %s", status, body)
	}
}

package catalog

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/guide"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// A shown is a catalog of one moment.
type shown struct{ view *index.View }

func (s shown) View() (*index.View, error) {
	if s.view == nil {
		return nil, catalog.ErrNotLoaded
	}
	return s.view, nil
}

func (shown) Synced() (time.Time, bool) { return noon, true }

// lister serves lists of n channels, every other of which is of news.
func lister(t testing.TB, n int) http.Handler { return listerWith(t, n, nil) }

// listerWith serves lists of n channels with a guide, or without one when live is nil.
func listerWith(t testing.TB, n int, live *guide.Live) http.Handler {
	t.Helper()
	return listingOf(listerOptions(t, n, live))
}

// listingOf serves what o shows.
func listingOf(o Options) http.Handler {
	return request.Handler(request.Options{CountryHeader: "X-Country"}, New(o), Endpoints)
}

// listerOptions returns what listerWith serves.
func listerOptions(t testing.TB, n int, live *guide.Live) Options {
	t.Helper()
	reg := &catalog.Register{BuiltAt: noon, Categories: []catalog.Category{{ID: "news", Name: catalog.Labels{"Notícias", "News", "Noticias", "Actualités", "Nachrichten"}}}}
	for i := range n {
		r := catalog.Record{ID: fmt.Sprintf("Channel%04d.br", i), Name: fmt.Sprintf("Channel, %04d", i), Country: "BR", Origin: "iptv-org", Streams: []catalog.StreamRecord{{
			ID: catalog.StreamID(i + 1), URL: "https://o.example/x.m3u8", Kind: catalog.StreamHLS, Origin: "iptv-org", Playable: true, Feed: "SD",
		}}}
		if i%2 == 0 {
			r.Categories = []string{"news"}
		}
		reg.Records = append(reg.Records, r)
	}
	station := reg.Records[n-1]
	station.ID, station.Name, station.Kind, station.Radio, station.Categories = "rb.1", "Rádio", catalog.Station, &catalog.Radio{}, nil
	station.Streams = []catalog.StreamRecord{{ID: 1 << 40, URL: "http://o.example/x.mp3", Kind: catalog.StreamAudio, Origin: "radio-browser", Playable: true}}
	reg.Records = append(reg.Records, station)
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	links := catalog.LinkBase{Base: "https://mira.example", Hop: "https://hop.example"}
	o := Options{Catalog: shown{index.NewView(ix, index.Overlay{Guides: live.Sites(noon)}, links)}, Links: links, Now: func() time.Time { return noon }}
	if live != nil {
		o.Guide = live
	}
	return o
}

func read(t testing.TB, h http.Handler, target string) feed.ChannelList {
	t.Helper()
	res, body := apitest.Do(t, h, "GET", target, "")
	var d feed.ChannelList
	if err := json.Unmarshal([]byte(body), &d); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v %.200s", target, res.Status, err, body)
	}
	return d
}

func TestListBounds(t *testing.T) {
	h := lister(t, 520)
	for query, want := range map[string]struct {
		n     int
		first string
	}{
		"":                     {500, "Channel0000.br"},
		"limit=9999":           {500, "Channel0000.br"},
		"limit=3":              {3, "Channel0000.br"},
		"offset=500":           {20, "Channel0500.br"},
		"limit=3&offset=519":   {1, "Channel0519.br"},
		"category=news":        {260, "Channel0000.br"},
		"q=0007":               {1, "Channel0007.br"},
		"kind=radio":           {1, "rb.1"},
		"kind=all&offset=500":  {21, "Channel0500.br"},
		"country=PT":           {},
		"q=%20":                {500, "Channel0000.br"},
		"online=1":             {},
		"limit=1&unknown=x":    {1, "Channel0000.br"},
		"category=news&q=0003": {},
	} {
		d := read(t, h, "/api/channels.json?"+query)
		if len(d.Channels) != want.n || want.n > 0 && d.Channels[0].ID != want.first {
			t.Errorf("%q: %d channels, want %+v", query, len(d.Channels), want)
		}
	}
	for _, query := range []string{"limit=0", "limit=x", "kind=x", "sort=x", "playable=2", "offset=-1"} {
		if res, body := apitest.Do(t, h, "GET", "/api/channels.m3u?"+query, ""); res.StatusCode != http.StatusBadRequest {
			t.Errorf("%q: %s %s", query, res.Status, body)
		}
	}
}

// TestList checks what is told of a list, and that its addresses lead to the
// same list in each format.
func TestList(t *testing.T) {
	h := lister(t, 4)
	d := read(t, h, "/api/channels.json?kind=all&q=c%26h&lang=en&playable=0&limit=2&sort=relevance&guide=0")
	if d.Name != "Miramundo: c&h" || d.Level != "search" || d.EPGURL != nil || *d.UpdatedAt != "2026-11-22T12:00:00Z" {
		t.Errorf("%+v", d)
	}
	const more = "?kind=all&lang=en&limit=2&playable=0&q=c%26h&sort=relevance"
	base := "https://mira.example/api/channels."
	want := feed.Addresses{M3U: base + "m3u" + more, M3U8: base + "m3u8" + more, JSON: base + "json" + more, XSPF: base + "xspf" + more}
	if diff := cmp.Diff(want, d.Feeds); diff != "" {
		t.Error(diff)
	}
	if d := read(t, h, "/api/channels.json?limit=500&sort=name"); d.Feeds.M3U != base+"m3u" || d.Name != "Miramundo" {
		t.Errorf("without a query: %+v", d)
	}
	var groups []string
	for _, c := range read(t, h, "/api/channels.json?kind=all&lang=de").Channels {
		groups = append(groups, c.Group)
	}
	if diff := cmp.Diff([]string{"Nachrichten", "TV", "Nachrichten", "TV", "Radio"}, groups); diff != "" {
		t.Error(diff)
	}
	for format, mediaType := range map[string]string{"m3u": "audio/x-mpegurl", "m3u8": "audio/x-mpegurl", "xspf": "application/xspf+xml"} {
		res, body := apitest.Do(t, h, "GET", "/api/channels."+format+"?kind=all", "")
		if res.Header.Get("Content-Type") != mediaType || res.Header.Get("Content-Disposition") != "inline; filename=channels."+format {
			t.Errorf("%s: %v", format, res.Header)
		}
		for _, address := range []string{"https://hop.example/api/s/s_0000000000002.m3u8", "http://o.example/x.mp3"} {
			if !strings.Contains(body, address) {
				t.Errorf("%s lacks %s: %s", format, address, body)
			}
		}
		if again, _ := apitest.Do(t, h, "GET", "/api/channels."+format+"?kind=all", "", "If-None-Match", res.Header.Get("Etag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %s", format, again.Status)
		}
	}
	none := request.Handler(request.Options{}, New(Options{Catalog: shown{}, Now: time.Now}), Endpoints)
	if res, _ := apitest.Do(t, none, "GET", "/api/channels.m3u", ""); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("without a catalog: %s", res.Status)
	}
}

// TestFilters checks that every filter is a parameter of the search and of each
// list, and that the addresses of a list repeat it.
func TestFilters(t *testing.T) {
	for _, f := range filter.All {
		takes := 0
		for _, e := range Endpoints {
			if e.Path == catalog.ChannelsPath || strings.HasPrefix(e.Path, catalog.ChannelsPath+".") {
				if takes++; !slices.ContainsFunc(e.Params(), func(p input.Param) bool { return p.Name == f.Name && p.In == "query" }) {
					t.Errorf("%s does not accept %s", e.Path, f.Name)
				}
			}
		}
		if takes != 1+len(lists) {
			t.Fatalf("checked only %d endpoints", takes)
		}
	}
	in := listIn{Limit: 7, Offset: 3, Lang: "de"}
	want := url.Values{"limit": {"7"}, "offset": {"3"}, "lang": {"de"}, "playable": {"0"}}
	for id, f := range filter.All {
		if text := in.Text(filter.ID(id)); text != nil {
			*text = "votes"
			want.Set(f.Name, "votes")
		} else if number := in.Number(filter.ID(id)); number != nil {
			*number = 7
			want.Set(f.Name, "7")
		} else if filter.ID(id) != filter.Playable {
			*in.Flag(filter.ID(id)) = true
			want.Set(f.Name, "1")
		}
	}
	u, err := url.Parse(in.addresses("https://mira.example/api/channels").M3U)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, u.Query()); d != "" {
		t.Errorf("addresses (-want +got):\n%s", d)
	}
}

// FuzzAddresses checks that the addresses of a list mean the query that it was
// asked with.
func FuzzAddresses(f *testing.F) {
	f.Add("q", "BR", "news", "a&b", true, 20)
	f.Add("\x00 \"", "é", "%", "#?", false, 500)
	f.Fuzz(func(t *testing.T, q, country, category, tag string, on bool, limit int) {
		in := listIn{Limit: limit}
		in.Q, in.Country, in.Category, in.Tag, in.Online, in.Playable, in.Sort, in.Kind = q, country, category, tag, on, on, "votes", "tv"
		u, err := url.Parse(in.addresses("https://mira.example/api/channels").XSPF)
		if err != nil || u.Path != "/api/channels.xspf" {
			t.Fatalf("%+v: %v", u, err)
		}
		query := u.Query()
		got := []string{query.Get("q"), query.Get("country"), query.Get("category"), query.Get("tag"), query.Get("sort"), query.Get("kind")}
		if d := cmp.Diff([]string{q, country, category, tag, "votes", ""}, got); d != "" {
			t.Error(d)
		}
	})
}

func BenchmarkList(b *testing.B) {
	h := lister(b, 600)
	for _, format := range []string{"m3u", "json", "xspf"} {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				_, body := apitest.Do(b, h, "GET", "/api/channels."+format, "")
				b.SetBytes(int64(len(body)))
			}
		})
	}
}

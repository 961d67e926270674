package index_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/catalog/rank"
)

// without returns reg without what an overlay blocks.
func without(reg *catalog.Register, channels map[string]bool, stream func(*catalog.StreamRecord) bool) *catalog.Register {
	out := *reg
	out.Records = nil
	for _, r := range reg.Records {
		if channels[r.ID] {
			continue
		}
		r.Streams = slices.DeleteFunc(slices.Clone(r.Streams), func(s catalog.StreamRecord) bool { return stream(&s) })
		out.Records = append(out.Records, r)
	}
	return &out
}

// TestBlocks checks that a view with blocks answers as one of a register that
// never had what they name.
func TestBlocks(t *testing.T) {
	reg := indextest.Synthetic(21, 1500)
	ix := build(t, reg)
	o := index.Overlay{BlockedHosts: []string{"Host3.Example", "host.example", "", "nowhere.example"}, BlockedChannels: []string{"unknown"}, BlockedStreams: []catalog.StreamID{12345}}
	channels, streams := map[string]bool{}, map[catalog.StreamID]bool{}
	for i := range reg.Records {
		r := &reg.Records[i]
		if i%5 == 0 {
			channels[r.ID] = true
			o.BlockedChannels = append(o.BlockedChannels, r.ID)
		}
		if len(r.Streams) > 0 && i%3 == 0 {
			streams[r.Streams[0].ID] = true
			o.BlockedStreams = append(o.BlockedStreams, r.Streams[0].ID)
		}
	}
	left := without(reg, channels, func(s *catalog.StreamRecord) bool {
		return streams[s.ID] || strings.Contains(s.URL, "//host3.example:") || strings.Contains(s.URL, "//host.example/")
	})
	v, want := index.NewView(ix, o, links), index.NewView(build(t, left), index.Overlay{}, links)
	compare(t, left, v, index.Overlay{}, 600)
	compareDetails(t, reg, v, want)
	compareFacets(t, v, want)
	if v.Len() != want.Len() {
		t.Errorf("Len = %d, want %d", v.Len(), want.Len())
	}
	back := v.WithOverlay(index.Overlay{})
	compare(t, reg, back, index.Overlay{}, 100)
}

// compareDetails compares the detail records and streams of two views, by all
// ids of reg.
func compareDetails(t *testing.T, reg *catalog.Register, got, want *index.View) {
	t.Helper()
	for i := range reg.Records {
		r := &reg.Records[i]
		a, okA := got.Channel(r.ID, i%5, rank.Caller{})
		b, okB := want.Channel(r.ID, i%5, rank.Caller{})
		if d := cmp.Diff(b, a); okA != okB || d != "" {
			t.Fatalf("channel %q: found %v, want %v (-want +got):\n%s", r.ID, okA, okB, d)
		}
		for _, s := range r.Streams {
			a, okA := got.Stream(s.ID.String())
			b, okB := want.Stream(s.ID.String())
			if okA != okB || okA && a.Stream != b.Stream {
				t.Fatalf("stream %v: found %v, want %v", s.ID, okA, okB)
			}
		}
	}
}

func compareFacets(t *testing.T, got, want *index.View) {
	t.Helper()
	for _, kind := range []string{"", "tv", "radio", "all"} {
		for name, lists := range map[string][2]any{
			"countries":    {want.Countries(kind, 2), got.Countries(kind, 2)},
			"languages":    {want.Languages(kind, 2), got.Languages(kind, 2)},
			"networks":     {want.Networks(kind), got.Networks(kind)},
			"qualities":    {want.Qualities(kind), got.Qualities(kind)},
			"subdivisions": {want.Subdivisions("BR", kind), got.Subdivisions("BR", kind)},
			"cities":       {want.Cities("", "BR-A", kind), got.Cities("", "BR-A", kind)},
			"tags":         {want.Tags("", 100), got.Tags("", 100)},
			"tags of BR":   {want.Tags("BR", 3), got.Tags("BR", 3)},
			"genres":       {want.Genres("", 2), got.Genres("", 2)},
			"genres of BR": {want.Genres("BR", 2), got.Genres("BR", 2)},
		} {
			if d := cmp.Diff(lists[0], lists[1]); d != "" {
				t.Errorf("%s of kind %q (-want +got):\n%s", name, kind, d)
			}
		}
	}
}

// TestHosts checks which hosts a block means.
func TestHosts(t *testing.T) {
	for _, c := range []struct {
		url, host string
		blocked   bool
	}{
		{"https://a.example/x", "a.example", true},
		{"https://a.example/x", "example", true},
		{"https://A.Example.:8443/x", "a.EXAMPLE.", true},
		{"https://a.example", "a.example", true},
		{"https://a.example?x=/b.example/", "b.example", false},
		{"https://ba.example/x", "a.example", false},
		{"https://a.example/x", "b.a.example", false},
		{"https://[2001:db8::1]:80/x", "2001:db8::1", true},
		{"https://[2001:DB8:0:0::1]:80/x", "2001:db8::1", true},
		{"https://bücher.example/x", "xn--bcher-kva.example", true},
		{"https://10.0.0.1/x", "10.0.0.1", true},
		{"https://a.example/x", "", false},
		{"rtmp://a.example/x", "a.example", true},
	} {
		ix := build(t, &catalog.Register{Records: []catalog.Record{{ID: "1", Name: "N", Streams: []catalog.StreamRecord{{ID: 9, URL: c.url, Playable: true}}}}})
		v := index.NewView(ix, index.Overlay{BlockedHosts: []string{c.host}}, links)
		if _, ok := v.Stream(catalog.StreamID(9).String()); ok == c.blocked {
			t.Errorf("a block of %q: %s is blocked = %v, want %v", c.host, c.url, !ok, c.blocked)
		}
		if _, total := v.Find(index.Query{Selection: filter.Selection{Playable: true}, Limit: 1}); (total == 0) != c.blocked {
			t.Errorf("a block of %q: %d playable channels with %s", c.host, total, c.url)
		}
	}
}

// TestDetail checks the parts of a detail record that search does not show,
// and that the others are those of search.
func TestDetail(t *testing.T) {
	id := func(n int) string { return catalog.StreamID(n).String() }
	p := func(s string) *string { return &s }
	stream := func(n int, url, kind string) catalog.StreamRecord {
		return catalog.StreamRecord{ID: catalog.StreamID(n), URL: url, Kind: kind, Origin: "o", Playable: n%2 == 1}
	}
	streams := []catalog.StreamRecord{
		stream(1, "https://a.example/1.m3u8", catalog.StreamHLS),
		stream(2, "HTTP://a.example/2.mp3", catalog.StreamAudio),
		stream(3, "rtmp://a.example/3", catalog.StreamExternal),
		stream(4, "https://www.youtube.com/watch?v=abcdefghijk", catalog.StreamYouTube),
		stream(5, "https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv/live", catalog.StreamYouTube),
	}
	streams[0].Referrer, streams[0].Label, streams[0].Quality, streams[0].Feed, streams[0].Title = "https://r.example/", "Geo-blocked", "720p", "HD", "T"
	ix := build(t, &catalog.Register{
		Records:        []catalog.Record{{ID: "A b.br", Name: "A b", Country: "BR", Streams: streams}},
		ChannelAliases: map[string]string{"older": "old", "old": "A b.br", "loop": "loop", "gone": "nowhere"},
		StreamAliases:  map[string]string{"A:0": id(1), "loop": "loop"},
	})
	v := index.NewView(ix, statuses(map[catalog.StreamID]string{1: "offline", 2: "online", 3: "blocked"}), links)
	hop := func(n int) string { return "https://hop.example/api/s/" + id(n) }
	want := []catalog.Stream{
		{ID: id(1), ProviderURL: p(streams[0].URL), Feed: p("HD"), Title: p("T"), URL: hop(1), PlayURL: p(hop(1) + ".m3u8"), Quality: p("720p"), NeedsHeaders: true,
			Label: p("Geo-blocked"), Scheme: "https", Kind: "hls", Origin: "o", HealthExt: &catalog.StreamHealth{Status: "offline"}},
		{ID: id(2), ProviderURL: p(streams[1].URL), LegacyURL: p("https://legacy.example/?stream=" + id(2)), URL: hop(2), PlayURL: p(streams[1].URL), Scheme: "http", Kind: "audio",
			PlayableHint: true, Origin: "o", HealthExt: &catalog.StreamHealth{Status: "online"}},
		{ID: id(3), URL: hop(3), Scheme: "https", Kind: "externo", PlayableHint: true, Origin: "o", HealthExt: &catalog.StreamHealth{Status: "blocked"}},
		{ID: id(4), ProviderURL: p(streams[3].URL), URL: hop(4), Scheme: "youtube", Kind: "youtube", Origin: "o", YouTube: &catalog.YouTube{Video: "abcdefghijk",
			Embed: "https://www.youtube-nocookie.com/embed/abcdefghijk", Watch: "https://www.youtube.com/watch?v=abcdefghijk"}},
		{ID: id(5), ProviderURL: p(streams[4].URL), URL: hop(5), Scheme: "youtube", Kind: "youtube", Origin: "o", PlayableHint: true, YouTube: &catalog.YouTube{
			Channel: "UCabcdefghijklmnopqrstuv", Embed: "https://www.youtube-nocookie.com/embed/live_stream?channel=UCabcdefghijklmnopqrstuv",
			Watch: "https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv/live"}},
	}
	full, ok := v.Channel("older", 0, rank.Caller{})
	if !ok {
		t.Fatal("an alias of an alias leads nowhere")
	}
	want = []catalog.Stream{want[1], want[4], want[3], want[2], want[0]} // measured good, not known, doubtful, bad
	if d := cmp.Diff(want, full.Streams); d != "" {
		t.Errorf("streams (-want +got):\n%s", d)
	}
	if d := cmp.Diff(catalog.Links{Self: "https://base.example/api/channels/A%20b.br", App: "https://base.example/c/A%20b.br", APIIndex: "https://base.example/api/"}, full.Links); d != "" {
		t.Errorf("links (-want +got):\n%s", d)
	}
	for _, unknown := range []string{"", "loop", "gone", "a B.br", "A b.br ", "\xff"} {
		if _, ok := v.Channel(unknown, 0, rank.Caller{}); ok {
			t.Errorf("found a channel %q", unknown)
		}
	}
	if f, ok := v.Stream("A:0"); !ok || f.Stream.ID != 1 || f.Channel.ID != "A b.br" {
		t.Errorf("the old stream id leads to %+v", f)
	}
	for _, unknown := range []string{"", "loop", "s_", id(77)} {
		if _, ok := v.Stream(unknown); ok {
			t.Errorf("found a stream %q", unknown)
		}
	}
}

// TestItems checks that search and detail show the same of a channel.
func TestItems(t *testing.T) {
	reg := indextest.Synthetic(22, 400)
	v := index.NewView(build(t, reg), indextest.Overlay(3, reg), links)
	for locale := range 5 {
		page, ok := decode(t, string(v.Search(index.Query{Selection: filter.Selection{Kind: "all"}, Limit: 500}, locale, nil))).(catalog.Page)
		if !ok || len(page.Items) != len(reg.Records) {
			t.Fatalf("a page of %d items, want %d", len(page.Items), len(reg.Records))
		}
		for i := range page.Items {
			item, _ := v.Item(page.Items[i].ID, locale)
			full, _ := v.Channel(page.Items[i].ID, locale, rank.Caller{})
			if d := cmp.Diff(&page.Items[i], item, cmpopts.EquateEmpty()) + cmp.Diff(item, &full.Channel); d != "" {
				t.Fatalf("%q in search and in detail (-search +detail):\n%s", page.Items[i].ID, d)
			}
		}
	}
}

// TestPaging walks searches page by page: every match comes once.
func TestPaging(t *testing.T) {
	reg := indextest.Synthetic(23, 900)
	v := index.NewView(build(t, reg), indextest.Overlay(3, reg), links)
	r := rand.New(rand.NewPCG(9, 9))
	for range 200 {
		q := indextest.Query(r, reg)
		q.Limit, q.Offset = 1000, 0
		q.Limit = 500
		all, total := v.Find(q)
		seen := []uint32{}
		q.Limit = 1 + r.IntN(50)
		for q.Offset = 0; q.Offset < total && len(seen) < len(all); q.Offset += q.Limit {
			docs, n := v.Find(q)
			if n != total {
				t.Fatalf("query %+v: total %d, at offset 0 it was %d", q, n, total)
			}
			seen = append(seen, docs...)
		}
		if d := cmp.Diff(all, seen[:min(len(seen), len(all))], cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("query %+v (-in one page +by pages):\n%s", q, d)
		}
		slices.Sort(seen)
		if len(slices.Compact(seen)) != len(seen) {
			t.Fatalf("query %+v: a match comes twice", q)
		}
	}
}

// TestConcurrent searches one view from many goroutines while others make
// views of the same index.
func TestConcurrent(t *testing.T) {
	reg := indextest.Synthetic(24, 600)
	ix := build(t, reg)
	v := index.NewView(ix, index.Overlay{}, links)
	r := rand.New(rand.NewPCG(5, 5))
	var queries []index.Query
	var want []string
	for range 60 {
		q := indextest.Query(r, reg)
		queries = append(queries, q)
		want = append(want, string(v.Search(q, 1, nil)))
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			mine := v
			if g%2 == 1 {
				mine = index.NewView(ix, index.Overlay{}, links)
			}
			for i, q := range queries {
				if got := string(mine.Search(q, 1, nil)); got != want[i] {
					t.Errorf("query %+v answers otherwise beside others", q)
				}
				mine.Channel(reg.Records[i].ID, 0, rank.Caller{})
				mine.Countries("all", i%5)
				mine.Tags("", 5)
			}
		})
	}
	wg.Wait()
}

// plain returns reg with ids as those of the sources are.
func plain(reg *catalog.Register) *catalog.Register {
	for i := range reg.Records {
		reg.Records[i].ID = fmt.Sprintf("Plain%d.br", i)
	}
	return reg
}

// TestAllocations bounds what a search allocates.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	reg := plain(indextest.Synthetic(25, 5000))
	for i := range reg.Records {
		reg.Records[i].FeedNames = nil // items that a search finds by a feed have a member that is allocated
	}
	ix, o := build(t, reg), indextest.Overlay(4, reg)
	o.Guides = func(yield func(channel, site string) bool) {
		for i := 0; i < len(reg.Records) && yield(reg.Records[i].ID, "guide.example"); i += 2 {
		}
	}
	v, measured := index.NewView(ix, index.Overlay{}, links), index.NewView(ix, o, links)
	buf := make([]byte, 0, 1<<20)
	for _, c := range []struct {
		q    index.Query
		most float64
	}{
		{index.Query{Selection: filter.Selection{Playable: true}, Limit: 20}, 0},
		{index.Query{Selection: filter.Selection{Kind: "all"}, Limit: 20, Offset: 2000}, 0},
		{index.Query{Selection: filter.Selection{Kind: "all", Country: "BR", Category: "news"}, Limit: 20}, 0},
		{index.Query{Selection: filter.Selection{Kind: "radio", Sort: "votes", Tag: "pop"}, Limit: 20}, 0},
		{index.Query{Selection: filter.Selection{Kind: "all", Language: "l01", Quality: "720p", Guide: true}, Limit: 20}, 0},
		{index.Query{Selection: filter.Selection{Kind: "all", Q: "globo n"}, Limit: 20}, 3},
		{index.Query{Selection: filter.Selection{Kind: "all", Q: "são p", Sort: "relevance"}, Limit: 20}, 3},
		{index.Query{Selection: filter.Selection{Kind: "all", Q: "r", Playable: true}, Limit: 20}, 3},
	} {
		if n := testing.AllocsPerRun(100, func() { buf = v.Search(c.q, 0, buf[:0]) }); n > c.most {
			t.Errorf("query %+v: %v allocations, want at most %v", c.q, n, c.most)
		}
		if n := testing.AllocsPerRun(100, func() { buf = measured.Search(c.q, 0, buf[:0]) }); n > c.most {
			t.Errorf("query %+v, measured: %v allocations, want at most %v", c.q, n, c.most)
		}
	}
}

// TestFallback checks what relevance finds when no name has the words.
func TestFallback(t *testing.T) {
	reg := &catalog.Register{}
	for i, name := range []string{"Globo News", "Television Central", "Rádio Nacional", "Россия", "Discovery Channel", "Canal Sur"} {
		reg.Records = append(reg.Records, catalog.Record{ID: fmt.Sprint(i), Name: name})
	}
	v := index.NewView(build(t, reg), index.Overlay{}, links)
	for _, c := range []struct{ q, want string }{
		{"globonews", "Globo News"},           // written as one
		{"tele vision", "Television Central"}, // parted
		{"globo nwes", "Globo News"},          // letters changed places
		{"televsion", "Television Central"},   // a letter missing
		{"nacionall", "Rádio Nacional"},       // a letter too many
		{"nacinoall", "Rádio Nacional"},       // two faults in a long word
		{"dlobo", "Globo News"},               // the first letter
		{"росия", "Россия"},                   // another script
		{"dlobo dlobo news", "Globo News"},    // a word said again is said once
		{"discvery chanel", "Discovery Channel"},
		{"zzzzzzzz", ""}, {"xyz", ""}, {"glx", ""},
	} {
		q := index.Query{Selection: filter.Selection{Q: c.q, Kind: "all", Sort: "relevance"}, Limit: 1}
		page, _ := decode(t, string(v.Search(q, 0, nil))).(catalog.Page)
		got := ""
		if len(page.Items) > 0 {
			got = page.Items[0].Name
		}
		if got != c.want {
			t.Errorf("%q found %q, want %q", c.q, got, c.want)
		}
		q.Sort = "name"
		if _, total := v.Find(q); total != 0 {
			t.Errorf("%q under the order of names found %d", c.q, total)
		}
	}
}

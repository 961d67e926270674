package index_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/catalog/rank"
)

// playRegister has one channel with two groups of streams, of which ids 1 to 3
// are one, and a station.
func playRegister() *catalog.Register {
	stream := func(n int, feed, origin, url, kind string) catalog.StreamRecord {
		return catalog.StreamRecord{ID: catalog.StreamID(n), URL: url, Kind: kind, Feed: feed, Origin: origin, Playable: true}
	}
	geo := stream(3, "SD", "up", "http://c.example/3.m3u8", "hls")
	geo.Label = "Geo-blocked"
	return &catalog.Register{
		Records: []catalog.Record{
			{ID: "A.br", Name: "A", Country: "BR", Website: "https://a.example/", Origin: "up", Streams: []catalog.StreamRecord{
				stream(1, "SD", "up", "https://a.example/1.m3u8", "hls"),
				stream(2, "SD", "up", "http://b.example/2.flv", "flv"),
				geo,
				stream(4, "HD", "up", "http://a.example/4.mpd", "dash"),
				stream(5, "", "other", "http://a.example/5.ts", "ts"),
				stream(6, "", "other", "http://a.example/6", "externo"),
				stream(7, "X", "other", "http://www.youtube.com/watch?v=abcdefghijk", "youtube"),
			}},
			{ID: "rb.1", Name: "R", Kind: catalog.Station, Origin: "rb", Radio: &catalog.Radio{Tags: []string{}}, Streams: []catalog.StreamRecord{
				stream(8, "", "rb", "http://r.example/", "audio"),
			}},
		},
		ChannelAliases: map[string]string{"Old.br": "A.br"},
		StreamAliases:  map[string]string{id(101): id(1), id(102): id(2), id(103): id(999), "up:A.br@SD:1": id(4)},
	}
}

func id(n int) string { return catalog.StreamID(n).String() }

// TestStream checks where the names of streams lead, with and without blocks.
func TestStream(t *testing.T) {
	ix := build(t, playRegister())
	blockOne := index.Overlay{BlockedStreams: []catalog.StreamID{1}}
	for _, test := range []struct {
		name    string
		overlay index.Overlay
		stream  string
		want    int // stream id; 0 for none
	}{
		{"an id", index.Overlay{}, id(1), 1},
		{"an alias", index.Overlay{}, id(101), 1},
		{"an alias of nothing", index.Overlay{}, id(103), 0},
		{"a blocked id", blockOne, id(1), 0},
		{"an alias of a blocked stream", blockOne, id(101), 0},
		{"a block of an alias", index.Overlay{BlockedStreams: []catalog.StreamID{101}}, id(1), 0},
		{"a position", index.Overlay{}, "up:A.br@SD:0", 1},
		{"a position that is an alias", index.Overlay{}, "up:A.br@SD:1", 4},
		{"the last of a group", index.Overlay{}, "up:A.br@SD:2", 3},
		{"a position of an old channel id", index.Overlay{}, "up:Old.br@SD:2", 3},
		{"one that is gone gives the best", index.Overlay{}, "up:A.br@SD:3", 1},
		{"one far away too", index.Overlay{}, "up:A.br@SD:99999", 1},
		{"one that is blocked gives the best of the others", blockOne, "up:A.br@SD:0", 2},
		{"the best is that of the measured", statuses(map[catalog.StreamID]string{3: "online"}), "up:A.br@SD:9", 3},
		{"without a feed", index.Overlay{}, "other:A.br:0", 5},
		{"another feed", index.Overlay{}, "up:A.br@HD:0", 4},
		{"no such feed", index.Overlay{}, "up:A.br@4K:0", 0},
		{"the feed is not left out", index.Overlay{}, "up:A.br:0", 0},
		{"another source", index.Overlay{}, "other:A.br@SD:0", 0},
		{"another channel", index.Overlay{}, "up:B.br@SD:0", 0},
		{"a station", index.Overlay{}, "rb:rb.1:0", 8},
		{"a blocked channel", index.Overlay{BlockedChannels: []string{"A.br"}}, "up:A.br@SD:0", 0},
		{"a blocked channel, by its old id", index.Overlay{BlockedChannels: []string{"Old.br"}}, "up:A.br@SD:0", 0},
		{"an id of a blocked channel", index.Overlay{BlockedChannels: []string{"A.br"}}, id(2), 0},
		{"all blocked by their host", index.Overlay{BlockedHosts: []string{"example"}}, "up:A.br@SD:0", 0},
		{"some blocked by their host", index.Overlay{BlockedHosts: []string{"a.example"}}, "up:A.br@SD:0", 2},
		{"not a number", index.Overlay{}, "up:A.br@SD:x", 0},
		{"nothing", index.Overlay{}, "", 0},
		{"a long one", index.Overlay{}, "up:" + strings.Repeat("A", 1<<20) + ":0", 0},
		{"not UTF-8", index.Overlay{}, "up:A.br@\xff:0", 0},
	} {
		f, ok := index.NewView(ix, test.overlay, links).Stream(test.stream)
		switch {
		case ok != (test.want != 0):
			t.Errorf("%s: found is %v", test.name, ok)
		case ok && f.Stream.ID != catalog.StreamID(test.want):
			t.Errorf("%s: found stream %d of %s, want %d", test.name, f.Stream.ID, f.Channel.ID, test.want)
		}
	}
}

// TestChannelOrder checks that a detail record lists streams as the caller
// should try them.
func TestChannelOrder(t *testing.T) {
	ix := build(t, playRegister())
	for _, test := range []struct {
		name    string
		overlay index.Overlay
		caller  rank.Caller
		want    []int
	}{
		{"nobody in particular", index.Overlay{}, rank.Caller{}, []int{1, 4, 2, 5, 7, 6, 3}},
		{"at home", index.Overlay{}, rank.Caller{Country: "BR"}, []int{1, 3, 4, 2, 5, 7, 6}},
		{"measured and blocked", index.Overlay{
			Streams:        statuses(map[catalog.StreamID]string{1: "offline", 5: "online"}).Streams,
			BlockedStreams: []catalog.StreamID{4, 7},
		}, rank.Caller{}, []int{5, 2, 6, 3, 1}},
	} {
		full, ok := index.NewView(ix, test.overlay, links).Channel("A.br", 0, test.caller)
		if !ok {
			t.Fatal("no channel")
		}
		var got, want []string
		for _, s := range full.Streams {
			got = append(got, s.ID)
		}
		for _, n := range test.want {
			want = append(want, id(n))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, d)
		}
	}
}

// TestStreamed checks which channels are said to have a stream: those of which
// not all are blocked.
func TestStreamed(t *testing.T) {
	r := playRegister()
	r.Records = append(r.Records, catalog.Record{ID: "None.br", Name: "None"})
	for _, test := range []struct {
		blocked []catalog.StreamID
		want    map[string]bool
	}{
		{nil, map[string]bool{"A.br": true, "rb.1": true, "None.br": false}},
		{[]catalog.StreamID{1, 2, 3, 4, 5, 6, 8}, map[string]bool{"A.br": true, "rb.1": false, "None.br": false}},
	} {
		v := index.NewView(build(t, r), index.Overlay{BlockedStreams: test.blocked}, links)
		got := map[string]bool{}
		for _, doc := range v.Matches(index.Query{Selection: filter.Selection{Kind: "all"}}) {
			got[v.ID(doc)] = v.Streamed(doc)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%v are blocked (-want +got):\n%s", test.blocked, diff)
		}
	}
}

// TestLegacy checks which streams the isolated player gets.
func TestLegacy(t *testing.T) {
	v := index.NewView(build(t, playRegister()), index.Overlay{BlockedStreams: []catalog.StreamID{5}}, links)
	site := "https://a.example/"
	want := &catalog.Legacy{
		ID: id(2), Name: "A", Kind: "flv", URL: "https://hop.example/api/s/" + id(2), ProviderURL: "http://b.example/2.flv",
		Website: &site, LegacyURL: "https://legacy.example/?stream=" + id(2),
	}
	for _, name := range []string{id(2), id(102)} {
		if got, ok := v.Legacy(name); !ok || cmp.Diff(want, got) != "" {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want, got))
		}
	}
	if got, ok := v.Legacy(id(8)); !ok || !got.Radio || got.Website != nil || got.Kind != "audio" {
		t.Errorf("the station is %+v", got)
	}
	for name, n := range map[string]int{"secure": 1, "blocked": 5, "external": 6, "of the platform": 7, "unknown": 77} {
		if got, ok := v.Legacy(id(n)); ok {
			t.Errorf("a stream that is %s is %+v", name, got)
		}
	}
}

// FuzzStream checks that no name reaches a blocked stream or a blocked
// channel.
func FuzzStream(f *testing.F) {
	ix := build(f, playRegister())
	v := index.NewView(ix, index.Overlay{BlockedStreams: []catalog.StreamID{1, 4}, BlockedChannels: []string{"rb.1"}}, links)
	for _, s := range []string{id(1), id(2), id(101), "up:A.br@SD:0", "up:A.br@SD:9", "other:A.br:0", "up:Old.br@HD:0", "rb:rb.1:0", "s_", "::", "up:A.br@\xff:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		found, ok := v.Stream(name)
		if ok && (found.Stream.ID == 1 || found.Stream.ID == 4 || found.Channel.ID != "A.br") {
			t.Errorf("%q leads to stream %d of %s", name, found.Stream.ID, found.Channel.ID)
		}
		if _, shown := v.Legacy(name); shown && !ok {
			t.Errorf("%q is listed, and does not exist", name)
		}
	})
}

// BenchmarkDetail shows channels, and finds streams by either kind of name.
func BenchmarkDetail(b *testing.B) {
	reg := indextest.Synthetic(34, 20_000)
	v := index.NewView(build(b, reg), index.Overlay{}, links)
	var streams, positions []string
	for i := range reg.Records {
		r := &reg.Records[i]
		if len(r.Streams) > 0 {
			s := &r.Streams[0]
			streams = append(streams, s.ID.String())
			positions = append(positions, catalog.Position{Origin: s.Origin, Channel: r.ID, Feed: s.Feed}.String())
		}
	}
	caller := rank.Caller{Country: "BR", Now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
	b.Run("channel", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			v.Channel(reg.Records[i%len(reg.Records)].ID, 0, caller)
		}
	})
	for name, list := range map[string][]string{"stream": streams, "position": positions} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				v.Stream(list[i%len(list)])
			}
		})
	}
}

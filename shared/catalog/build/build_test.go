package build

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/clean"
	"miramundo.dev/shared/source"
)

var now = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

func TestClosed(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, "2026-03-15": true, "2026-03-16": false, "2020": true, "2027": false, "2026-03": true, "soon": false,
	} {
		if got := closed(in, now); got != want {
			t.Errorf("closed(%q) = %v, want %v", in, got, want)
		}
	}
}

func TestStreamKind(t *testing.T) {
	for _, test := range []struct {
		url, want string
		ok        bool
	}{
		{"https://a.example/live/index.m3u8?x=1", "hls", true},
		{"http://a.example:8080/LIVE.M3U8", "hls", true},
		{"https://a.example/manifest.mpd", "dash", true},
		{"http://a.example/1.ts", "ts", true},
		{"http://a.example/1.flv", "flv", true},
		{"http://a.example/radio.mp3", "audio", true},
		{"http://a.example/play.php?id=1", "hls", true},
		{"rtmp://a.example/live", "externo", true},
		{"mmsh://a.example/live", "externo", true},
		{"https://www.youtube.com/watch?v=abcdefghijk", "youtube", true},
		{"https://youtu.be/abcdefghijk", "youtube", true},
		{"https://www.youtube.com/channel/UC1234567890123456789012/live", "youtube", true},
		{"https://www.youtube.com/@handle/live", "hls", true},
		{"HTTPS://A.example/x.m3u8", "hls", true},
		{"http://user:pass@a.example/x.m3u8", "", false},
		{"file:///etc/passwd", "", false},
		{"javascript:alert(1)", "", false},
		{"https://a.example/with space.m3u8", "", false},
		{"https://a.example/\nx.m3u8", "", false},
		{"https:///nohost.m3u8", "", false},
		{"//a.example/x.m3u8", "", false},
		{"https://a.example/" + strings.Repeat("x", clean.MaxURL), "", false},
	} {
		got, ok := streamKind(test.url, "hls")
		if got != test.want || ok != test.ok {
			t.Errorf("streamKind(%.60q) = %q, %v, want %q, %v", test.url, got, ok, test.want, test.ok)
		}
	}
}

// TestChannels checks what a channel becomes, and which are left out.
func TestChannels(t *testing.T) {
	ds := &source.Dataset{
		Channels: []source.Channel{
			{
				ID: "One.uk", Name: "One", AltNames: []string{"Uno", " Uno "}, Network: "Net", Owners: []string{"Owner"}, Country: "UK",
				Categories: []string{"news"}, Launched: "1990-01-02", ReplacedBy: "Two.uk", Website: "https://one.example/",
			},
			{ID: "Adult.us", Name: "Adult", NSFW: true},
			{ID: "Listed.us", Name: "Listed"},
			{ID: "Past.us", Name: "Past", Closed: "2020-01-01"},
			{ID: "Today.us", Name: "Today", Closed: "2026-03-15"},
			{ID: "Future.us", Name: "Future", Closed: "2030-01-01"},
			{ID: "One.uk", Name: "Twin"},
			{ID: "a/b", Name: "Path"},
			{ID: "Nameless.us", Name: " "},
		},
		Blocklist: []source.Block{{Channel: "Listed.us", Reason: "dmca"}},
		Feeds: []source.Feed{
			{Channel: "One.uk", ID: "North", Name: "North", Languages: []string{"gla"}, BroadcastArea: []string{"c/UK"}},
			{
				Channel: "One.uk", ID: "South", Name: "South", Main: true, AltNames: []string{"Sud"}, Languages: []string{"eng"},
				BroadcastArea: []string{"c/UK", "ct/GBLON"}, Timezones: []string{"Europe/London"}, Format: "576i",
			},
		},
		Cities: []source.City{{Country: "UK", Subdivision: "GB-LND", Code: "GBLON", Name: "London"}},
		Guides: []source.Guide{
			{Channel: "One.uk", Feed: "North", Site: "a.example", Lang: "en"},
			{Channel: "One.uk", Feed: "South", Site: "c.example", Lang: "fr"},
			{Channel: "One.uk", Feed: "South", Site: "b.example", Lang: "en"},
		},
		Streams: []source.Stream{
			{Channel: "One.uk", Feed: "South", URL: "http://a.example/1.m3u8", Quality: "720p", Referrer: "https://r.example/"},
			{Channel: "One.uk", Feed: "South", URL: "https://a.example/2.m3u8", Quality: "1080p", Labels: []string{"Geo-blocked"}},
			{Channel: "One.uk", Feed: "South", URL: "https://a.example/3.m3u8", Quality: "480p"},
			{Channel: "One.uk", Feed: "South", URL: "https://A.example:443/3.m3u8", Quality: "480p"},
			{Channel: "One.uk", URL: "javascript:alert(1)"},
			{Channel: "Past.us", URL: "https://a.example/4.m3u8"},
			{URL: "https://a.example/5.m3u8"},
		},
		Logos: []source.Logo{
			{Channel: "One.uk", Width: 0, Height: 0, Format: "PNG", URL: "https://l.example/zero.png"},
			{Channel: "One.uk", Width: 500, Height: 500, Format: "PNG", URL: "https://l.example/old.png"},
			{Channel: "One.uk", InUse: true, Width: 900, Height: 900, Format: "SVG", URL: "https://l.example/new.svg"},
			{Channel: "One.uk", InUse: true, Width: 900, Height: 900, Format: "PNG", URL: "https://l.example/new.png"},
		},
	}
	reg, rep := Register(ds, nil, now)
	if got, want := ids(reg.Records), []string{"Future.us", "One.uk"}; !slices.Equal(got, want) {
		t.Fatalf("channels %q, want %q", got, want)
	}
	wantOut := map[string]int{
		"nsfw": 1, "blocklist": 1, "closed": 2, "duplicate": 1, "invalid": 2, "no_channel": 2,
		"stream_invalid": 1, "stream_duplicate": 1, "station_duplicate": 0,
	}
	if d := cmp.Diff(wantOut, rep.LeftOut); d != "" {
		t.Errorf("left out (-want +got):\n%s", d)
	}
	got := reg.Records[slices.IndexFunc(reg.Records, func(r catalog.Record) bool { return r.ID == "One.uk" })]
	var urls []string
	for i := range got.Streams {
		urls = append(urls, got.Streams[i].URL)
	}
	if want := []string{"https://a.example/3.m3u8", "http://a.example/1.m3u8", "https://a.example/2.m3u8"}; !slices.Equal(urls, want) {
		t.Errorf("streams %q, want %q", urls, want)
	}
	got.Streams = nil
	want := catalog.Record{
		ID: "One.uk", Kind: catalog.TV, Name: "One", AltNames: []string{"Uno"}, FeedNames: []catalog.FeedName{{Name: "Sud"}, {Feed: "South", Name: "South"}, {Feed: "North", Name: "North"}}, GuideSites: 3, Country: "GB",
		Categories: []string{"news"}, Languages: []string{"eng", "gla"}, Website: "https://one.example/", Network: "Net",
		Owners: []string{"Owner"}, Launched: "1990-01-02", ReplacedBy: "Two.uk", FeedName: "South", FeedFormat: "576i",
		Timezones: []string{"Europe/London"}, BroadcastArea: []string{"c/UK", "ct/GBLON"}, Quality: "1080p",
		GuideSite: "b.example", GuideLang: "en", HasGuide: true, Subdivision: "GB-LND", City: "GBLON",
		Origin: "iptv-org", LogoSource: "https://l.example/new.png",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("One.uk (-want +got):\n%s", d)
	}
}

func ids(records []catalog.Record) []string {
	var out []string
	for i := range records {
		out = append(out, records[i].ID)
	}
	slices.Sort(out)
	return out
}

func uuid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// TestStations checks what a station becomes and which are one and the same.
func TestStations(t *testing.T) {
	lat, lon, far := 52.5, 13.4, 200.0
	rows := []source.Station{
		{
			UUID: uuid(1), Name: " Radio Eins ", URL: "https://s.example/eins", Homepage: "https://www.eins.example/", CountryCode: "de",
			Tags: []string{"Pop", "pop", "rock"}, Languages: []string{"german"}, LanguageCodes: []string{"de"}, Votes: 7, Clicks: 3,
			Codec: "mp3", Bitrate: 128, LastCheckOK: true, Latitude: &lat, Longitude: &lon, Favicon: "data:image/png;base64,xx",
		},
		{UUID: uuid(2), Name: "Radio Eins", URL: "https://S.example:443/eins", CountryCode: "DE", Votes: 9},                                                                           // same address
		{UUID: uuid(3), Name: "radio eins", URL: "https://s.example/eins.aac", Homepage: "http://eins.example/x", CountryCode: "DE", Codec: "AAC", Bitrate: 64000, LastCheckOK: true}, // same station
		{UUID: uuid(4), Name: "Radio Eins", URL: "https://t.example/eins", Homepage: "https://eins.example/", CountryCode: "AT", LastCheckOK: true, Latitude: &far, Longitude: &lon, Codec: "UNKNOWN"},
		{UUID: uuid(5), Name: "List", URL: "https://s.example/list.pls", URLResolved: "https://s.example/list", LastCheckOK: true},
		{UUID: uuid(6), Name: "Direct", URL: "https://s.example/direct", URLResolved: "https://s.example/direct?token=old", HLS: true},
		{UUID: uuid(7), Name: "", URL: "https://s.example/7"},
		{UUID: "no-uuid", Name: "X", URL: "https://s.example/8"},
		{UUID: uuid(9), Name: "File", URL: "file:///etc/passwd"},
	}
	rep := &Report{LeftOut: map[string]int{}}
	records, merged := mergeStations(&source.Dataset{Stations: rows}, nil, rep)
	if d := cmp.Diff(map[string]string{"rb." + uuid(2): "rb." + uuid(1), "rb." + uuid(3): "rb." + uuid(1)}, merged); d != "" {
		t.Errorf("merged (-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[string]int{"station_invalid": 3, "station_duplicate": 2}, rep.LeftOut); d != "" {
		t.Errorf("left out (-want +got):\n%s", d)
	}
	byID := map[string]catalog.Record{}
	for _, r := range records {
		byID[r.ID] = r
	}
	codec, rate := "MP3", 128
	want := catalog.Record{
		ID: "rb." + uuid(1), Kind: catalog.Station, Name: "Radio Eins", Country: "DE", Languages: []string{"deu"},
		Website: "https://www.eins.example/", Origin: "radio-browser",
		Radio: &catalog.Radio{Tags: []string{"pop", "rock"}, Votes: 9, Clicks: 3, Codec: &codec, Bitrate: &rate, Geo: &catalog.Geo{Lat: lat, Lon: lon}},
		Streams: []catalog.StreamRecord{
			{URL: "https://s.example/eins", Label: "MP3 128 kbps", Kind: "audio", Origin: "radio-browser", Playable: true},
			{URL: "https://s.example/eins.aac", Label: "AAC 64 kbps", Kind: "audio", Origin: "radio-browser", Playable: true},
		},
	}
	if d := cmp.Diff(want, byID["rb."+uuid(1)]); d != "" {
		t.Errorf("station (-want +got):\n%s", d)
	}
	if r := byID["rb."+uuid(4)].Radio; r.Geo != nil || r.Codec != nil || r.Bitrate != nil {
		t.Errorf("an invalid station was kept: %+v", r)
	}
	if got := byID["rb."+uuid(5)].Streams[0].URL; got != "https://s.example/list" {
		t.Errorf("the stream of a playlist is %q, want its resolved address", got)
	}
	if s := byID["rb."+uuid(6)].Streams[0]; s.URL != "https://s.example/direct" || s.Kind != "hls" || s.Playable {
		t.Errorf("direct stream = %+v", s)
	}
}

// TestStationPlace checks where a station is, by code or in words.
func TestStationPlace(t *testing.T) {
	ds := &source.Dataset{Subdivisions: []source.Subdivision{{Country: "DE", Code: "DE-BY", Name: "Bayern"}, {Country: "DE", Code: "DE-NW", Name: "Nordrhein-Westfalen"}}}
	for _, test := range []struct{ country, code, state, want string }{
		{"DE", "de-by", "", "DE-BY"}, {"DE", "DE-BY", "NRW", "DE-BY"}, {"DE", "", "Bavaria", "DE-BY"}, {"DE", "", " NRW ", "DE-NW"},
		{"DE", "AT-5", "Bayern", "DE-BY"}, {"AT", "DE-BY", "Bayern", ""}, {"", "", "Bayern", ""}, {"DE", "", "", ""}, {"DE", "Bayern", "", ""},
	} {
		row := listed(1, "Nova", test.country, "https://s.example/x", "", 0)
		row.Subdivision, row.State = test.code, test.state
		ds.Stations = []source.Station{row}
		reg, _ := Register(ds, nil, now)
		if got := reg.Records[0].Subdivision; got != test.want {
			t.Errorf("%q with code %q and state %q is in %q, want %q", test.country, test.code, test.state, got, test.want)
		}
	}
}

// TestStationLists checks the languages and tags of a station.
func TestStationLists(t *testing.T) {
	for _, test := range []struct {
		codes, names []string
		want         string
	}{
		{[]string{"de", "deu", "en"}, []string{"french"}, "deu eng"},
		{nil, []string{"german"}, "deu"},
		{[]string{"xx"}, []string{"brazilian portuguese", "american english"}, "por eng"},
		{nil, []string{"english/russian", "russian"}, "eng rus"},
		{[]string{"portuguese"}, nil, "por"},
		{nil, []string{"pop music"}, ""},
	} {
		row := source.Station{LanguageCodes: test.codes, Languages: test.names}
		if got := strings.Join(languages(&row), " "); got != test.want {
			t.Errorf("languages of %q and %q are %q, want %q", test.codes, test.names, got, test.want)
		}
	}
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("Tag %d", i))
	}
	if got := tags(many); len(got) != 60 || got[59] != "tag 59" {
		t.Errorf("of 100 tags %d are kept, want the first 60", len(got))
	}
}

func streamsOf(reg *catalog.Register, channel string) map[string]string {
	out := map[string]string{}
	for i := range reg.Records {
		if reg.Records[i].ID == channel {
			for _, s := range reg.Records[i].Streams {
				out[s.URL] = s.ID.String()
			}
		}
	}
	return out
}

// TestStreamIDs follows streams through reloads.
func TestStreamIDs(t *testing.T) {
	load := func(prev *catalog.Register, streams ...source.Stream) *catalog.Register {
		ds := &source.Dataset{Channels: []source.Channel{{ID: "A.br", Name: "A"}, {ID: "B.br", Name: "B"}}, Streams: streams}
		reg, _ := Register(ds, prev, now)
		return reg
	}
	at := func(channel, feed, path string) source.Stream {
		return source.Stream{Channel: channel, Feed: feed, URL: "https://x.example/" + path}
	}
	first := load(nil, at("A.br", "SD", "1"), at("A.br", "SD", "2"), at("A.br", "HD", "3"), at("B.br", "SD", "4"))
	a1 := streamsOf(first, "A.br")

	t.Run("order does not matter", func(t *testing.T) {
		again := load(nil, at("B.br", "SD", "4"), at("A.br", "HD", "3"), at("A.br", "SD", "2"), at("A.br", "SD", "1"))
		if d := cmp.Diff(a1, streamsOf(again, "A.br")); d != "" {
			t.Errorf("ids differ (-first +again):\n%s", d)
		}
	})
	second := load(first, at("A.br", "SD", "2"), at("A.br", "SD", "new"), at("B.br", "SD", "4"), at("B.br", "SD", "5"))
	a2 := streamsOf(second, "A.br")
	t.Run("a new address takes over the id", func(t *testing.T) {
		want := map[string]string{"https://x.example/2": a1["https://x.example/2"], "https://x.example/new": a1["https://x.example/1"]}
		if d := cmp.Diff(want, a2); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
	t.Run("a group that is gone leaves no alias", func(t *testing.T) {
		if to, ok := second.StreamAliases[a1["https://x.example/3"]]; ok {
			t.Errorf("HD is an alias of %s, of another feed", to)
		}
	})
	third := load(second, at("A.br", "SD", "2"), at("B.br", "SD", "4"))
	t.Run("a vanished stream leads to its group", func(t *testing.T) {
		gone, kept := a2["https://x.example/new"], a2["https://x.example/2"]
		if third.StreamAliases[gone] != kept {
			t.Errorf("%s is an alias of %q, want %s", gone, third.StreamAliases[gone], kept)
		}
		fourth := load(third, at("A.br", "SD", "2"))
		if fourth.StreamAliases[gone] != kept {
			t.Errorf("after another reload %s is an alias of %q, want %s", gone, fourth.StreamAliases[gone], kept)
		}
	})
	t.Run("an address that comes back does not steal an id", func(t *testing.T) {
		back := load(second, at("A.br", "SD", "2"), at("A.br", "SD", "new"), at("A.br", "SD", "1"))
		got := streamsOf(back, "A.br")
		if got["https://x.example/new"] != a2["https://x.example/new"] || got["https://x.example/1"] == got["https://x.example/new"] {
			t.Errorf("ids = %v, before %v", got, a2)
		}
	})
}

// TestStreamIDsHold reloads random changes and checks what must hold of ids.
func TestStreamIDsHold(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var prev *catalog.Register
	for round := range 40 {
		ds := &source.Dataset{Channels: []source.Channel{{ID: "A.br", Name: "A"}, {ID: "B.br", Name: "B"}}}
		for range rnd.IntN(30) {
			ds.Streams = append(ds.Streams, source.Stream{
				Channel: []string{"A.br", "B.br"}[rnd.IntN(2)], Feed: []string{"SD", "HD"}[rnd.IntN(2)],
				URL: fmt.Sprintf("https://x.example/%d", rnd.IntN(20)),
			})
		}
		reg, _ := Register(ds, prev, now)
		checkIDs(t, round, prev, reg)
		prev = reg
	}
}

func checkIDs(t *testing.T, round int, prev, reg *catalog.Register) {
	t.Helper()
	have := map[string]string{} // id to group and URL
	for _, r := range reg.Records {
		for _, s := range r.Streams {
			if other, ok := have[s.ID.String()]; ok {
				t.Fatalf("round %d: %s and %s have one id", round, other, s.URL)
			}
			have[s.ID.String()] = r.ID + s.Feed + s.URL
		}
	}
	for from, to := range reg.StreamAliases {
		if _, ok := have[to]; !ok {
			t.Errorf("round %d: the target of alias %s, %s, does not exist", round, from, to)
		}
		if _, ok := have[from]; ok {
			t.Errorf("round %d: %s is a stream and an alias", round, from)
		}
	}
	if prev == nil {
		return
	}
	for _, r := range prev.Records {
		for _, s := range r.Streams {
			for id, place := range have {
				if place == r.ID+s.Feed+s.URL && id != s.ID.String() {
					t.Errorf("round %d: %s lost its id", round, place)
				}
			}
		}
	}
}

// TestRenamed checks that a channel is found under the id it had.
func TestRenamed(t *testing.T) {
	load := func(prev *catalog.Register, id string, more ...source.Channel) *catalog.Register {
		ds := &source.Dataset{
			Channels: append([]source.Channel{{ID: id, Name: "Same"}}, more...),
			Streams:  []source.Stream{{Channel: id, Feed: "SD", URL: "https://x.example/1"}},
		}
		reg, _ := Register(ds, prev, now)
		return reg
	}
	first := load(nil, "Old.br")
	second := load(first, "New.br")
	if got := second.ChannelAliases["Old.br"]; got != "New.br" {
		t.Errorf("Old.br is an alias of %q, want New.br", got)
	}
	if d := cmp.Diff(streamsOf(first, "Old.br"), streamsOf(second, "New.br")); d != "" {
		t.Errorf("the stream's id changed with the channel's (-old +new):\n%s", d)
	}
	third := load(second, "Newest.br")
	if third.ChannelAliases["Old.br"] != "Newest.br" || third.ChannelAliases["New.br"] != "Newest.br" {
		t.Errorf("aliases = %v, want all to Newest.br", third.ChannelAliases)
	}
	closed := load(first, "New.br", source.Channel{ID: "Old.br", Name: "Same", Closed: "2020-01-01"})
	if to, ok := closed.ChannelAliases["Old.br"]; ok {
		t.Errorf("a closed channel is an alias of %s, want no alias", to)
	}
}

// TestVocabulary checks that only words in use are kept, in five languages.
func TestVocabulary(t *testing.T) {
	ds := &source.Dataset{
		Channels:     []source.Channel{{ID: "A.br", Name: "A", Country: "BR"}},
		Feeds:        []source.Feed{{Channel: "A.br", ID: "SD", Main: true, Languages: []string{"por", "xxq"}, BroadcastArea: []string{"s/BR-SP"}}},
		Categories:   []source.Category{{ID: "news", Name: "News"}, {ID: "odd", Name: "Oddities", Description: "As the source says"}},
		Languages:    []source.Language{{Code: "por", Name: "Portuguese"}, {Code: "xxq", Name: "Quux"}, {Code: "aaa", Name: "Ghotuo"}},
		Countries:    []source.Country{{Code: "BR", Name: "Brazil"}, {Code: "UK", Name: "United Kingdom"}},
		Subdivisions: []source.Subdivision{{Country: "BR", Code: "BR-SP", Name: "São Paulo"}, {Country: "BR", Code: "BR-RJ", Name: "Rio"}},
	}
	reg, _ := Register(ds, nil, now)
	if len(reg.Languages) != 2 || reg.Languages[1].Name != (catalog.Labels{"Quux", "Quux", "Quux", "Quux", "Quux"}) {
		t.Errorf("languages = %+v", reg.Languages)
	}
	if len(reg.Countries) != 1 || reg.Countries[0].Name[0] != "Brasil" || reg.Countries[0].Name[1] != "Brazil" {
		t.Errorf("countries = %+v", reg.Countries)
	}
	if len(reg.Subdivisions) != 1 || reg.Subdivisions[0].Name != "São Paulo" {
		t.Errorf("subdivisions = %+v", reg.Subdivisions)
	}
	if len(reg.Categories) != 2 || reg.Categories[0].Icon == "" || reg.Categories[0].Name[0] != "Notícias" || reg.Categories[1].Description[3] != "As the source says" {
		t.Errorf("categories = %+v", reg.Categories)
	}
}

package index_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

// rated returns a register of channels that differ in how many guides list them.
// Their names are in the opposite order.
func rated() *catalog.Register {
	reg := &catalog.Register{}
	for i, c := range []struct {
		name   string
		guides int
	}{{"Well known", 30}, {"Known", 8}, {"Heard of", 2}, {"00s Replay", 0}} {
		reg.Records = append(reg.Records, catalog.Record{
			ID: c.name, Name: c.name, Country: []string{"BR", "PT"}[i%2], GuideSites: c.guides, Origin: "up", Streams: []catalog.StreamRecord{
				{ID: catalog.StreamID(i + 1), URL: "https://a.example/1.m3u8", Kind: "hls", Origin: "up", Playable: true},
			},
		})
	}
	return reg
}

// TestRatings checks the orders that ratings decide, by what was measured and
// counted since the release.
func TestRatings(t *testing.T) {
	ix := build(t, rated())
	online := func(score int) *catalog.Measurement { return measurement("online", score, since.Add(time.Hour), "") }
	offline := measurement("offline", 0, time.Time{}, "")
	type streams = map[catalog.StreamID]*catalog.Measurement
	for _, test := range []struct {
		name    string
		sort    string
		near    string
		streams streams
		uses    map[string]index.Use
		want    []string
	}{
		{name: "popular", sort: "popular", want: []string{"Well known", "Known", "Heard of", "00s Replay"}},
		{name: "popular, in Portugal", sort: "popular", near: "PT", want: []string{"Known", "00s Replay", "Well known", "Heard of"}},
		{name: "popular, measured offline", sort: "popular", streams: streams{1: offline},
			want: []string{"Known", "Heard of", "Well known", "00s Replay"}},
		{name: "popular, a better score decides little", sort: "popular", streams: streams{1: online(60), 2: online(60), 3: online(100), 4: online(100)},
			want: []string{"Well known", "Known", "Heard of", "00s Replay"}},
		{name: "popular, used", sort: "popular", uses: map[string]index.Use{"Heard of": {Plays: 500, Favorites: 40}},
			want: []string{"Well known", "Heard of", "Known", "00s Replay"}},
		{name: "popular, boosted", sort: "popular", uses: map[string]index.Use{"00s Replay": {Plays: 1 << 40, Favorites: 1 << 40}},
			want: []string{"Well known", "Known", "00s Replay", "Heard of"}},
		{name: "popular, plays of an unknown channel", sort: "popular", uses: map[string]index.Use{"Nowhere": {Plays: 500}},
			want: []string{"Well known", "Known", "Heard of", "00s Replay"}},
		{name: "score, nothing measured", sort: "score", want: []string{"Well known", "Known", "Heard of", "00s Replay"}},
		{name: "score, ties", sort: "score", streams: streams{1: online(90), 2: online(100), 3: online(100), 4: online(100)},
			want: []string{"Known", "Heard of", "00s Replay", "Well known"}},
		{name: "score, ties that are used", sort: "score", streams: streams{2: online(100), 3: online(100)}, uses: map[string]index.Use{"Heard of": {Plays: 500, Favorites: 40}},
			want: []string{"Heard of", "Known", "Well known", "00s Replay"}},
	} {
		v := index.NewView(ix, index.Overlay{Streams: maps.All(test.streams), OnlineSince: since, Uses: maps.All(test.uses)}, links)
		var got []string
		for _, doc := range v.Matches(index.Query{Selection: filter.Selection{Sort: test.sort}, Home: test.near}) {
			got = append(got, v.ID(doc))
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, d)
		}
	}
}

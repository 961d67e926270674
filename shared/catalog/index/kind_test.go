package index_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
)

// TestMeasuredKind has streams that were measured to be something else than their
// addresses promise: their records, entries and metadata show what they are.
func TestMeasuredKind(t *testing.T) {
	p := func(s string) *string { return &s }
	streams := []catalog.StreamRecord{
		{ID: 1, URL: "https://a.example/1.m3u8", Kind: catalog.StreamHLS, Playable: true},
		{ID: 2, URL: "http://a.example/2.m3u8", Kind: catalog.StreamHLS, Playable: true},
		{ID: 3, URL: "http://a.example/3", Kind: catalog.StreamAudio, Playable: true},
	}
	var records []catalog.Record
	for _, s := range streams {
		records = append(records, catalog.Record{ID: s.ID.String(), Name: "N", Streams: []catalog.StreamRecord{s}})
	}
	measured := map[catalog.StreamID]*catalog.Measurement{}
	for id, kind := range map[catalog.StreamID]string{1: catalog.StreamDASH, 2: catalog.StreamAudio, 3: catalog.StreamHLS} {
		measured[id] = &catalog.Measurement{Health: catalog.StreamHealth{Status: "online"}, Kind: kind}
	}
	v := index.NewView(build(t, &catalog.Register{Records: records}), index.Overlay{Streams: maps.All(measured)}, links)
	hop := func(s catalog.StreamRecord) string { return "https://hop.example/api/s/" + s.ID.String() }
	type shown struct {
		Kind, Listed  string
		Play, Legacy  *string
		EntryKind     string
		LegacyKind    string
		ListedChannel string
	}
	for i, want := range []shown{
		{catalog.StreamDASH, catalog.StreamHLS, p(hop(streams[0])), nil, catalog.StreamDASH, "", catalog.StreamDASH},
		{catalog.StreamAudio, catalog.StreamHLS, p(streams[1].URL), p("https://legacy.example/?stream=" + streams[1].ID.String()), catalog.StreamAudio, catalog.StreamAudio, catalog.StreamAudio},
		{catalog.StreamHLS, catalog.StreamAudio, p(hop(streams[2]) + ".m3u8"), p("https://legacy.example/?stream=" + streams[2].ID.String()), catalog.StreamHLS, catalog.StreamHLS, catalog.StreamHLS},
	} {
		id := streams[i].ID.String()
		full, _ := v.Channel(id, 0, rank.Caller{})
		entry, _ := v.Entries(0, rank.Caller{}).Of(id, "")
		found, _ := v.Stream(id)
		got := shown{Kind: full.Streams[0].Kind, Listed: found.Listed, Play: full.Streams[0].PlayURL, Legacy: full.Streams[0].LegacyURL, EntryKind: entry.Stream.Kind, ListedChannel: found.Channel.Streams[0].Kind}
		if legacy, ok := v.Legacy(id); ok {
			got.LegacyKind = legacy.Kind
		}
		if d := cmp.Diff(want, got); d != "" || found.Stream.Kind != want.Kind {
			t.Errorf("%s (-want +got):\n%s", streams[i].URL, d)
		}
	}
}

package index_test

import (
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// TestFingerprint checks that views of the same state have the same fingerprint, in
// whatever order the parts of their overlays come, and that every part changes it.
func TestFingerprint(t *testing.T) {
	register := func() *catalog.Register {
		reg := &catalog.Register{}
		for i, id := range []string{"A.br", "B.br"} {
			reg.Records = append(reg.Records, catalog.Record{ID: id, Name: id, Country: "BR", Streams: []catalog.StreamRecord{
				{ID: catalog.StreamID(i + 1), URL: "https://a.example/" + id + ".m3u8", Kind: catalog.StreamHLS, Origin: "o", Playable: true},
			}})
		}
		return reg
	}
	measured := func(score int, at string) index.Overlay {
		m := &catalog.Measurement{Health: catalog.StreamHealth{Status: "online", Score: &score, CheckedAt: &at}, OnlineAt: time.Unix(1e9, 0)}
		return index.Overlay{Streams: func(yield func(catalog.StreamID, *catalog.Measurement) bool) { yield(1, m) }}
	}
	pairs := func(list ...string) func(func(string, string) bool) {
		return func(yield func(string, string) bool) {
			for i := 0; i < len(list) && yield(list[i], list[i+1]); i += 2 {
			}
		}
	}
	used := func(n int) index.Overlay {
		return index.Overlay{Uses: func(yield func(string, index.Use) bool) { yield("A.br", index.Use{Plays: n}) }}
	}
	since := measured(90, "2026-11-22T10:00:00Z")
	since.OnlineSince = time.Unix(2e9, 0)
	of := func(o index.Overlay, links catalog.LinkBase) uint64 {
		return index.NewView(build(t, register()), o, links).Fingerprint()
	}
	seen := map[uint64]string{}
	for name, o := range map[string]index.Overlay{
		"nothing": {}, "a blocked channel": {BlockedChannels: []string{"A.br"}}, "a blocked stream": {BlockedStreams: []catalog.StreamID{2}},
		"measured": measured(90, "2026-11-22T10:00:00Z"), "another score": measured(91, "2026-11-22T10:00:00Z"),
		"another time": measured(90, "2026-11-22T11:00:00Z"), "not online lately": since,
		"two logos": {Logos: pairs("A.br", "x", "B.br", "y")}, "exchanged logos": {Logos: pairs("A.br", "y", "B.br", "x")},
		"a guide": {Guides: pairs("A.br", "g.example")}, "a guide of another site": {Guides: pairs("A.br", "h.example")},
		"used": used(1000), "used more": used(100_000),
	} {
		f := of(o, links)
		if other, ok := seen[f]; ok {
			t.Errorf("%s and %s have one fingerprint", name, other)
		}
		if seen[f] = name; f != of(o, links) {
			t.Errorf("%s: another process computes another fingerprint", name)
		}
	}
	if a, b := of(index.Overlay{Logos: pairs("A.br", "x", "B.br", "y")}, links), of(index.Overlay{Logos: pairs("B.br", "y", "A.br", "x")}, links); a != b {
		t.Error("the fingerprint depends on the order of logos")
	}
	if a, b := of(index.Overlay{}, links), of(index.Overlay{}, catalog.LinkBase{Base: "https://other.example"}); a == b {
		t.Error("the fingerprint does not depend on the addresses of the service")
	}
}

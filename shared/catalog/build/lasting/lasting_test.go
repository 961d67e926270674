package lasting

import (
	"testing"

	"miramundo.dev/shared/catalog"
)

// TestCollision checks that a stream whose id is in use gets the next one, which
// two builds without a common history compute alike.
func TestCollision(t *testing.T) {
	record := func() *catalog.Record {
		return &catalog.Record{ID: "A.br", Streams: []catalog.StreamRecord{{Feed: "SD", Origin: "iptv-org", URL: "https://x.example/1"}}}
	}
	s := record().Streams[0]
	first, second := streamID("A.br", &s, 0), streamID("A.br", &s, 1)
	if first == second || first == 0 || second == 0 {
		t.Fatalf("the first ids are %v and %v", first, second)
	}
	for _, test := range []struct {
		name string
		used map[catalog.StreamID]bool
		want catalog.StreamID
	}{
		{"free", map[catalog.StreamID]bool{}, first},
		{"in use", map[catalog.StreamID]bool{first: true}, second},
	} {
		r := record()
		n := namer{used: test.used}
		if n.assign(r); r.Streams[0].ID != test.want {
			t.Errorf("%s: the id is %v, want %v", test.name, r.Streams[0].ID, test.want)
		}
	}
}

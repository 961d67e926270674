package social

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAgreedIn checks what a country agrees on, of every shard, also once counts change.
func TestAgreedIn(t *testing.T) {
	counts := func(a map[string]Agreed) Counts { return Counts{Plays: 1, Heard: Heard{Agreed: a}} }
	o := &Overlay{}
	o.coming.Add(Shards)
	if got := maps.Collect(o.AgreedIn("BR")); len(got) > 0 {
		t.Errorf("before the shards have come: %v", got)
	}
	all := map[string]Counts{"quiet.br": {Plays: 9}}
	want := map[string]Agreed{}
	for n := range 3 * Shards {
		channel := string(rune('A'+n)) + ".br"
		want[channel] = Agreed{Played: Date(n + 1)}
		all[channel] = counts(map[string]Agreed{"BR": want[channel], "PT": {Failed: 7}})
	}
	all["Only.pt"] = counts(map[string]Agreed{"PT": {Played: 3, Failed: 2}})
	fill(t, o, all)
	for range 2 { // the second time from what is kept
		if d := cmp.Diff(want, maps.Collect(o.AgreedIn("BR"))); d != "" {
			t.Fatalf("(-want +got):\n%s", d)
		}
	}
	if got := len(maps.Collect(o.AgreedIn("PT"))); got != len(want)+1 {
		t.Errorf("PT agrees on %d channels, want %d", got, len(want)+1)
	}
	if got := maps.Collect(o.AgreedIn("FR")); len(got) > 0 {
		t.Errorf("FR agrees on %v", got)
	}
	want["A.br"] = Agreed{Played: 99}
	all["A.br"] = counts(map[string]Agreed{"BR": want["A.br"]})
	fill(t, o, all)
	if d := cmp.Diff(want, maps.Collect(o.AgreedIn("BR"))); d != "" {
		t.Errorf("after a change (-want +got):\n%s", d)
	}
	for range o.AgreedIn("BR") {
		break // a caller may stop
	}
	if got := maps.Collect((*Overlay)(nil).AgreedIn("BR")); len(got) > 0 {
		t.Errorf("no overlay: %v", got)
	}
}

package index_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

// TestBrief checks that a channel in brief says what its item says.
func TestBrief(t *testing.T) {
	reg := indextest.Synthetic(5, 2000)
	reg.ChannelAliases = map[string]string{"Once.br": reg.Records[7].ID, "Nobody.br": "Nobody.pt"}
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	blocked := reg.Records[8].ID
	v := index.NewView(ix, index.Overlay{BlockedChannels: []string{blocked}}, catalog.LinkBase{})
	ids := []string{"Once.br", "Nobody.br", "", blocked} // and that one again, among all
	for _, r := range reg.Records {
		ids = append(ids, r.ID)
	}
	found := 0
	for _, id := range ids {
		got, ok := v.Brief(id)
		item, want := v.Item(id, 0)
		if ok != want {
			t.Fatalf("Brief(%q) is there: %t, its item: %t", id, ok, want)
		}
		if !ok {
			continue
		}
		found++
		brief := index.Brief{ID: item.ID, Name: item.Name, Quality: item.Quality, LogoURL: item.LogoURL, Playable: item.PlayableHint}
		if item.Country != nil {
			brief.Country = *item.Country
		}
		if item.Kind == catalog.Station.String() {
			brief.Kind = catalog.Station
		}
		if d := cmp.Diff(brief, got); d != "" {
			t.Fatalf("Brief(%q) (-item +brief):\n%s", id, d)
		}
	}
	if want := len(ids) - 4; found != want {
		t.Errorf("%d of %d are there", found, want)
	}
}

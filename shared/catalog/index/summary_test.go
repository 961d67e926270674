package index_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

// TestSummary checks that the summary of a channel agrees with its item.
func TestSummary(t *testing.T) {
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
		got, ok := v.Summary(id)
		item, want := v.Item(id, 0)
		if ok != want {
			t.Fatalf("Summary(%q) is there: %t, its item: %t", id, ok, want)
		}
		if !ok {
			continue
		}
		found++
		summary := index.Summary{ID: item.ID, Name: item.Name, Quality: item.Quality, LogoURL: item.LogoURL, Playable: item.PlayableHint}
		if item.Country != nil {
			summary.Country = *item.Country
		}
		if item.Kind == catalog.Station.String() {
			summary.Kind = catalog.Station
		}
		if d := cmp.Diff(summary, got); d != "" {
			t.Fatalf("Summary(%q) (-item +summary):\n%s", id, d)
		}
	}
	if want := len(ids) - 4; found != want {
		t.Errorf("%d of %d are there", found, want)
	}
}

package channel

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/similar"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// TestSimilar checks that the page shows the first similar channels of the sample, each
// with its first reason.
func TestSimilar(t *testing.T) {
	s := watchServer(t)
	s.Catalog = webtest.Sample(t, index.Overlay{})
	snapshot, _ := s.Catalog.View()
	for _, l := range i18n.Locales {
		c, ok := snapshot.Item("RTP1.pt", int(l))
		if !ok {
			t.Fatal("the sample has no RTP1")
		}
		var want, got [][2]string
		for _, found := range (similar.Finder{View: snapshot}).List(c, l, similarCount) {
			want = append(want, [2]string{found.ID, found.Reasons[0].Text})
		}
		for _, card := range s.similar(s.Pages.View(site.Channel, l, nil), snapshot, c) {
			if got = append(got, [2]string{card.ID, card.Category}); card.Quality != "" {
				t.Errorf("%s has the quality %s beside its reason", card.ID, card.Quality)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) != similarCount {
			t.Errorf("%s (-package +page):\n%s", l, diff)
		}
	}
}

package index_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

// TestCards checks that cards say what the page of a search says.
func TestCards(t *testing.T) {
	reg := indextest.Synthetic(6, 3000)
	v := index.NewView(build(t, reg), indextest.Overlay(6, reg), links)
	measured, guided, fed, understood, suggested := 0, 0, 0, 0, 0
	for _, q := range []index.Query{
		{},
		{Selection: filter.Selection{Kind: "all", Playable: true, Sort: "score"}, Offset: 40},
		{Selection: filter.Selection{Kind: "radio", Sort: "votes"}},
		{Selection: filter.Selection{Country: "BR", Playable: true}},
		{Selection: filter.Selection{Kind: "all", Category: reg.Categories[0].ID}},
		{Selection: filter.Selection{Q: "a", Kind: "all", Sort: "relevance"}},
		{Selection: filter.Selection{Q: "nothing has such a name"}},
		{Selection: filter.Selection{Q: "são p", Kind: "all", Sort: "relevance"}},
		{Selection: filter.Selection{Q: "globo brasil", Kind: "tv", Sort: "relevance"}},
		{Selection: filter.Selection{Q: "globo", Kind: "tv", Country: "ZZ", Sort: "relevance"}},
		{Offset: 1 << 20},
	} {
		q.Limit = 50
		for locale := range len(catalog.Labels{}) {
			var page catalog.Page
			if err := json.Unmarshal(v.Search(q, locale, nil), &page); err != nil {
				t.Fatal(err)
			}
			want := index.Cards{Total: page.Total, Categories: page.Facets.Categories, Understood: page.Understood, Suggestions: page.Suggestions}
			suggested += len(page.Suggestions)
			if page.Understood != nil {
				understood++
			}
			for i := range page.Items {
				c := cardOf(t, v, &page.Items[i])
				want.Cards = append(want.Cards, c)
				if c.Health != nil {
					measured++
				}
				if c.HasGuide {
					guided++
				}
				if c.Feed != "" {
					fed++
				}
			}
			if d := cmp.Diff(want, v.Cards(q, locale), cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("%+v in %d (-page +cards):\n%s", q, locale, d)
			}
		}
	}
	if measured == 0 || guided == 0 || fed == 0 || understood == 0 || suggested == 0 {
		t.Errorf("%d cards are measured, %d have a guide, %d a feed; %d pages are understood, with %d suggestions", measured, guided, fed, understood, suggested)
	}
}

// cardOf returns the card of an item.
func cardOf(t *testing.T, v *index.View, item *catalog.Channel) index.Card {
	summary, ok := v.Summary(item.ID)
	if !ok {
		t.Fatalf("no %s", item.ID)
	}
	c := index.Card{Summary: summary, HasGuide: item.HasGuide, Health: item.HealthExt}
	if item.Matched != nil {
		c.Feed = item.Matched.Feed
	}
	if len(item.Categories) > 0 {
		c.Subject = item.Categories[0]
	}
	switch {
	case len(item.CategoryLabels) > 0:
		c.Category = item.CategoryLabels[0]
	case item.Radio != nil && len(item.Radio.Genres) > 0:
		c.Category = item.Radio.Genres[0].Name
	}
	return c
}

// BenchmarkCards makes a page of 30 cards.
func BenchmarkCards(b *testing.B) {
	reg := indextest.Synthetic(31, 20_000)
	v := index.NewView(build(b, reg), indextest.Overlay(31, reg), links)
	b.ReportAllocs()
	for b.Loop() {
		v.Cards(index.Query{Selection: filter.Selection{Kind: "all", Playable: true}, Limit: 30, Offset: 1000}, 0)
	}
}

package index_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/genre"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/i18n"
)

// genresByHand counts the genres of the playable stations of a country, or of
// all, from their tags.
func genresByHand(reg *catalog.Register, country string, l i18n.Locale) []catalog.GenreFacet {
	counts := map[string]int{}
	for i := range reg.Records {
		if r := &reg.Records[i]; r.Radio != nil && r.Playable() && (country == "" || r.Country == country) {
			for _, id := range genre.Of(r.Radio.Tags) {
				counts[id]++
			}
		}
	}
	list := []catalog.GenreFacet{}
	for _, g := range genre.All() {
		if n := counts[g.ID]; n > 0 {
			list = append(list, catalog.GenreFacet{ID: g.ID, Name: g.Name[l], Count: n})
		}
	}
	slices.SortStableFunc(list, func(a, b catalog.GenreFacet) int { return b.Count - a.Count })
	return list
}

func TestGenres(t *testing.T) {
	reg := indextest.Synthetic(31, 2000)
	v := index.NewView(build(t, reg), index.Overlay{}, links)
	for _, country := range []string{"", "BR", "QQ"} {
		for _, l := range i18n.Locales {
			if d := cmp.Diff(genresByHand(reg, country, l), v.Genres(country, int(l))); d != "" {
				t.Errorf("genres of %q in %s (-want +got):\n%s", country, l, d)
			}
		}
	}
}

// TestGenreAndTag checks that a genre and a tag of one name select by their own
// meaning, whether or not the other exists.
func TestGenreAndTag(t *testing.T) {
	station := func(id string, tags ...string) catalog.Record {
		return catalog.Record{ID: id, Kind: catalog.Station, Name: id, Origin: "radio-browser", Radio: &catalog.Radio{Tags: tags}}
	}
	v := index.NewView(build(t, &catalog.Register{Records: []catalog.Record{
		station("a", "rock"), station("b", "pop rock"), station("c", "80er"), station("d"),
	}}), index.Overlay{}, links)
	for _, test := range []struct {
		selection filter.Selection
		want      []string
	}{
		{filter.Selection{Tag: "rock"}, []string{"a"}},
		{filter.Selection{Genre: "rock"}, []string{"a", "b"}},
		{filter.Selection{Genre: "80s"}, []string{"c"}},
		{filter.Selection{Tag: "80s"}, nil},
		{filter.Selection{Genre: "80er"}, nil},
		{filter.Selection{Genre: "jazz"}, nil},
		{filter.Selection{Genre: "rock", Tag: "pop rock"}, []string{"b"}},
	} {
		test.selection.Kind = filter.Radio
		var got []string
		for _, doc := range v.Matches(index.Query{Selection: test.selection}) {
			got = append(got, v.ID(doc))
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%+v (-want +got):\n%s", test.selection, d)
		}
	}
}

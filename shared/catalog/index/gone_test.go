package index_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

func view(t testing.TB, reg *catalog.Register) *index.View {
	t.Helper()
	return index.NewView(build(t, reg), index.Overlay{}, catalog.LinkBase{})
}

// TestGone finds channels that are gone by id, and not those that are shown.
func TestGone(t *testing.T) {
	reg := indextest.Synthetic(21, 400)
	want := reg.Gone[7]
	shown := reg.Records[3].ID
	reg.Gone = append(reg.Gone, catalog.Gone{ID: shown, Name: "Back"}, catalog.Gone{Name: "No id"}, catalog.Gone{ID: want.ID, Name: "Twice"}, catalog.Gone{ID: "bad\xff"})
	v := view(t, reg)
	got, ok := v.Gone(want.ID)
	if d := cmp.Diff(want, got); d != "" || !ok {
		t.Errorf("%s: found %v (-want +got):\n%s", want.ID, ok, d)
	}
	for _, id := range []string{shown, "", "Gone000007", want.ID + "x", "bad\xff"} {
		if got, ok := v.Gone(id); ok {
			t.Errorf("%q is gone: %v", id, got)
		}
	}
	if n := len(v.Index().GoneList()); n != 20 {
		t.Errorf("%d channels are gone, want 20", n)
	}
}

// TestGoneNamed checks the order of the matches.
func TestGoneNamed(t *testing.T) {
	v := view(t, &catalog.Register{Gone: []catalog.Gone{
		{ID: "1", Name: "Rádio Globo"},
		{ID: "2", Name: "Globo News Extra"},
		{ID: "3", Name: "Globo News"},
		{ID: "4", Name: "GNT", AltNames: []string{"Canal 4", "Globo News"}},
		{ID: "5", Name: "Old Globo News"},
		{ID: "6", Name: "News"},
		{ID: "7", Name: "Globo", AltNames: []string{"Newsroom"}},
		{ID: "8", Name: "C-SPAN"},
		{ID: "9"},
	}})
	for _, test := range []struct{ words, want string }{
		{"globo news", "3 4 2 5 7"},
		{"NEWS GLOBO", "3 5 2 4 7"},
		{"glo", "7 3 2 1 5 4"},
		{"radio", "1"},
		{"lobo", ""},
		{"globo x", ""},
		{"", ""},
		{"???", ""},
		{strings.Repeat("globo ", 5000), "7 3 1 5 2 4"},
	} {
		var got []string
		for _, g := range v.GoneNamed(test.words, 10) {
			got = append(got, g.ID)
		}
		if d := cmp.Diff(test.want, strings.Join(got, " ")); d != "" {
			t.Errorf("GoneNamed(%.20q) (-want +got):\n%s", test.words, d)
		}
	}
	if got := v.GoneNamed("globo", 2); len(got) != 2 {
		t.Errorf("%d matches, want the limit of 2", len(got))
	}
}

// TestGoneNamedAll compares with reading all names.
func TestGoneNamedAll(t *testing.T) {
	v := view(t, indextest.Synthetic(22, 3000))
	list := v.Index().GoneList()
	for _, words := range []string{"n", "news", "radio tv", "sao", "中", "e", "98", "rock 24 canal", "ال"} {
		want := map[string]bool{}
		for _, g := range list {
			if named(&g, strings.Fields(fold.Words(words))) {
				want[g.ID] = true
			}
		}
		got := map[string]bool{}
		for _, g := range v.GoneNamed(words, len(list)) {
			got[g.ID] = true
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("GoneNamed(%q) (-want +got):\n%s", words, d)
		}
	}
}

// named reports whether g has a word that begins with each of words.
func named(g *catalog.Gone, words []string) bool {
	text := " "
	for _, name := range append([]string{g.Name}, g.AltNames...) {
		text += fold.Words(name) + " "
	}
	for _, w := range words {
		if !strings.Contains(text, " "+w) {
			return false
		}
	}
	return true
}

// BenchmarkGoneNamed searches 10,000 names, several times what the sources give.
func BenchmarkGoneNamed(b *testing.B) {
	v := view(b, &catalog.Register{Gone: indextest.Synthetic(23, 200_000).Gone})
	for _, words := range []string{"n", "globo news", "canal plus cinema", "zzz"} {
		b.Run(fmt.Sprintf("%.5s", words), func(b *testing.B) {
			for b.Loop() {
				v.GoneNamed(words, 5)
			}
		})
	}
}

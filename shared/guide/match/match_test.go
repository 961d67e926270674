package match

import (
	"fmt"
	"slices"
	"testing"
)

var listings = []Listing{
	{ID: "BBCOne.uk", Names: []string{"BBC One"}, Country: "GB", Feed: "London"},
	{ID: "BBCOneHD.uk", Names: []string{"BBC One HD"}, Country: "GB"},
	{ID: "Film4.uk", Names: []string{"Film4", "FilmFour"}, Country: "GB"},
	{ID: "Film4Plus1.uk", Names: []string{"Film4+1"}, Country: "GB"},
	{ID: "CanalPlus.fr", Names: []string{"Canal+"}, Country: "FR"},
	{ID: "Canal.br", Names: []string{"Canal"}, Country: "BR"},
	{ID: "GloboNews.br", Names: []string{"GloboNews", "Globo News"}, Country: "BR"},
	{ID: "TVSãoPaulo.br", Names: []string{"TV São Paulo"}, Country: "BR"},
	{ID: "NewsA.us", Names: []string{"News Now"}, Country: "US"},
	{ID: "NewsB.us", Names: []string{"News Now"}, Country: "US"},
	{ID: "NewsC.br", Names: []string{"News Now"}, Country: "BR"},
	{ID: "Planeta.br", Names: []string{"Planeta Azul"}, Country: "BR"},
	{ID: "Vida.br", Names: []string{"Vida"}, Country: "BR"},
	{ID: "Twin.br", Names: []string{"Twin"}, Country: "BR"},
	{ID: "twin.br", Names: []string{"The other twin"}, Country: "BR"},
	{ID: "Alwan1.sa", Names: []string{"Alwan Sport 1"}, Country: "SA"},
	{ID: "Thmanyah.sa", Names: []string{"Thmanyah", "ثمانية ١"}, Country: "SA"},
	{ID: "DishUK.uk", Names: []string{"Dish UK"}, Country: "GB"},
	{ID: "Mania4K.br", Names: []string{"Sport Mania 4K"}, Country: "BR"},
	{ID: "Nameless.br", Names: []string{"☂", ""}, Country: "BR"},
}

var aliases = map[string]string{
	"OldVida.br": "Older.br", "Older.br": "Vida.br", "Gone.br": "Nowhere.br", "Loop.br": "Loop.br", "Feed.br@SD": "Vida.br",
}

func TestFind(t *testing.T) {
	m := New(slices.Values(listings), aliases, nil)
	for _, test := range []struct {
		id, name, country string
		want              string // a channel, or the reason for which none matches
		rank              int
	}{
		{"BBCOne.uk", "", "", "BBCOne.uk", byID},
		{" BBCOne.uk ", "", "", "BBCOne.uk", byID},
		{"BBCOne.uk", "Film4", "", "BBCOne.uk", byID},
		{"BBCOne.uk@London", "", "", "BBCOne.uk", byID},
		{"BBCOne.uk@lon don", "", "", "BBCOne.uk", byID},
		{"BBCOne.uk@Wales", "", "", "BBCOne.uk", byID + ranks*int(sibling)},
		{"BBCOne.uk@HD", "", "", "BBCOne.uk", byID},
		{"BBCOne.uk@LondonPlus1", "", "", atOther, unmatched},
		{"bbcone.UK@Wales", "", "", "BBCOne.uk", byLetters + ranks*int(sibling)},
		{"TWIN.br", "", "", ambiguous, unmatched},
		{"Twin.br", "", "", "Twin.br", byID},
		{"Older.br", "", "", "Vida.br", byAlias},
		{"OldVida.br@HD", "", "", "Vida.br", byAlias},
		{"Feed.br@SD", "", "", "Vida.br", byAlias},
		{"Feed.br@HD", "", "", NoneSuch, unmatched},
		{"Gone.br", "", "", NoneSuch, unmatched},
		{"Loop.br", "", "", NoneSuch, unmatched},

		{"1", "BBC One", "GB", "BBCOne.uk", byName},
		{"1", "BBC ONE HD", "GB", "BBCOneHD.uk", byName},
		{"1", "bbc one (1080p)", "GB", ambiguous, unmatched}, // without what tells the picture two have the name
		{"1", "Film 4 HD", "GB", "Film4.uk", byPlain},
		{"1", "Film4 FHD 1080p", "GB", "Film4.uk", byPlain},
		{"1", "Film 4 +1", "GB", "Film4Plus1.uk", byName},
		{"1", "Film 41", "GB", NoneSuch, unmatched},
		{"1", "Film Four", "GB", "Film4.uk", byName},
		{"1", "Film4 UK HD", "GB", "Film4.uk", byPlain},
		{"1", "Film4 GB", "GB", "Film4.uk", byPlain},
		{"1", "Film4 FR", "GB", NoneSuch, unmatched},
		{"1", "Film4 UK", "", NoneSuch, unmatched},
		{"x.uk", "Dish", "", "DishUK.uk", byPlain},
		{"1", "UK", "GB", NoneSuch, unmatched},
		{"1", "Film4", "BR", NoneSuch, unmatched},
		{"x.uk", "Film4", "", "Film4.uk", byName},
		{"x.uk@HD", "Film4", "", "Film4.uk", byName},
		{"x.br", "Film4", "", NoneSuch, unmatched},
		{"x.br", "Film4", "GB", "Film4.uk", byName}, // what the operator says wins
		{"x.tv", "Planeta Azul", "", "Planeta.br", byName},
		{"x.com", "Planeta Azul", "", "Planeta.br", byName},
		{"1", "Canal Plus", "FR", "CanalPlus.fr", byName},
		{"1", "Canal", "FR", NoneSuch, unmatched},
		{"1", "News Now", "US", ambiguous, unmatched},
		{"1", "News Now", "", ambiguous, unmatched},
		{"1", "News Now", "BR", "NewsC.br", byName},
		{"1", "TV SAO PAULO 4K", "BR", "TVSãoPaulo.br", byPlain},
		{"1", "Sport Mania 4K", "BR", "Mania4K.br", byName},
		{"1", "Sport Mania", "BR", NoneSuch, unmatched}, // which shows something else
		{"1", "ثمانية 1", "SA", "Thmanyah.sa", byName},
		{"Alwan1_sport_raw", "Alwan Sport 1 RAW", "", "Alwan1.sa", byPlain},

		{"1", "BR - Planeta Azul HD", "", "Planeta.br", byPlain},
		{"1", "BR: Vida", "", "Vida.br", byName},
		{"1", "BR| Vida", "", "Vida.br", byName},
		{"1", "|BR| Vida", "", "Vida.br", byName},
		{"1", "[BR] FHD: Vida", "", "Vida.br", byName},
		{"1", "Vida (BR)", "", "Vida.br", byName},
		{"1", "BRA - Vida [HD]", "", "Vida.br", byPlain},
		{"1", "UK | Film4 HD", "BR", "Film4.uk", byPlain}, // the name says more than the source
		{"x.br", "UK | Film 4 UK +1", "", "Film4Plus1.uk", byPlain},
		{"1", "FR: Film4", "GB", NoneSuch, unmatched},
		{"1", "TV: Vida", "BR", NoneSuch, unmatched}, // no country
		{"1", "br - Vida", "BR", NoneSuch, unmatched},
		{"1", "Vida +1", "BR", NoneSuch, unmatched},
		{"1", "Vida HD +1", "BR", NoneSuch, unmatched},
		{"PlanetaAzul.br", "7", "", "Planeta.br", byName}, // by the name in its id

		{"1", "Vida", "", vague, unmatched},
		{"1", "Vida HD", "", vague, unmatched},
		{"1", "Globonews", "", "GloboNews.br", byName}, // nine letters
		{"1", "Thmanyah", "", "Thmanyah.sa", byName},   // eight
		{"1", "", "", NoneSuch, unmatched},
		{"1", "HD", "BR", NoneSuch, unmatched},
		{"1", "BR - ", "", NoneSuch, unmatched},
		{"1", "[BR] | [BR] |", "", NoneSuch, unmatched},
		{"1", "☂", "BR", NoneSuch, unmatched},
		{"", "", "", NoneSuch, unmatched},
		{"@", "\xff\x00", "??", NoneSuch, unmatched},
	} {
		got := m.Find(&Channel{ID: test.id, Names: []string{test.name}, Country: test.country})
		if got.Channel+got.Reason != test.want || got.Rank != test.rank {
			t.Errorf("find(%q, %q, %q) = %+v, want %q, rank %d", test.id, test.name, test.country, got, test.want, test.rank)
		}
	}
}

func TestPinned(t *testing.T) {
	m := New(slices.Values(listings), aliases, nil)
	for channel, want := range map[string]Match{
		"Vida.br":    {Channel: "Vida.br"},
		"OldVida.br": {Channel: "Vida.br"},
		"Gone.br":    {Rank: unmatched, Reason: pinLost},
		"vida.br":    {Rank: unmatched, Reason: pinLost},
		"":           {Rank: unmatched, Reason: PinnedOff},
	} {
		if got := m.Pinned(channel); got != want {
			t.Errorf("Pinned(%q) = %+v, want %+v", channel, got, want)
		}
	}
}

// TestFindNames gives a channel several names: the first that tells is taken.
func TestFindNames(t *testing.T) {
	m := New(slices.Values(listings), nil, nil)
	if got := m.Find(&Channel{ID: "1", Names: []string{"News Now", "Nothing", "Planeta Azul", "Vida"}, Country: "BR"}); got.Channel != "NewsC.br" {
		t.Errorf("found %+v", got)
	}
	if got := m.Find(&Channel{ID: "1", Names: []string{"Nothing", "News Now", "nothing else"}, Country: "US"}); got.Reason != ambiguous {
		t.Errorf("found %+v: the reason is that of the name that comes nearest", got)
	}
}

func TestSum(t *testing.T) {
	sum := New(slices.Values(listings), aliases, nil).Sum()
	if again := New(slices.Values(listings), aliases, nil).Sum(); again != sum || sum == "" {
		t.Errorf("sums %q and %q of the same", sum, again)
	}
	changed := slices.Clone(listings)
	changed[3].Names = []string{"Film 4+1"}
	seen := map[string]bool{sum: true}
	for name, other := range map[string]string{
		"names":   New(slices.Values(changed), aliases, nil).Sum(),
		"aliases": New(slices.Values(listings), map[string]string{"OldVida.br": "Vida.br"}, nil).Sum(),
		"fewer":   New(slices.Values(listings[1:]), aliases, nil).Sum(),
		"nothing": New(slices.Values(listings[:0]), nil, nil).Sum(),
	} {
		if seen[other] {
			t.Errorf("other %s have a sum that was there", name)
		}
		seen[other] = true
	}
}

func BenchmarkNewMatcher(b *testing.B) {
	many := make([]Listing, 96_000)
	for i := range many {
		l := listings[i%len(listings)]
		many[i] = Listing{ID: fmt.Sprint(l.ID, i), Names: []string{fmt.Sprint(l.Names[0], " ", i), l.ID}, Country: l.Country}
	}
	for b.Loop() {
		New(slices.Values(many), aliases, nil)
	}
}

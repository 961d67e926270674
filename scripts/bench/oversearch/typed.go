package oversearch

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
)

// frequentWords is the number of words that count as frequent: those that most
// names have.
const frequentWords = 60

// perTyped is the number of searches of each class of typed: more than of the
// others, because these differ more in time and their p99 is judged.
const perTyped = 300

// typed returns perTyped searches by relevance of every class, as visitors type
// them, for records of reg.
func typed(reg *catalog.Register) []class {
	common := frequent(reg)
	countries := english(reg.Countries)
	categories := map[string]string{}
	for _, c := range reg.Categories {
		categories[c.ID] = c.Name[i18n.EN]
	}
	return follow([]recipe{
		{"full name", 0, byText(func(_ *rand.Rand, d *catalog.Record) string { return d.Name })},
		{"name while it is typed", 0, byText(func(r *rand.Rand, d *catalog.Record) string {
			return strings.TrimSpace(letters(d.Name, 1+r.IntN(max(1, len([]rune(d.Name))))))
		})},
		{"one frequent word", 0, byText(func(r *rand.Rand, _ *catalog.Record) string { return common[r.IntN(len(common))] })},
		{"two words", 0, byText(func(r *rand.Rand, d *catalog.Record) string { return both(word(r, d), word(r, d)) })},
		{"two frequent words", 0, byText(func(r *rand.Rand, _ *catalog.Record) string {
			return both(common[r.IntN(len(common))], common[r.IntN(len(common))])
		})},
		{"country", 0, byText(func(_ *rand.Rand, d *catalog.Record) string { return countries[d.Country] })},
		{"country + word", 0, byText(func(r *rand.Rand, d *catalog.Record) string { return both(countries[d.Country], word(r, d)) })},
		{"category", 0, byText(func(_ *rand.Rand, d *catalog.Record) string { return categories[first(d.Categories)] })},
		{"category + country", 0, byText(func(_ *rand.Rand, d *catalog.Record) string {
			return both(categories[first(d.Categories)], countries[d.Country])
		})},
		{"one letter wrong", 0, byText(typo)},
		{"other script", 0, byText(otherScript)},
	}, reg, 5, perTyped)
}

// byText makes searches of all kinds for the text of a record.
func byText(text func(*rand.Rand, *catalog.Record) string) maker {
	return func(r *rand.Rand, d *catalog.Record) (index.Query, bool) {
		q := text(r, d)
		return index.Query{Selection: filter.Selection{Q: q, Kind: "all", Playable: true, Sort: "relevance"}}, q != ""
	}
}

// both returns two words as a text, or nothing when one is missing.
func both(a, b string) string {
	if a == "" || b == "" {
		return ""
	}
	return a + " " + b
}

// frequent returns the words that most names of reg have.
func frequent(reg *catalog.Register) []string {
	count := map[string]int{}
	for i := range reg.Records {
		for w := range strings.FieldsSeq(fold.Words(reg.Records[i].Name)) {
			count[w]++
		}
	}
	words := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	return words[:min(len(words), frequentWords)]
}

// english returns the English names of terms by their codes.
func english(terms []catalog.Term) map[string]string {
	names := map[string]string{}
	for _, term := range terms {
		names[term.Code] = term.Name[i18n.EN]
	}
	return names
}

// otherScript returns the first name of d that is not in Latin letters.
func otherScript(_ *rand.Rand, d *catalog.Record) string {
	for _, name := range append([]string{d.Name}, d.AltNames...) {
		if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }) {
			return name
		}
	}
	return ""
}

// Package region finds the state or province that a free text names.
//
// Stations give it as people write it: "Bavaria", "NRW", "Estado de São Paulo",
// "Sydney NSW", "Hessen (Kassel)", or just a city. A text is read in the
// station's country alone, since the same names occur in many. The readings are
// tried from the strictest to the loosest: the code; the whole text as a name;
// its parts between separators, from the last, since people write the larger
// place last; its first or last words; and at the end as a city that lies in one
// subdivision. What none of them finds stays unknown: a wrong state is worse than
// no state.
package region

import (
	"slices"
	"strings"
	"sync"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/source"
)

const (
	maxText  = 200 // bytes of a text that is read
	maxWords = 5   // of a name that is looked for at either end of a text
	maxCode  = 3   // letters of a code after the country
)

// A place is a folded name in a country.
type place struct{ country, name string }

// An Index finds subdivisions by the texts that name them. It remembers what it
// found, since many stations give the same text; it must not be used
// concurrently.
type Index struct {
	codes     map[string]bool
	names     map[place]string
	cities    map[place]string    // "" for a name of cities in several subdivisions
	countries map[string][]string // folded names of a country
	found     map[place]string    // by the text as given
}

// NewIndex returns the index of the subdivisions and cities of the sources.
func NewIndex(subdivisions []source.Subdivision, cities []source.City) *Index {
	x := &Index{
		codes:  make(map[string]bool, len(subdivisions)),
		names:  make(map[place]string, 2*len(subdivisions)),
		cities: make(map[place]string, len(cities)),

		countries: map[string][]string{},
		found:     map[place]string{},
	}
	for _, larger := range []bool{true, false} { // of two with one name, the larger counts
		for i := range subdivisions {
			if s := &subdivisions[i]; (s.Parent == "") == larger {
				x.codes[s.Code] = true
				x.name(catalog.CountryCode(s.Country), s.Name, s.Code)
			}
		}
	}
	for _, other := range others() {
		if x.codes[other.code] {
			x.names[place{other.code[:2], other.name}] = other.code
		}
	}
	for i := range cities {
		c := &cities[i]
		if c.Subdivision == "" {
			continue
		}
		at := place{catalog.CountryCode(c.Country), fold.Words(c.Name)}
		if code, ok := x.cities[at]; ok && code != c.Subdivision {
			x.cities[at] = ""
		} else {
			x.cities[at] = c.Subdivision
		}
	}
	return x
}

// name adds a name of a subdivision, unless another has it.
func (x *Index) name(country, name, code string) {
	words := fold.Words(name)
	for _, n := range []string{words, specific(words)} {
		if at := (place{country, n}); n != "" && x.names[at] == "" {
			x.names[at] = code
		}
	}
}

// A nickname is one of otherNames.
type nickname struct{ code, name string }

var others = sync.OnceValue(func() []nickname {
	var list []nickname
	for line := range strings.Lines(otherNames) {
		code, names, _ := strings.Cut(strings.TrimSpace(line), " ")
		for name := range strings.SplitSeq(names, ",") {
			if name = fold.Words(name); name != "" {
				list = append(list, nickname{code, name})
			}
		}
	}
	return list
})

var generic = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(fold.Words(genericWords)) {
		words[word] = true
	}
	return words
})

// specific returns words without the generic ones.
func specific(words string) string {
	all := generic()
	return strings.Join(slices.DeleteFunc(strings.Fields(words), func(w string) bool { return all[w] }), " ")
}

// Find returns the code of the subdivision of country that text names, or "".
// The country is in ISO 3166-1 alpha-2.
func (x *Index) Find(country, text string) string {
	if country == "" || text == "" || len(text) > maxText {
		return ""
	}
	at := place{country, text}
	code, ok := x.found[at]
	if !ok {
		code = x.find(country, text)
		x.found[at] = code
	}
	return code
}

func (x *Index) find(country, text string) string {
	if code := x.code(country, text); code != "" {
		return code
	}
	whole := fold.Words(text)
	if x.isCountry(country, whole) {
		return ""
	}
	if code := x.named(country, whole); code != "" {
		return code
	}
	parts := slices.DeleteFunc(partsOf(text), func(p string) bool { return x.isCountry(country, fold.Words(p)) })
	slices.Reverse(parts)
	for _, read := range []func(country, part string) string{x.code, x.part, x.ends, x.city} {
		for _, part := range parts {
			if code := read(country, part); code != "" {
				return code
			}
		}
	}
	return ""
}

func partsOf(text string) []string {
	text = strings.NewReplacer(" - ", ",", " – ", ",", " — ", ",").Replace(text)
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;/|()[]、，", r) })
}

// code returns the subdivision that text is the code of: "DE-BY" or, in upper
// case, "BY".
func (x *Index) code(country, text string) string {
	text = strings.TrimSpace(text)
	if code := strings.ToUpper(text); x.codes[code] && strings.HasPrefix(code, country+"-") {
		return code
	}
	if code := country + "-" + text; len(text) > 1 && len(text) <= maxCode && x.codes[code] {
		return code
	}
	return ""
}

// named returns the subdivision with a folded name.
func (x *Index) named(country, words string) string {
	if code := x.names[place{country, words}]; code != "" {
		return code
	}
	if name := specific(words); name != "" && name != words {
		if code := x.names[place{country, name}]; code != "" {
			return code
		}
	}
	if at := strings.LastIndexByte(words, ' '); at > 0 && suffixes[words[at+1:]] {
		return x.names[place{country, words[:at]}]
	}
	return ""
}

// suffixes are the kinds of places that names in Chinese and Japanese end with.
var suffixes = map[string]bool{"省": true, "市": true, "県": true, "府": true, "都": true}

func (x *Index) part(country, text string) string { return x.named(country, fold.Words(text)) }

// ends returns the subdivision that the last or the first words of text name:
// its code in upper case ("Sydney NSW"), or its name ("Birmingham Alabama",
// "Queensland Townsville").
func (x *Index) ends(country, text string) string {
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return ""
	}
	if code := x.code(country, fields[len(fields)-1]); code != "" {
		return code
	}
	words := strings.Fields(fold.Words(text))
	for size := min(maxWords, len(words)-1); size > 0; size-- {
		if code := x.named(country, strings.Join(words[len(words)-size:], " ")); code != "" {
			return code
		}
	}
	for size := min(maxWords, len(words)-1); size > 0; size-- {
		if code := x.named(country, strings.Join(words[:size], " ")); code != "" {
			return code
		}
	}
	return ""
}

// city returns the subdivision of the city that text names, when all cities of
// that name are in one.
func (x *Index) city(country, text string) string { return x.cities[place{country, fold.Words(text)}] }

// isCountry reports whether words are the country itself in a language of the
// service: "Lima, Peru" and "México" name no subdivision by it.
func (x *Index) isCountry(country, words string) bool {
	names, ok := x.countries[country]
	if !ok {
		for _, l := range i18n.Locales {
			if name, ok := i18n.CountryName(country, l); ok {
				names = append(names, fold.Words(name))
			}
		}
		x.countries[country] = names
	}
	return slices.Contains(names, words)
}

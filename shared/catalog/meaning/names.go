package meaning

import (
	"math/bits"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/genre"
)

// How surely a name means what it names; the files of words say it for theirs.
const (
	byPhrase      = 250 // "in english"
	byCountryName = 240
	byNativeName  = 225
	byLanguage    = 215
	byLabel       = 210
	byGenre       = 200
	byAdjective   = 190
	byWord        = 190 // a synonym of a category
	bySynonym     = 170 // of a genre
	bySubdivision = 160
	byPart        = 110 // a word for a part of a category or of a genre
	byCity        = 100 // more for a city with many records
	byForeign     = 60  // a genre that is called after a language or a country
	byWholeTag    = 60  // a word that means a genre only when it stands alone
)

// spokenIn are the languages of the locales, in the order of catalog.Labels,
// with the preposition that their speakers put before the name of a language.
var spokenIn = [...]struct{ code, preposition string }{
	{"por", "em"}, {"eng", "in"}, {"spa", "en"}, {"fra", "en"}, {"deu", "auf"},
}

// otherTongues are the languages, beside those of the locales, in which people
// name countries.
var otherTongues = []string{"it", "ru", "nl", "pl", "tr", "ar", "el", "uk", "ro", "sv", "ja", "zh", "ko", "hi"}

// wellKnown is the number of records from which a country or a language has
// its names in many languages.
const wellKnown = 20

// addCountries adds the names of countries: of the locales, of the country
// itself, of other languages, and adjectives.
func (t *table) addCountries() {
	for i := range t.Countries {
		c := &t.Countries[i]
		n := t.Count(filter.Country, c.Code)
		if n == 0 {
			continue
		}
		for l, name := range c.Name {
			t.add(name, spokenIn[l].code, filter.Country, c.Code, byCountryName)
		}
		region, err := language.ParseRegion(c.Code)
		if err != nil {
			continue
		}
		native, _ := language.Raw.Compose(region)
		base, _ := native.Base() // the language that most people of the country speak
		t.addRegion(base.String(), region, byNativeName)
		if n >= wellKnown {
			for _, tongue := range otherTongues {
				t.addRegion(tongue, region, byNativeName)
			}
		}
	}
	t.addGraded("countries", filter.Country)
	lines("demonyms", func(code, rest string) {
		if t.Count(filter.Country, code) > 0 {
			t.addAdjectives(code, rest)
		}
	})
}

// addRegion adds the name that a language has for a country.
func (t *table) addRegion(tongue string, region language.Region, strength int) {
	n, ok := t.namers[tongue]
	if !ok {
		if tag, err := language.Parse(tongue); err == nil {
			base, _ := tag.Base()
			n = namer{display.Regions(tag), base.ISO3()}
		}
		t.namers[tongue] = n
	}
	if n.Namer != nil {
		t.add(n.Name(region), n.language, filter.Country, region.String(), strength)
	}
}

// A namer names countries in a language; nil when the tables lack it.
type namer struct {
	display.Namer
	language string
}

// addAdjectives adds the adjectives of a country. A "~" stands for a space
// within one.
func (t *table) addAdjectives(code, rest string) {
	columns(rest, func(language, words string) {
		for word := range strings.FieldsSeq(words) {
			word = fold.Words(strings.ReplaceAll(word, "~", " "))
			forms(language, word, func(form string) { t.addFolded(form, language, filter.Country, code, byAdjective) })
		}
	})
}

// addGraded adds the names of a file whose keys say a value and a strength.
func (t *table) addGraded(file string, id filter.ID) {
	lines(file, func(key, rest string) {
		value, strength := graded(key)
		if t.Count(id, value) > 0 {
			list(rest, func(name string) { t.add(name, "", id, value, strength) })
		}
	})
}

// addLanguages adds the names of languages: of the locales, alone and after
// the preposition that makes their meaning sure, and of the language itself.
func (t *table) addLanguages() {
	for i := range t.Languages {
		l := &t.Languages[i]
		n := t.Count(filter.Language, l.Code)
		if n == 0 {
			continue
		}
		for k, name := range l.Name {
			in := spokenIn[k]
			strength := languageStrength(n, name)
			t.add(name, in.code, filter.Language, l.Code, strength)
			t.add(in.preposition+" "+name, in.code, filter.Language, l.Code, max(strength, byPhrase*min(n, wellKnown)/wellKnown))
		}
		if tag, err := language.Parse(l.Code); err == nil {
			if name := display.Self.Name(tag); name != "" {
				t.add(name, l.Code, filter.Language, l.Code, languageStrength(n, name))
			}
		}
	}
	t.addGraded("languages", filter.Language)
}

// languageStrength returns how surely name means a language with n records:
// short names of rare languages are ordinary words elsewhere.
func languageStrength(n int, name string) int {
	switch {
	case n >= wellKnown:
		return byLanguage
	case len(name) <= 4:
		return byForeign
	case n >= 5:
		return bySynonym
	}
	return byPart
}

// addCategories adds the labels of categories and the words of their file.
func (t *table) addCategories() {
	for i := range t.Categories {
		c := &t.Categories[i]
		if t.Count(filter.Category, c.ID) == 0 {
			continue
		}
		for l, name := range c.Name {
			t.add(name, spokenIn[l].code, filter.Category, c.ID, byLabel)
		}
		t.add(c.ID, "eng", filter.Category, c.ID, byLabel)
	}
	lines("categories", func(id, rest string) {
		if t.Count(filter.Category, id) == 0 {
			return
		}
		columns(rest, func(language, words string) {
			list(words, func(word string) {
				strength := byWord
				if part, ok := strings.CutPrefix(word, "~"); ok {
					word, strength = part, byPart
				}
				forms(language, fold.Words(word), func(form string) { t.addFolded(form, language, filter.Category, id, strength) })
			})
		})
	})
}

// addPlaces adds the names of states, provinces and cities.
func (t *table) addPlaces() {
	others := t.otherNames()
	for _, s := range t.Subdivisions {
		if n := t.Count(filter.Subdivision, s.Code); n > 0 {
			t.addPlace(others, s.Country, s.Name, filter.Subdivision, s.Code, bySubdivision)
		}
	}
	t.addGraded("subdivisions", filter.Subdivision)
	for _, c := range t.Cities {
		if n := t.Count(filter.City, c.Code); n > 0 {
			t.addPlace(others, c.Country, c.Name, filter.City, c.Code, min(byCity+10*bits.Len(uint(n)), bySubdivision+10))
		}
	}
}

// otherNames returns the lists of places.txt by the country and each name.
func (t *table) otherNames() map[string][]string {
	by := map[string][]string{}
	lines("places", func(country, rest string) {
		var names []string
		list(rest, func(name string) { names = append(names, fold.Words(name)) })
		for _, name := range names {
			by[country+" "+name] = append(by[country+" "+name], names...)
		}
	})
	return by
}

// addPlace adds the name of a place, the names that it has in other languages,
// and what registers write beside a name in brackets or after a slash.
func (t *table) addPlace(others map[string][]string, country, name string, id filter.ID, code string, strength int) {
	t.add(name, "", id, code, strength)
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("()[]/;,", r) }) {
		if part = fold.Words(part); len(part) < 3 {
			continue
		}
		t.addFolded(part, "", id, code, strength)
		for _, other := range others[country+" "+part] {
			t.addFolded(other, "", id, code, strength)
		}
	}
}

// addGenres adds the phrases of genres. What is also the name of a language or
// of a country means that first.
func (t *table) addGenres() {
	for text, p := range genre.Phrases() {
		strength := bySynonym
		if p.Whole {
			strength = byWholeTag
		}
		if e := t.entries[text]; e != nil && namesPeople(e) {
			strength = byForeign
		}
		if p.Genres.Len() > 1 {
			strength = min(strength, byPart)
		}
		for number := range p.Genres.Numbers() {
			if id := genre.All()[number].ID; t.Count(filter.Genre, id) > 0 {
				t.addFolded(text, "", filter.Genre, id, strength)
			}
		}
	}
	for _, g := range genre.All() {
		if t.Count(filter.Genre, g.ID) > 0 {
			t.addLabels(&g.Name, filter.Genre, g.ID, byGenre)
		}
	}
}

// addLabels adds the names of a value in the locales.
func (t *table) addLabels(names *catalog.Labels, id filter.ID, value string, strength int) {
	for l, name := range names {
		t.add(name, spokenIn[l].code, id, value, strength)
	}
}

// namesPeople reports whether e names a country or a language.
func namesPeople(e *entry) bool {
	for _, s := range e.senses {
		if s.Filter == filter.Country || s.Filter == filter.Language {
			return true
		}
	}
	return false
}

// addKinds adds the words that say only that a TV channel or a radio station is
// meant.
func (t *table) addKinds() {
	lines("kinds", func(key, rest string) {
		value, strength := graded(key)
		list(rest, func(word string) { t.add(word, "", filter.Kind, value, strength) })
	})
}

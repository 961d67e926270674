package show

import (
	"sort"

	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/snapshot"
)

// PlaceName returns the name of a state, a province or a city by its catalog
// code; false when there is none.
func (v *View) PlaceName(code string) (string, bool) {
	if name := nameIn(&v.ix.Vocabulary.Subdivisions, snapshot.SubdivisionWidth, code); name != "" {
		return name, true
	}
	name := nameIn(&v.ix.Vocabulary.Cities, snapshot.CityWidth, code)
	return name, name != ""
}

// CategoryName returns the name of a category; false when there is none.
func (v *View) CategoryName(id string, locale int) (string, bool) {
	i, ok := v.ix.Category(id)
	if !ok {
		return "", false
	}
	name := v.ix.Categories[i].Name[layout.SupportedLocale(locale)]
	return name, name != ""
}

// LanguageName returns the name of a language by its ISO 639-3 code; false when
// the catalog has none.
func (v *View) LanguageName(code string, locale int) (string, bool) {
	name := layout.LabelsOf(v.ix.Vocabulary.Languages, code)[layout.SupportedLocale(locale)]
	return name, name != ""
}

// nameIn returns the name of a code in a vocabulary, which is in the order of
// its codes: each entry begins with its code and ends with its name.
func nameIn(t *snapshot.Texts, width int, code string) string {
	n := t.Len() / width
	i := sort.Search(n, func(i int) bool { return string(t.At(uint32(i*width))) >= code })
	if i == n || string(t.At(uint32(i*width))) != code {
		return ""
	}
	return string(t.At(uint32(i*width + width - 1)))
}

package layout

import (
	"cmp"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/snapshot"
)

// A Vocabulary holds what codes stand for.
type Vocabulary struct {
	Languages, Countries []catalog.Term
	Subdivisions, Cities snapshot.Texts // as in the columns
}

// SubdivisionList returns the states and provinces, by code.
func (v *Vocabulary) SubdivisionList() []catalog.Subdivision {
	return snapshot.SubdivisionList(&v.Subdivisions)
}

// CityList returns the cities, by code.
func (v *Vocabulary) CityList() []catalog.City { return snapshot.CityList(&v.Cities) }

// Label returns the name of a code, or the code when it has none.
func Label(terms []catalog.Term, code string, locale int) string {
	return cmp.Or(LabelsOf(terms, code)[locale], code)
}

// LabelsOf returns the names of a code, which are empty when it has none.
func LabelsOf(terms []catalog.Term, code string) *catalog.Labels {
	at, ok := slices.BinarySearchFunc(terms, code, func(t catalog.Term, code string) int { return strings.Compare(t.Code, code) })
	if !ok {
		return new(catalog.Labels)
	}
	return &terms[at].Name
}

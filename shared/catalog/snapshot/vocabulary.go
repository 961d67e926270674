package snapshot

import (
	"maps"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
)

// A vocabulary is stored as texts, a fixed number for each entry, in the order
// of the codes. It is small and read as a whole, so that it needs no columns.

// vocabulary appends the vocabularies and aliases of reg.
func (p *packer) vocabulary(reg *catalog.Register) {
	c := p.c
	for _, k := range sorted(p.categories(reg), func(k catalog.Category) string { return k.ID }) {
		c.Categories.add(k.ID, k.Icon)
		c.Categories.add(k.Name[:]...)
		c.Categories.add(k.Description[:]...)
	}
	addTerms(&c.Languages, reg.Languages)
	addTerms(&c.Countries, reg.Countries)
	for _, s := range sorted(reg.Subdivisions, func(s catalog.Subdivision) string { return s.Code }) {
		c.Subdivisions.add(s.Code, s.Country, s.Name)
	}
	for _, t := range sorted(reg.Cities, func(t catalog.City) string { return t.Code }) {
		c.Cities.add(t.Code, t.Country, t.Subdivision, t.Name)
	}
	addAliases(&c.ChannelAliases, reg.ChannelAliases)
	addAliases(&c.StreamAliases, reg.StreamAliases)
}

// categories returns the categories of reg, and those that only records have,
// named by their ids. It must be called after all records were packed.
func (p *packer) categories(reg *catalog.Register) []catalog.Category {
	list := slices.Clone(reg.Categories)
	known := map[string]bool{}
	for _, k := range list {
		known[k.ID] = true
	}
	for i := range uint32(p.c.Topics.Len()) {
		for _, value := range p.c.Lists.At(p.c.Topics.Row(i)[TopicCategoryList]) {
			if id := string(p.c.Values.At(value)); !known[id] {
				known[id] = true
				list = append(list, catalog.Category{ID: id, Name: catalog.Labels{id, id, id, id, id}})
			}
		}
	}
	return list
}

func addTerms(t *Texts, terms []catalog.Term) {
	for _, term := range sorted(terms, func(term catalog.Term) string { return term.Code }) {
		t.add(term.Code)
		t.add(term.Name[:]...)
	}
}

// addAliases appends aliases in the order of the ids that they replace.
func addAliases(t *Texts, aliases map[string]string) {
	for _, from := range slices.Sorted(maps.Keys(aliases)) {
		t.add(from, aliases[from])
	}
}

func sorted[T any](list []T, key func(T) string) []T {
	return slices.SortedStableFunc(slices.Values(list), func(a, b T) int { return strings.Compare(key(a), key(b)) })
}

func (t *Texts) add(list ...string) {
	for _, s := range list {
		t.Add(valid(s))
	}
}

// entry returns the texts of entry i of a vocabulary of the given width.
func (t *Texts) entry(i, width int) []string {
	out := make([]string, width)
	for k := range out {
		out[k] = string(t.At(uint32(i*width + k)))
	}
	return out
}

// CategoryList returns the vocabulary of categories, by id.
func (c *Columns) CategoryList() []catalog.Category {
	return entries(&c.Categories, CategoryWidth, func(e []string) catalog.Category {
		half := 2 + len(catalog.Labels{})
		return catalog.Category{ID: e[0], Icon: e[1], Name: catalog.Labels(e[2:half]), Description: catalog.Labels(e[half:])}
	})
}

// LanguageList returns the vocabulary of languages, by code.
func (c *Columns) LanguageList() []catalog.Term { return terms(&c.Languages) }

// CountryList returns the vocabulary of countries, by code.
func (c *Columns) CountryList() []catalog.Term { return terms(&c.Countries) }

// SubdivisionList returns the entries of a vocabulary of subdivisions.
func SubdivisionList(t *Texts) []catalog.Subdivision {
	return entries(t, SubdivisionWidth, func(e []string) catalog.Subdivision {
		return catalog.Subdivision{Code: e[0], Country: e[1], Name: e[2]}
	})
}

// CityList returns the entries of a vocabulary of cities.
func CityList(t *Texts) []catalog.City {
	return entries(t, CityWidth, func(e []string) catalog.City {
		return catalog.City{Code: e[0], Country: e[1], Subdivision: e[2], Name: e[3]}
	})
}

func terms(t *Texts) []catalog.Term {
	return entries(t, TermWidth, func(e []string) catalog.Term {
		return catalog.Term{Code: e[0], Name: catalog.Labels(e[1:])}
	})
}

func entries[T any](t *Texts, width int, of func([]string) T) []T {
	out := make([]T, 0, t.Len()/width)
	for i := range t.Len() / width {
		out = append(out, of(t.entry(i, width)))
	}
	return out
}

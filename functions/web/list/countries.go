package list

import (
	"context"
	"unicode/utf8"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// A letter is a letter with the countries whose names begin with it.
type letter struct {
	Letter    string
	Countries []part.Chip
}

// countries shows all countries that have channels or stations.
func (s *Server) countries(_ context.Context, l i18n.Locale, _ struct{}) (*page.Sheet, error) {
	at, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	a := s.memo.of(at, countriesKey{l}, func() any {
		v := s.Pages.View(site.Countries, l, nil)
		v.Body = lettersOf(v, s.countryFacets(at, l))
		shown, err := v.Show()
		return atlas{shown, err}
	}).(atlas)
	return a.shown, a.err
}

// An atlas is the page of all countries, which stays the same while a view of the
// catalog is shown.
type atlas struct {
	shown *page.Sheet
	err   error
}

type countriesKey struct{ locale i18n.Locale }

// lettersOf groups countries, which are sorted by name, by their first letter. A
// country without a page of its own leads to a search.
func lettersOf(v *page.View, list []catalog.CountryFacet) []letter {
	var letters []letter
	for _, f := range list {
		path := v.Country(f.Code)
		if path == "" {
			all := wanted{path: v.Path("home")}.nothing().of(filter.Any)
			all.Country = f.Code
			path = all.address()
		}
		if first := initial(f.Name); len(letters) == 0 || letters[len(letters)-1].Letter != first {
			letters = append(letters, letter{Letter: first})
		}
		last := &letters[len(letters)-1]
		last.Countries = append(last.Countries, part.Chip{Text: f.Name, Href: path, Flag: f.Code, Count: v.Locale.Number(f.Count)})
	}
	return letters
}

// initial returns the letter of a name without its accent, in upper case.
func initial(name string) string {
	r, size := utf8.DecodeRuneInString(site.Slug(name))
	if size == 0 {
		return "#"
	}
	if 'a' <= r && r <= 'z' {
		r += 'A' - 'a'
	}
	return string(r)
}

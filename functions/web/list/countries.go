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

// A letter is a section of the index: a letter with the countries whose names begin
// with it.
type letter struct {
	Letter    string
	Countries []part.Chip
}

// countries shows all countries that have channels or stations. The page is
// rendered once for each locale and view of the catalog.
func (s *Server) countries(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	a := s.memo.Get(snapshot, countriesKey{l}, func() any {
		v := s.Pages.View(site.Countries, l, nil)
		v.Body = lettersOf(v, s.countryFacets(snapshot, l))
		rendered, err := v.Show()
		return renderedIndex{rendered, err}
	}).(renderedIndex)
	return a.page, a.err
}

// A renderedIndex is the memoized page of all countries, or the error of rendering
// it, which would be the same at the next request.
type renderedIndex struct {
	page *page.Rendered
	err  error
}

type countriesKey struct{ locale i18n.Locale }

// lettersOf groups countries by their first letter; list must be sorted by name. A
// country without a page of its own is linked to a search for it.
func lettersOf(v *page.View, list []catalog.CountryFacet) []letter {
	var letters []letter
	for _, f := range list {
		path := v.Country(f.Code)
		if path == "" {
			all := wanted{path: v.Path("home")}.unfiltered().withKind(filter.Any)
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

// initial returns the first letter of a name in upper case without its accent; "#"
// for a name without Latin letters or digits.
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

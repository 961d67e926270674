package web

import (
	"context"
	"unicode/utf8"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// A letter is the countries whose names begin with it.
type letter struct {
	Letter    string
	Countries []choice
}

// countries shows all countries that have channels or stations.
func (s *Server) countries(_ context.Context, l i18n.Locale, _ struct{}) (*sheet, error) {
	at, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	page := s.memo.of(at, countriesKey{l}, func() any {
		v := s.view(site.Countries, l, nil)
		v.Body = lettersOf(v, s.countryFacets(at, l))
		shown, err := v.show()
		return atlas{shown, err}
	}).(atlas)
	return page.shown, page.err
}

// An atlas is the page of all countries, which is the same for as long as the
// catalog is.
type atlas struct {
	shown *sheet
	err   error
}

type countriesKey struct{ locale i18n.Locale }

// lettersOf groups countries, which come by name, by the letter that they are
// looked for at. One without a page of its own leads to a search.
func lettersOf(v *view, list []catalog.CountryFacet) []letter {
	var letters []letter
	for _, f := range list {
		path := v.Country(f.Code)
		if path == "" {
			path = wanted{listIn: listIn{Kind: kindAll, Playable: true}, Country: f.Code, path: v.Path("home")}.address()
		}
		if first := initial(f.Name); len(letters) == 0 || letters[len(letters)-1].Letter != first {
			letters = append(letters, letter{Letter: first})
		}
		last := &letters[len(letters)-1]
		last.Countries = append(last.Countries, choice{Text: f.Name, Href: path, Flag: f.Code, Count: v.Locale.Number(f.Count)})
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

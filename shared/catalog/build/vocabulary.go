package build

import (
	"cmp"
	"slices"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/clean"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/source"
)

// icons are the emoji of the categories, which the sources do not provide.
var icons = map[string]string{
	"animation": "🎨", "auto": "🚗", "business": "💼", "classic": "📽️", "comedy": "😂", "cooking": "🍳",
	"culture": "🏛️", "documentary": "🎥", "education": "🎓", "entertainment": "🎭", "family": "👪",
	"general": "📺", "interactive": "🕹️", "kids": "🧸", "legislative": "⚖️", "lifestyle": "🌿", "movies": "🎬",
	"music": "🎵", "news": "📰", "outdoor": "🏕️", "public": "🏢", "relax": "🧘", "religious": "🛐",
	"science": "🔬", "series": "🍿", "shop": "🛒", "sports": "⚽", "travel": "✈️", "weather": "⛅",
}

// vocabulary fills in the vocabularies of reg: all categories, and of the other
// lists only the entries that a record uses, so that no filter offers a value
// without matches.
func vocabulary(reg *catalog.Register, ds *source.Dataset) {
	used := usage(reg.Records)
	reg.Categories = categories(ds.Categories)
	reg.Languages = terms(used.languages, names(ds.Languages, func(l *source.Language) (string, string) { return l.Code, l.Name }), i18n.LanguageName)
	reg.Countries = terms(used.countries, names(ds.Countries, func(c *source.Country) (string, string) { return clean.Country(c.Code), c.Name }), i18n.CountryName)
	for _, s := range ds.Subdivisions {
		if used.subdivisions[s.Code] {
			reg.Subdivisions = append(reg.Subdivisions, catalog.Subdivision{Code: s.Code, Country: clean.Country(s.Country), Name: clean.Text(s.Name, clean.MaxName)})
			used.subdivisions[s.Code] = false
		}
	}
	for _, c := range ds.Cities {
		if used.cities[c.Code] {
			reg.Cities = append(reg.Cities, catalog.City{Code: c.Code, Country: clean.Country(c.Country), Subdivision: c.Subdivision, Name: clean.Text(c.Name, clean.MaxName)})
			used.cities[c.Code] = false
		}
	}
}

// codes are the codes that records use.
type codes struct{ languages, countries, subdivisions, cities map[string]bool }

// usage returns the codes that records use.
func usage(records []catalog.Record) codes {
	w := codes{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for i := range records {
		r := &records[i]
		for _, l := range r.Languages {
			w.languages[l] = true
		}
		w.countries[r.Country] = true
		w.subdivisions[r.Subdivision] = true
		w.cities[r.City] = true
	}
	delete(w.countries, "")
	return w
}

func categories(rows []source.Category) []catalog.Category {
	var out []catalog.Category
	seen := map[string]bool{}
	for _, row := range rows {
		id := clean.Text(row.ID, 64)
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		out = append(out, catalog.Category{
			ID: id, Icon: icons[id],
			Name:        message("category."+id, cmp.Or(clean.Text(row.Name, clean.MaxName), id)),
			Description: message("category_description."+id, clean.Text(row.Description, clean.MaxText)),
		})
	}
	slices.SortFunc(out, func(a, b catalog.Category) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// message returns the texts of key in every locale, or fallback in all of them
// when our messages lack the key.
func message(key, fallback string) catalog.Labels {
	var labels catalog.Labels
	for i, l := range i18n.Locales {
		labels[i] = fallback
		if i18n.Has(key) {
			labels[i] = l.T(key, nil)
		}
	}
	return labels
}

// names returns the English names of the source by code.
func names[T any](rows []T, of func(*T) (code, name string)) map[string]string {
	m := make(map[string]string, len(rows))
	for i := range rows {
		code, name := of(&rows[i])
		m[code] = clean.Text(name, clean.MaxName)
	}
	return m
}

// terms returns the used codes, sorted, with their names in every locale; a
// name that a locale lacks is the source's English name, or else the code.
func terms(used map[string]bool, english map[string]string, name func(code string, l i18n.Locale) (string, bool)) []catalog.Term {
	out := make([]catalog.Term, 0, len(used))
	for code := range used {
		t := catalog.Term{Code: code}
		for i, l := range i18n.Locales {
			if s, ok := name(code, l); ok {
				t.Name[i] = s
			} else {
				t.Name[i] = cmp.Or(english[code], code)
			}
		}
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b catalog.Term) int { return cmp.Compare(a.Code, b.Code) })
	return out
}

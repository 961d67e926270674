package list

import (
	"html/template"
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
)

// A menu is a filter of the form that has many values.
type menu struct {
	Name, Label string
	Options     template.HTML
}

// menus returns the filters of the form that have too many values for links.
func (s *Server) menus(v *page.View, at *index.View, w wanted) []menu {
	l, kind := v.Locale, w.kind()
	var all []menu
	add := func(name, value, label string, list func() []option) {
		key := menuKey{name, kind, l}
		rest := s.memo.of(at, key, func() any { return optionsHTML(list()) }).(template.HTML)
		all = append(all, menu{name, v.T("list." + name), chosenHTML(v.T("list.any"), value, label) + rest})
	}
	if !w.fixed {
		add("country", w.Country, v.CountryName(w.Country), func() []option { return countryOptions(at.Countries(kind, int(l))) })
	}
	add("language", w.Language, languageName(at, l, w.Language), func() []option { return languageOptions(at.Languages(kind, int(l))) })
	add("quality", w.Quality, w.Quality, func() []option { return qualityOptions(at.Qualities(kind)) })
	return all
}

type menuKey struct {
	name, kind string
	locale     i18n.Locale
}

type option struct{ value, text string }

func countryOptions(list []catalog.CountryFacet) (all []option) {
	for _, f := range list {
		all = append(all, option{f.Code, f.Name})
	}
	return all
}

func languageOptions(list []catalog.LanguageFacet) (all []option) {
	for _, f := range list {
		all = append(all, option{f.Code, f.Name})
	}
	return all
}

func qualityOptions(list []catalog.QualityFacet) (all []option) {
	for _, f := range list[:min(len(list), 16)] {
		all = append(all, option{f.ID, f.Name})
	}
	return all
}

// optionsHTML writes the options of a menu, of which there are hundreds. They are
// kept for as long as the catalog is shown.
func optionsHTML(list []option) template.HTML {
	var b strings.Builder
	for _, o := range list[:min(len(list), menuSize)] {
		b.WriteString(`<option value="` + template.HTMLEscapeString(o.value) + `">` + template.HTMLEscapeString(o.text) + `</option>`)
	}
	return template.HTML(b.String())
}

// chosenHTML writes the first options of a menu: any value, and the selected one.
func chosenHTML(any, value, label string) template.HTML {
	html := `<option value="">` + template.HTMLEscapeString(any) + `</option>`
	if value != "" {
		html += `<option selected value="` + template.HTMLEscapeString(value) + `">` + template.HTMLEscapeString(label) + `</option>`
	}
	return template.HTML(html)
}

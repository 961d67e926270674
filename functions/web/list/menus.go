package list

import (
	"html/template"
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog/filter"
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
	var all []menu
	for _, id := range formMenus {
		if w.fixed && id == filter.Country {
			continue
		}
		key := menuKey{id, w.kind(), v.Locale}
		rest := s.memo.of(at, key, func() any { return optionsHTML(optionsOf(at, key)) }).(template.HTML)
		name := filter.All[id].Name
		all = append(all, menu{name, v.T("list." + name), chosenHTML(v.T("list.any"), w.Value(id), w.Label(id, at, v.Locale)) + rest})
	}
	return all
}

// A menuKey names the options of a menu: a filter's values that channels of a
// kind have, in a locale.
type menuKey struct {
	filter filter.ID
	kind   string
	locale i18n.Locale
}

type option struct{ value, text string }

// maxQualities is how many qualities a menu offers: the most frequent.
const maxQualities = 16

// optionsOf returns the options of a menu.
func optionsOf(at *index.View, key menuKey) (all []option) {
	switch key.filter {
	case filter.Country:
		for _, f := range at.Countries(key.kind, int(key.locale)) {
			all = append(all, option{f.Code, f.Name})
		}
	case filter.Language:
		for _, f := range at.Languages(key.kind, int(key.locale)) {
			all = append(all, option{f.Code, f.Name})
		}
	case filter.Quality:
		list := at.Qualities(key.kind)
		for _, f := range list[:min(len(list), maxQualities)] {
			all = append(all, option{f.ID, f.Name})
		}
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

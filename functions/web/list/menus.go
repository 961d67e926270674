package list

import (
	"html/template"
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
)

// A menu is a select element of the form, for a filter that has many values.
type menu struct {
	Name    string        // of the query parameter
	Label   string        // in the language of the page
	Options template.HTML // option elements, the selected one first
}

// menus returns the menus of the form. The options after the first two depend only
// on the filter, the kind and the locale, and are written once for each view of the
// catalog; the selected value is repeated before them, so that it can be marked
// without writing the others again.
func (s *Server) menus(v *page.View, snapshot *index.View, w wanted) []menu {
	var all []menu
	for _, id := range formMenus {
		if w.fixed && id == filter.Country {
			continue
		}
		key := menuKey{id, w.kind(), v.Locale}
		rest := s.memo.get(snapshot, key, func() any { return optionsHTML(optionsOf(snapshot, key)) }).(template.HTML)
		name := filter.All[id].Name
		all = append(all, menu{name, v.T("list." + name), chosenHTML(v.T("list.any"), w.Value(id), w.Label(id, snapshot, v.Locale)) + rest})
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

// An option is a value of a menu with its label.
type option struct{ value, text string }

// maxQualities is how many qualities a menu offers, the most frequent ones.
const maxQualities = 16

// optionsOf returns the options of a menu in the order of the index: countries and
// languages by name, qualities by frequency.
func optionsOf(snapshot *index.View, key menuKey) (all []option) {
	switch key.filter {
	case filter.Country:
		for _, f := range snapshot.Countries(key.kind, int(key.locale)) {
			all = append(all, option{f.Code, f.Name})
		}
	case filter.Language:
		for _, f := range snapshot.Languages(key.kind, int(key.locale)) {
			all = append(all, option{f.Code, f.Name})
		}
	case filter.Quality:
		list := snapshot.Qualities(key.kind)
		for _, f := range list[:min(len(list), maxQualities)] {
			all = append(all, option{f.ID, f.Name})
		}
	}
	return all
}

// optionsHTML returns the option elements of a menu, at most menuSize of them.
func optionsHTML(list []option) template.HTML {
	var b strings.Builder
	for _, o := range list[:min(len(list), menuSize)] {
		b.WriteString(`<option value="` + template.HTMLEscapeString(o.value) + `">` + template.HTMLEscapeString(o.text) + `</option>`)
	}
	return template.HTML(b.String())
}

// chosenHTML returns the first option elements of a menu: one for any value, and
// the selected value unless that is empty.
func chosenHTML(anyText, value, label string) template.HTML {
	html := `<option value="">` + template.HTMLEscapeString(anyText) + `</option>`
	if value != "" {
		html += `<option selected value="` + template.HTMLEscapeString(value) + `">` + template.HTMLEscapeString(label) + `</option>`
	}
	return template.HTML(html)
}

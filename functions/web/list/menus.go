package list

import (
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog"
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
		rest := s.memo.Get(snapshot, key, func() any { return optionsHTML(optionsOf(snapshot, key)) }).(template.HTML)
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

// optionsOf returns the options of a menu: countries and languages by name, of the
// qualities the most frequent ones, the best first.
func optionsOf(snapshot *index.View, key menuKey) (all []option) {
	switch key.filter {
	case filter.Country:
		for _, f := range snapshot.Countries(key.kind, int(key.locale)) {
			all = append(all, option{f.Code, f.Name})
		}
	case filter.Language:
		all = languageOptions(snapshot.Languages(key.kind, int(key.locale)))
	case filter.Quality:
		list := snapshot.Qualities(key.kind)
		for _, f := range list[:min(len(list), maxQualities)] {
			all = append(all, option{f.ID, f.Name})
		}
		slices.SortStableFunc(all, func(a, b option) int { return leadingNumber(b.text) - leadingNumber(a.text) })
	}
	return all
}

// languageOptions returns one option for each name: some languages have a code of their
// own and share the name of the group that they belong to. Of those the code with most
// channels stays.
func languageOptions(list []catalog.LanguageFacet) (all []option) {
	most := map[string]catalog.LanguageFacet{}
	for _, f := range list {
		if f.Count > most[f.Name].Count {
			most[f.Name] = f
		}
	}
	for _, f := range list {
		if most[f.Name].Code == f.Code {
			all = append(all, option{f.Code, f.Name})
		}
	}
	return all
}

// leadingNumber returns the number that a quality begins with, such as 1080 for 1080p, by
// which qualities are ordered; a codec, which has none, comes first.
func leadingNumber(text string) int {
	digits := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return math.MaxInt32
	}
	return n
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

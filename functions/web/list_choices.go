package web

import (
	"cmp"
	"html/template"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
)

// How many are offered at once: of tags as links, of values in a menu, of
// countries at the start.
const (
	tagCount     = 24
	menuSize     = 300
	countryCount = 18
)

// maxTopic is the length of the longest category or tag that can be asked for,
// as listIn has it; stations have longer tags.
const maxTopic = 64

// A choice is a link that narrows, widens or turns a list.
type choice struct {
	ID      string // of its element, which keeps the focus when the list changes
	Text    string
	Href    string
	Count   string // as people write it; empty for none
	Current bool
	Value   string // of what is checked in a form
	Flag    string // of a country: the address of its flag
}

// A chipKind says which stamp a choice has.
type chipKind struct {
	there   int // as filled says
	current bool
}

func (c *choice) texts() []*string { return []*string{&c.ID, &c.Text, &c.Href, &c.Count, &c.Flag} }

func (c *choice) kind(there int) any { return chipKind{there, c.Current} }

// Chips returns choices as links, as their template would write them.
func (v *view) Chips(choices []choice) (template.HTML, error) {
	return written(&v.server.stamps, "_chip.html", choices, 256)
}

// Chip returns one of them.
func (v *view) Chip(c choice) (template.HTML, error) { return v.Chips([]choice{c}) }

// tabs returns the kinds, of which one may be the current. Near counts what is
// near the words too, which takes longer.
func (s *Server) tabs(v *view, at *index.View, w wanted, current string, near bool) []choice {
	var tabs []choice
	for _, kind := range []string{kindTV, kindRadio, kindAll} {
		x := w.of(kind)
		n := s.total(at, x)
		if n == 0 && near {
			n = s.near(at, x)
		}
		tabs = append(tabs, choice{
			ID: "kind-" + kind, Text: v.T("list.kind_" + kind), Href: x.address(),
			Count: v.Locale.Number(n), Current: kind == current,
		})
	}
	return tabs
}

// topics returns the categories of what w finds in any category, of which found
// are those of what it finds; of stations the tags that are most frequent.
func (s *Server) topics(v *view, at *index.View, w wanted, found []catalog.CategoryCount) []choice {
	if w.kind() == kindRadio {
		return tagsOf(v, w, s.tags(at, w.Country))
	}
	if w.Category == "" {
		return topicsOf(v, w, found)
	}
	any := w
	any.Category, any.Offset = "", 0
	return topicsOf(v, w, at.Cards(s.query(any, 0), int(v.Locale)).Categories)
}

// tags returns the most frequent tags of a country. To count them takes a while,
// so those of what may be a country are kept.
func (s *Server) tags(at *index.View, country string) []catalog.TagFacet {
	count := func() any { return at.Tags(country, tagCount) }
	if len(country) != 2 || strings.Trim(country, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return count().([]catalog.TagFacet)
	}
	return s.memo.of(at, tagsKey{country}, count).([]catalog.TagFacet)
}

type tagsKey struct{ country string }

func topicsOf(v *view, w wanted, counts []catalog.CategoryCount) []choice {
	topics := make([]choice, 0, len(counts))
	for _, c := range counts {
		if utf8.RuneCountInString(c.ID) > maxTopic {
			continue
		}
		topics = append(topics, choice{
			ID: "topic-" + c.ID, Text: c.Name, Count: v.Locale.Number(c.Count), Current: c.ID == w.Category,
			Href: w.but(func(w *wanted) { w.Category = other(w.Category, c.ID) }),
		})
	}
	return topics
}

func tagsOf(v *view, w wanted, counts []catalog.TagFacet) []choice {
	topics := make([]choice, 0, len(counts))
	for _, c := range counts {
		if utf8.RuneCountInString(c.ID) > maxTopic {
			continue
		}
		topics = append(topics, choice{
			ID: "topic-" + c.ID, Text: c.Name, Count: v.Locale.Number(c.Count), Current: c.ID == w.Tag,
			Href: w.but(func(w *wanted) { w.Kind, w.Tag = kindRadio, other(w.Tag, c.ID) }),
		})
	}
	return topics
}

// other returns what a press on a value chooses: it, or nothing when it was
// chosen already.
func other(was, value string) string {
	if was == value {
		return ""
	}
	return value
}

// active returns the filters of w, each as the link that drops it.
func (s *Server) active(v *view, at *index.View, w wanted) []choice {
	var all []choice
	add := func(name, text string, drop func(*wanted)) {
		if text != "" {
			all = append(all, choice{ID: "drop-" + name, Text: text, Href: w.but(drop)})
		}
	}
	if w.Q != "" {
		add("q", v.T("list.quoted", "q", w.Q), func(w *wanted) { w.Q = "" })
	}
	if w.Country != "" && !w.fixed {
		add("country", v.CountryName(w.Country), func(w *wanted) { w.Country = "" })
	}
	add("category", categoryName(at, v.Locale, w.Category), func(w *wanted) { w.Category = "" })
	add("language", languageName(at, v.Locale, w.Language), func(w *wanted) { w.Language = "" })
	add("network", w.Network, func(w *wanted) { w.Network = "" })
	add("quality", w.Quality, func(w *wanted) { w.Quality = "" })
	add("tag", w.Tag, func(w *wanted) { w.Kind, w.Tag = w.kind(), "" })
	if w.Guide {
		add("guide", v.T("list.with_guide"), func(w *wanted) { w.Guide = false })
	}
	if w.Online {
		add("online", v.T("list.with_online"), func(w *wanted) { w.Online = false })
	}
	if !w.Playable {
		add("playable", v.T("list.with_unplayable"), func(w *wanted) { w.Playable = true })
	}
	return all
}

func categoryName(at *index.View, l i18n.Locale, id string) string {
	list := at.Categories(int(l))
	if i := slices.IndexFunc(list, func(c catalog.CategoryFacet) bool { return c.ID == id }); i >= 0 {
		return cmp.Or(list[i].Name, id)
	}
	return id
}

func languageName(at *index.View, l i18n.Locale, code string) string {
	if code == "" {
		return ""
	}
	list := at.Languages(kindAll, int(l))
	if i := slices.IndexFunc(list, func(f catalog.LanguageFacet) bool { return f.Code == code }); i >= 0 {
		return list[i].Name
	}
	name, ok := i18n.LanguageName(code, l)
	if !ok {
		return code
	}
	return name
}

// sortsOf returns the orders that make sense for w.
func sortsOf(v *view, w wanted) []choice {
	var sorts []choice
	for _, sort := range []string{"relevance", "score", "votes", "name"} {
		if sort == "relevance" && w.Q == "" || sort == "votes" && w.kind() == kindTV {
			continue
		}
		sorts = append(sorts, choice{
			ID: "sort-" + sort, Text: v.T("list.sort_" + sort), Current: sort == w.sort(),
			Href: w.but(func(w *wanted) {
				w.Kind, w.Sort = w.kind(), ""
				if w.sort() != sort {
					w.Sort = sort
				}
			}),
		})
	}
	return sorts
}

// flagsOf returns what the form checks.
func flagsOf(v *view, w wanted) []choice {
	return []choice{
		{ID: "online", Value: "1", Text: v.T("list.online"), Current: w.Online},
		{ID: "guide", Value: "1", Text: v.T("list.guide"), Current: w.Guide},
		{ID: "playable", Value: "0", Text: v.T("list.unplayable"), Current: !w.Playable},
	}
}

// try returns ways out of a list that found nothing, each of which finds
// something.
func (s *Server) try(v *view, at *index.View, w wanted, active []choice) []choice {
	var ways []choice
	offer := func(id, text string, x wanted) {
		x.Offset = 0
		if n := s.total(at, x); n > 0 {
			ways = append(ways, choice{ID: "try-" + id, Text: text, Href: x.address(), Count: v.Locale.Number(n)})
		}
	}
	if offer("first", v.T("list.try_first"), w); len(ways) > 0 {
		return ways
	}
	for _, kind := range []string{kindTV, kindRadio} {
		if kind != w.kind() {
			offer(kind, v.T("list.try_"+kind), w.of(kind))
		}
	}
	if w.Playable {
		x := w
		x.Playable = false
		offer("unplayable", v.T("list.try_unplayable"), x)
	}
	for _, a := range active {
		name := strings.TrimPrefix(a.ID, "drop-")
		offer("without-"+name, v.T("list.try_without", "name", a.Text), w.without(name))
	}
	return ways
}

// without returns w without the filter of a name.
func (w wanted) without(name string) wanted {
	w.Kind = w.kind()
	switch name {
	case "q":
		w.Q = ""
	case "country":
		w.Country = ""
	case "category":
		w.Category = ""
	case "language":
		w.Language = ""
	case "network":
		w.Network = ""
	case "quality":
		w.Quality = ""
	case "tag":
		w.Tag = ""
	case "guide":
		w.Guide = false
	case "online":
		w.Online = false
	case "playable":
		w.Playable = true
	}
	return w
}

// menus returns the choices of the form that have too many values for links.
func (s *Server) menus(v *view, at *index.View, w wanted) []menu {
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

// optionsHTML writes the options of a menu. They are written once for each
// catalog: there are hundreds of them.
func optionsHTML(list []option) template.HTML {
	var b strings.Builder
	for _, o := range list[:min(len(list), menuSize)] {
		b.WriteString(`<option value="` + template.HTMLEscapeString(o.value) + `">` + template.HTMLEscapeString(o.text) + `</option>`)
	}
	return template.HTML(b.String())
}

// chosenHTML writes the first options of a menu: any value, and the chosen one.
func chosenHTML(any, value, label string) template.HTML {
	html := `<option value="">` + template.HTMLEscapeString(any) + `</option>`
	if value != "" {
		html += `<option selected value="` + template.HTMLEscapeString(value) + `">` + template.HTMLEscapeString(label) + `</option>`
	}
	return template.HTML(html)
}

// countryFacets returns all countries that have channels or stations.
func (s *Server) countryFacets(at *index.View, l i18n.Locale) []catalog.CountryFacet {
	return at.Countries(kindAll, int(l))
}

type mostKey struct{ locale i18n.Locale }

// mostOf returns the countries with the most channels, as links.
func (s *Server) mostOf(v *view, at *index.View, all []catalog.CountryFacet) []choice {
	return s.memo.of(at, mostKey{v.Locale}, func() any {
		most := slices.Clone(all)
		slices.SortStableFunc(most, func(a, b catalog.CountryFacet) int { return cmp.Compare(b.Count, a.Count) })
		var links []choice
		for _, f := range most {
			if path := v.Country(f.Code); path != "" && len(links) < countryCount {
				links = append(links, choice{Text: f.Name, Href: path, Flag: v.Flag(f.Code), Count: v.Locale.Number(f.Count)})
			}
		}
		return links
	}).([]choice)
}

// A memo keeps what was made of a catalog for as long as it is shown.
type memo struct {
	mu   sync.Mutex
	view *index.View
	made map[any]any
}

// of returns what make returned the first time for a key and a catalog. Keys are
// few: of kinds and locales, never of what people type.
func (m *memo) of(at *index.View, key any, make func() any) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.view != at {
		m.view, m.made = at, map[any]any{}
	}
	made, ok := m.made[key]
	if !ok {
		made = make()
		m.made[key] = made
	}
	return made
}

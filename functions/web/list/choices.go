package list

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
)

// How many choices are offered: tags as links, values of a menu, and countries at
// the start.
const (
	tagCount     = 24
	menuSize     = 300
	countryCount = 18
)

// maxTopic is the greatest length of a category or tag in a query, as listIn
// limits it. Some stations have longer tags.
const maxTopic = 64

// tabs returns the kinds, of which one may be the current. With near, a kind
// without an exact match is counted by similar spellings, which takes longer.
func (s *Server) tabs(v *page.View, at *index.View, w wanted, current string, near bool) part.Chips {
	var tabs part.Chips
	for _, kind := range []string{kindTV, kindRadio, kindAll} {
		x := w.of(kind)
		n := s.total(at, x)
		if n == 0 && near {
			n = s.near(at, x)
		}
		tabs = append(tabs, part.Chip{
			ID: "kind-" + kind, Text: v.T("list.kind_" + kind), Href: x.address(),
			Count: v.Locale.Number(n), Current: kind == current,
		})
	}
	return tabs
}

// topics returns the categories of the matches of w in any category, where found
// are those of its own matches; for stations it returns the most frequent tags.
func (s *Server) topics(v *page.View, at *index.View, w wanted, found []catalog.CategoryCount) part.Chips {
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

// tags returns the most frequent tags of a country. Counting them is slow, so the
// result is kept for anything that may be a country code.
func (s *Server) tags(at *index.View, country string) []catalog.TagFacet {
	count := func() any { return at.Tags(country, tagCount) }
	if len(country) != 2 || strings.Trim(country, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return count().([]catalog.TagFacet)
	}
	return s.memo.of(at, tagsKey{country}, count).([]catalog.TagFacet)
}

type tagsKey struct{ country string }

// topicsOf returns categories as links that select or deselect them.
func topicsOf(v *page.View, w wanted, counts []catalog.CategoryCount) part.Chips {
	topics := make(part.Chips, 0, len(counts))
	for _, c := range counts {
		if utf8.RuneCountInString(c.ID) > maxTopic {
			continue
		}
		topics = append(topics, part.Chip{
			ID: "topic-" + c.ID, Text: c.Name, Count: v.Locale.Number(c.Count), Current: c.ID == w.Category,
			Href: w.firstOf(func(w *wanted) { w.Category = other(w.Category, c.ID) }),
		})
	}
	return topics
}

// tagsOf returns tags of stations as links that select or deselect them.
func tagsOf(v *page.View, w wanted, counts []catalog.TagFacet) part.Chips {
	topics := make(part.Chips, 0, len(counts))
	for _, c := range counts {
		if utf8.RuneCountInString(c.ID) > maxTopic {
			continue
		}
		topics = append(topics, part.Chip{
			ID: "topic-" + c.ID, Text: c.Name, Count: v.Locale.Number(c.Count), Current: c.ID == w.Tag,
			Href: w.firstOf(func(w *wanted) { w.Kind, w.Tag = kindRadio, other(w.Tag, c.ID) }),
		})
	}
	return topics
}

// other returns what a press on a value selects: the value, or nothing when it was
// selected already.
func other(was, value string) string {
	if was == value {
		return ""
	}
	return value
}

// active returns the filters in use, each as a link that drops it.
func (s *Server) active(v *page.View, at *index.View, w wanted) part.Chips {
	var all part.Chips
	add := func(name, text string, drop func(*wanted)) {
		if text != "" {
			all = append(all, part.Chip{ID: "drop-" + name, Text: text, Href: w.firstOf(drop)})
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

// categoryName returns the name of a category, or its id when it has none.
func categoryName(at *index.View, l i18n.Locale, id string) string {
	list := at.Categories(int(l))
	if i := slices.IndexFunc(list, func(c catalog.CategoryFacet) bool { return c.ID == id }); i >= 0 {
		return cmp.Or(list[i].Name, id)
	}
	return id
}

// languageName returns the name of a language, or its code when it has none.
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
func sortsOf(v *page.View, w wanted) part.Chips {
	var sorts part.Chips
	for _, sort := range []string{"relevance", "score", "votes", "name"} {
		if sort == "relevance" && w.Q == "" || sort == "votes" && w.kind() == kindTV {
			continue
		}
		sorts = append(sorts, part.Chip{
			ID: "sort-" + sort, Text: v.T("list.sort_" + sort), Current: sort == w.sort(),
			Href: w.firstOf(func(w *wanted) {
				w.Kind, w.Sort = w.kind(), ""
				if w.sort() != sort {
					w.Sort = sort
				}
			}),
		})
	}
	return sorts
}

// flagsOf returns the checkboxes of the form.
func flagsOf(v *page.View, w wanted) part.Chips {
	return part.Chips{
		{ID: "online", Value: "1", Text: v.T("list.online"), Current: w.Online},
		{ID: "guide", Value: "1", Text: v.T("list.guide"), Current: w.Guide},
		{ID: "playable", Value: "0", Text: v.T("list.unplayable"), Current: !w.Playable},
	}
}

// try returns searches to continue with when w found nothing. Each of them finds
// something.
func (s *Server) try(v *page.View, at *index.View, w wanted, active part.Chips) part.Chips {
	var ways part.Chips
	offer := func(id, text string, x wanted) {
		x.Offset = 0
		if n := s.total(at, x); n > 0 {
			ways = append(ways, part.Chip{ID: "try-" + id, Text: text, Href: x.address(), Count: v.Locale.Number(n)})
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

// countryFacets returns all countries that have channels or stations.
func (s *Server) countryFacets(at *index.View, l i18n.Locale) []catalog.CountryFacet {
	return at.Countries(kindAll, int(l))
}

type mostKey struct{ locale i18n.Locale }

// mostOf returns the countries with the most channels, as links.
func (s *Server) mostOf(v *page.View, at *index.View, all []catalog.CountryFacet) part.Chips {
	return s.memo.of(at, mostKey{v.Locale}, func() any {
		most := slices.Clone(all)
		slices.SortStableFunc(most, func(a, b catalog.CountryFacet) int { return cmp.Compare(b.Count, a.Count) })
		var links part.Chips
		for _, f := range most {
			if path := v.Country(f.Code); path != "" && len(links) < countryCount {
				links = append(links, part.Chip{Text: f.Name, Href: path, Flag: v.Flag(f.Code), Count: v.Locale.Number(f.Count)})
			}
		}
		return links
	}).(part.Chips)
}

package list

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
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
	for _, kind := range filter.Kinds {
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
	if w.kind() == filter.Radio {
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
			Href: w.firstOf(func(w *wanted) { w.Kind, w.Tag = filter.Radio, other(w.Tag, c.ID) }),
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
	for _, id := range w.chosen() {
		drop := func(w *wanted) {
			if _, ok := onlyKind(id); ok {
				w.Kind = w.kind() // which the filter implied
			}
			w.Clear(id)
		}
		all = append(all, part.Chip{ID: "drop-" + filter.All[id].Name, Text: textOf(v, at, w, id), Href: w.firstOf(drop)})
	}
	return all
}

// textOf returns the value of a filter in the words of the page.
func textOf(v *page.View, at *index.View, w wanted, id filter.ID) string {
	f := &filter.All[id]
	switch {
	case id == filter.Words:
		return v.T("list.quoted", "q", w.Q)
	case f.Chosen != "":
		return v.T("list.with_" + f.Chosen)
	}
	return w.Label(id, at, v.Locale)
}

// sortsOf returns the orders that make sense for w.
func sortsOf(v *page.View, w wanted) part.Chips {
	var sorts part.Chips
	for _, sort := range []string{"relevance", "score", "votes", "name"} {
		if sort == "relevance" && w.Q == "" || sort == "votes" && w.kind() == filter.TV {
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

// flagsOf returns the checkboxes of the form. One is checked while its flag
// differs from its default, and sends that value.
func flagsOf(v *page.View, w wanted) part.Chips {
	var flags part.Chips
	for _, id := range formFlags {
		f := &filter.All[id]
		flags = append(flags, part.Chip{ID: f.Name, Value: f.ChosenValue(), Text: v.T("list." + f.Chosen), Current: w.IsSet(id)})
	}
	return flags
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
	for _, kind := range []string{filter.TV, filter.Radio} {
		if kind != w.kind() {
			offer(kind, v.T("list.try_"+kind), w.of(kind))
		}
	}
	if w.Playable {
		x := w
		x.Playable = false
		offer("unplayable", v.T("list.try_unplayable"), x)
	}
	for i, id := range w.chosen() {
		offer("without-"+filter.All[id].Name, v.T("list.try_without", "name", active[i].Text), w.without(id))
	}
	return ways
}

// countryFacets returns all countries that have channels or stations.
func (s *Server) countryFacets(at *index.View, l i18n.Locale) []catalog.CountryFacet {
	return at.Countries(filter.Any, int(l))
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

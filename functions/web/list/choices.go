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

// A list page offers its next searches as links: other kinds, categories or genres,
// the filters in use to drop, and other orders. Each link is the current search
// with one change, so a search can be built and bookmarked without a script. Counts
// beside the links are of exact matches, because counting similar spellings too
// would take most of the time of a page.

// How many choices a page offers.
const (
	genreCount   = 24  // genres of stations, as links
	menuSize     = 300 // values of a menu
	countryCount = 18  // countries on the home page
)

// maxTopic is the greatest length in characters of a category in a query, as listIn
// limits it. Longer ones get no link.
const maxTopic = 64

// tabs returns a link to the search w for each kind of channel with its number of
// matches; the kind current is marked, and has total matches. When it has any, a kind
// without an exact match is counted by similar spellings, which takes longer.
func (s *Server) tabs(v *page.View, snapshot *index.View, w wanted, current string, total int) part.Chips {
	var tabs part.Chips
	for _, kind := range filter.Kinds {
		x, same := w.withKind(kind), w
		same.Kind, same.Offset = kind, 0
		n := total
		if kind != current || x != same { // which has another quality, for example
			if n = s.countExact(snapshot, x); n == 0 && total > 0 {
				n = s.countSimilar(snapshot, x)
			}
		}
		tabs = append(tabs, part.Chip{
			ID: "kind-" + kind, Text: v.T("list.kind_" + kind), Href: x.address(),
			Count: v.Locale.Number(n), Current: kind == current,
		})
	}
	return tabs
}

// topics returns links to categories: those of the matches that w would have
// without its own category, so that a visitor can change to another. found are the
// categories of the matches of w itself. For stations it returns the most frequent
// genres instead.
func (s *Server) topics(v *page.View, snapshot *index.View, w wanted, found []catalog.CategoryCount) part.Chips {
	if w.kind() == filter.Radio {
		topics := genresOf(v, w, s.genres(snapshot, w.Country, v.Locale))
		for i := range topics {
			if w.Near != "" { // the counts are of the country
				topics[i].Count = ""
			}
		}
		return topics
	}
	if w.Category == "" {
		return topicsOf(v, w, found)
	}
	wide := w
	wide.Category, wide.Offset = "", 0
	return topicsOf(v, w, snapshot.Cards(s.queryOf(snapshot, wide, 0), int(v.Locale)).Categories)
}

// A rest is the topics that a wide window shows when they are asked for.
type rest struct {
	Text   string
	Open   bool // one of them is chosen
	Topics part.Chips
}

// topicsSeen is how many topics are not folded, about a line of a desktop. Fewer than
// foldLeast are not worth folding.
const (
	topicsSeen = 10
	foldLeast  = 3
)

// folded returns the most frequent topics, and the rest when they are many.
func folded(v *page.View, topics part.Chips) (part.Chips, *rest) {
	if len(topics) < topicsSeen+foldLeast {
		return topics, nil
	}
	r := &rest{Topics: topics[topicsSeen:], Text: v.N("list.topics_more", len(topics)-topicsSeen)}
	r.Open = slices.ContainsFunc(r.Topics, func(c part.Chip) bool { return c.Current })
	return topics[:topicsSeen], r
}

// genres returns the most frequent genres of a country's stations; of all stations
// for an empty code. Counting them is slow, so the result is memoized for two
// upper-case letters: at most 676 keys for each locale, whatever visitors write into
// the query.
func (s *Server) genres(snapshot *index.View, country string, l i18n.Locale) []catalog.GenreFacet {
	count := func() any {
		all := snapshot.Genres(country, int(l))
		return all[:min(len(all), genreCount)]
	}
	if len(country) != 2 || strings.Trim(country, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return count().([]catalog.GenreFacet)
	}
	return s.memo.Get(snapshot, genresKey{country, l}, count).([]catalog.GenreFacet)
}

type genresKey struct {
	country string
	locale  i18n.Locale
}

// topicsOf returns categories as links that select or deselect them.
func topicsOf(v *page.View, w wanted, counts []catalog.CategoryCount) part.Chips {
	topics := make(part.Chips, 0, len(counts))
	for _, c := range counts {
		if utf8.RuneCountInString(c.ID) > maxTopic {
			continue
		}
		topics = append(topics, part.Chip{
			ID: "topic-" + c.ID, Text: c.Name, Count: v.Locale.Number(c.Count), Current: c.ID == w.Category,
			Href: w.firstPageWith(func(w *wanted) { w.Category = toggled(w.Category, c.ID) }),
		})
	}
	return topics
}

// genresOf returns genres of stations as links that select or deselect them.
func genresOf(v *page.View, w wanted, counts []catalog.GenreFacet) part.Chips {
	topics := make(part.Chips, 0, len(counts))
	for _, c := range counts {
		topics = append(topics, part.Chip{
			ID: "topic-" + c.ID, Text: c.Name, Count: v.Locale.Number(c.Count), Current: c.ID == w.Genre,
			Href: w.firstPageWith(func(w *wanted) { w.Kind, w.Genre = filter.Radio, toggled(w.Genre, c.ID) }),
		})
	}
	return topics
}

// toggled returns the selection after a press on value: the value, or empty when
// it was selected already.
func toggled(was, value string) string {
	if was == value {
		return ""
	}
	return value
}

// active returns the filters in use in the order of w.chosen, each as a link to the
// search without it. The link of a filter that implied the kind keeps that kind.
func (s *Server) active(v *page.View, snapshot *index.View, w wanted) part.Chips {
	var all part.Chips
	for _, id := range w.chosen() {
		drop := func(w *wanted) {
			if _, ok := onlyKind(id); ok {
				w.Kind = w.kind() // which the filter implied
			}
			w.Clear(id)
		}
		all = append(all, part.Chip{ID: "drop-" + filter.All[id].Name, Text: textOf(v, snapshot, w, id), Href: w.firstPageWith(drop)})
	}
	return all
}

// textOf returns the value of a filter as the page shows it, such as the name of
// the country for its code.
func textOf(v *page.View, snapshot *index.View, w wanted, id filter.ID) string {
	f := &filter.All[id]
	switch {
	case id == filter.Words:
		return v.T("list.quoted", "q", w.Q)
	case id == filter.WorksIn:
		return v.T("list.works_in", "country", v.CountryName(w.WorksIn))
	case id == filter.Near:
		return v.T("near.chip", "km", part.Distance(v, float64(w.Kilometres())))
	case f.Chosen != "":
		return v.T("list.with_" + f.Chosen)
	}
	return w.Label(id, snapshot, v.Locale)
}

// orders are the orders that a page offers, by the names of the parameter sort.
var orders = []string{filter.ByRelevance, filter.ByDistance, filter.ByPopularity, filter.BySureness, "score", "votes", "name"}

// sortsOf returns links to the orders that apply to w: relevance needs words, sureness
// a country, distance a place, and only stations have votes.
func sortsOf(v *page.View, w wanted) part.Chips {
	var sorts part.Chips
	for _, sort := range orders {
		if sort == filter.ByRelevance && w.Q == "" || sort == "votes" && w.kind() == filter.TV || sort == filter.BySureness && w.WorksIn == "" || sort == filter.ByDistance && w.Near == "" {
			continue
		}
		sorts = append(sorts, part.Chip{
			ID: "sort-" + sort, Text: v.T("list.sort_" + sort), Current: sort == w.sort(),
			Href: w.firstPageWith(func(w *wanted) {
				w.Kind, w.Sort = w.kind(), ""
				if w.sort() != sort {
					w.Sort = sort
				}
			}),
		})
	}
	return sorts
}

// flagsOf returns the checkboxes of the form. A checkbox is checked while its flag
// differs from the default, and sends the differing value, so that an unchecked
// form sends nothing.
func flagsOf(v *page.View, w wanted) part.Chips {
	var flags part.Chips
	for _, id := range formFlags {
		f := &filter.All[id]
		flags = append(flags, part.Chip{ID: f.Name, Value: f.ChosenValue(), Text: v.T("list." + f.Chosen), Current: w.IsSet(id)})
	}
	works := part.Chip{ID: hereName, Value: "1", Text: v.T("list.works_here")}
	if w.WorksIn != "" {
		works = part.Chip{ID: filter.All[filter.WorksIn].Name, Value: w.WorksIn, Text: textOf(v, nil, w, filter.WorksIn), Current: true}
	}
	return append(flags, works)
}

// alternatives returns searches to continue with when w found nothing: the first
// page when w is beyond the last, else the other kinds, channels that do not play,
// and w without each of its filters. Each of them has at least one match.
func (s *Server) alternatives(v *page.View, snapshot *index.View, w wanted, active part.Chips) part.Chips {
	var links part.Chips
	offer := func(id, text string, x wanted) {
		x.Offset = 0
		if n := s.countExact(snapshot, x); n > 0 {
			links = append(links, part.Chip{ID: "try-" + id, Text: text, Href: x.address(), Count: v.Locale.Number(n)})
		}
	}
	if offer("first", v.T("list.try_first"), w); len(links) > 0 {
		return links
	}
	for _, kind := range []string{filter.TV, filter.Radio} {
		if kind != w.kind() {
			offer(kind, v.T("list.try_"+kind), w.withKind(kind))
		}
	}
	if w.Playable {
		x := w
		x.Playable = false
		offer("unplayable", v.T("list.try_unplayable"), x)
	}
	for i, id := range w.chosen() {
		text := v.T("list.try_without", "name", active[i].Text)
		if id == filter.Words && len(active) == 1 && !w.fixed && w.kind() == filter.Any {
			text = v.T("list.try_all")
		}
		offer("without-"+filter.All[id].Name, text, w.without(id))
	}
	return links
}

// popular returns the most popular channels of the page of w, or else of the whole
// catalog, for a search that found nothing; nil when the catalog is empty.
func (s *Server) popular(v *page.View, snapshot *index.View, w wanted) *shelf {
	home := anyPlayable(v.Path("home")).withKind(filter.TV)
	for _, wide := range []wanted{w.unfiltered().withKind(w.kind()), w.unfiltered(), home} {
		if cards := snapshot.Cards(s.queryOf(snapshot, wide, shelfSize), int(v.Locale)).Cards; len(cards) > 0 {
			return &shelf{"popular", v.T("list.empty_popular"), wide.address(), s.cards(v, cards)}
		}
	}
	return nil
}

// countryFacets returns all countries that have channels or stations, by name.
func (s *Server) countryFacets(snapshot *index.View, l i18n.Locale) []catalog.CountryFacet {
	return snapshot.Countries(filter.Any, int(l))
}

type topCountriesKey struct{ locale i18n.Locale }

// topCountries returns links to the countries with the most channels and stations,
// the largest first. all is not changed.
func (s *Server) topCountries(v *page.View, snapshot *index.View, all []catalog.CountryFacet) part.Chips {
	return s.memo.Get(snapshot, topCountriesKey{v.Locale}, func() any {
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

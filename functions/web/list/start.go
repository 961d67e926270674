package list

import (
	"slices"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
)

// The home page has shelves: rows of the most popular TV channels, of those of a few
// categories, and of stations. A channel stands on the first shelf that it belongs to.
// A search has no shelves.

// A start holds the sections of the home page.
type start struct {
	Lead      string     // the sentence with the size of the catalog
	Shelves   []shelf    // the rows of channels
	Countries part.Chips // the largest countries
}

// A shelf is a row of channels, and where there are more of them.
type shelf struct {
	ID    string
	Title string
	All   string // URL of the list that the shelf is the beginning of
	Cards part.Cards
}

// shelfTopics are the categories that have a shelf, in the order of the shelves.
var shelfTopics = []string{"news", "sports", "kids", "music", "movies", "documentary"}

// shelfFetch is how many channels of each shelf are searched for, so that a shelf is
// full although some of them stand on earlier ones.
const shelfFetch = 3 * shelfSize

// shelfLeast is the fewest channels that make a shelf of a category.
const shelfLeast = 4

// start returns the body of the home page, which visitors see before they search.
func (s *Server) start(v *page.View, snapshot *index.View, w wanted) *listing {
	shown := s.memo.Get(snapshot, startKey{v.Locale}, func() any { return s.found(v, snapshot, w) }).(*found)
	places := s.countryFacets(snapshot, v.Locale)
	b := &listing{
		wanted: w, Heading: v.Title, Home: w.path,
		Tabs:   s.tabs(v, snapshot, w, "", 0),
		Topics: topicsOf(v, w.withKind(filter.TV), shown.topics),
		Start: &start{
			Lead: v.T("home.lead", "tv", v.N("list.found_tv", shown.tv), "radio", v.N("list.found_radio", shown.radio),
				"countries", v.N("home.count_countries", len(places))),
			Countries: s.topCountries(v, snapshot, places),
		},
	}
	for _, f := range shown.shelves {
		b.Start.Shelves = append(b.Start.Shelves, shelf{f.id, f.title, f.all, s.cards(v, f.cards)})
	}
	return b
}

type startKey struct{ locale i18n.Locale }

// A found holds what the home page shows of a view of the catalog. It is computed
// once for each view and locale; the programmes of the channels are read anew for
// every request.
type found struct {
	tv, radio int
	topics    []catalog.CategoryCount
	shelves   []foundShelf
}

type foundShelf struct {
	id, title, all string
	cards          []index.Card
}

// found searches for what the home page shows.
func (s *Server) found(v *page.View, snapshot *index.View, w wanted) *found {
	search := func(w wanted) index.Cards { return snapshot.Cards(s.query(w, shelfFetch), int(v.Locale)) }
	tv, radio := w.withKind(filter.TV), w.withKind(filter.Radio)
	popular, stations := search(tv), search(radio)
	f := &found{tv: popular.Total, radio: stations.Total, topics: popular.Categories}
	seen := map[string]bool{}
	add := func(id, title string, w wanted, cards []index.Card, least int) {
		cards = slices.DeleteFunc(cards, func(c index.Card) bool { return seen[c.ID] })
		cards = cards[:min(len(cards), shelfSize)]
		if len(cards) >= least {
			for _, c := range cards {
				seen[c.ID] = true
			}
			f.shelves = append(f.shelves, foundShelf{id, title, w.address(), cards})
		}
	}
	add("tv", v.T("home.popular"), tv, popular.Cards, 1)
	for _, id := range shelfTopics {
		i := slices.IndexFunc(f.topics, func(c catalog.CategoryCount) bool { return c.ID == id })
		if i < 0 {
			continue
		}
		topic := tv
		topic.Category = id
		add(id, f.topics[i].Name, topic, search(topic).Cards, shelfLeast)
	}
	add("radio", v.T("home.radio"), radio, stations.Cards, 1)
	return f
}

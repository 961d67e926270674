package list

import (
	"net/url"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
)

// relatedCount is how many other countries of its region the page of a country offers.
const relatedCount = 12

// cityCount is how many of its cities the page of a country offers.
const cityCount = 30

// A land is what the page of a country has besides the list of its channels.
type land struct {
	Region  part.Chip  // its region on the page of countries; its text is empty when it has none
	Globe   string     // path of the globe with the country in sight; empty when it has nothing to play
	On      *shelf     // its channels of which a programme is on now; nil in a search and when they are few
	Related []place    // other countries of its region, those with the most channels first; empty in a search
	Cities  part.Chips // its cities with the most stations; empty in a search
	More    string     // the title of those
}

// landOf returns what the page of a country has besides the list. A search has less of
// it, since it was asked for something else.
func (s *Server) landOf(v *page.View, snapshot *index.View, w wanted) *land {
	places, code := s.places(snapshot, v.Locale), w.Country
	b := &land{}
	var here place
	for _, p := range places {
		if p.Code == code {
			here = p
			b.Globe = v.Path("explore") + "?at=" + code
		}
	}
	if here.region != "" {
		b.Region = part.Chip{Text: regionName(v, here.region), Href: v.Path("countries") + "#" + regionID(here.region)}
	}
	if !w.plain() {
		return b
	}
	if w.kind() == filter.TV {
		b.On = s.shelfOn(v, snapshot, code)
	}
	for _, p := range s.Cities.Places(snapshot).In(code) {
		if len(b.Cities) < cityCount {
			b.Cities = append(b.Cities, part.Chip{Text: p.Name, Href: v.City(p.Slug()), Count: v.Locale.Number(len(p.Stations))})
		}
	}
	if here.region != "" {
		b.Related, b.More = neighbours(places, here), v.T("country.related", "region", b.Region.Text)
	}
	return b
}

// neighbours returns the other countries of the region of one, those with the most
// channels first.
func neighbours(places []place, here place) []place {
	var near []place
	for _, p := range places {
		if p.region == here.region && p.Code != here.Code {
			near = append(near, p)
		}
	}
	return mostOf(near, relatedCount)
}

// shelfOn returns the most popular channels of a country of which a programme is on
// now; nil when they are too few to make a shelf.
func (s *Server) shelfOn(v *page.View, snapshot *index.View, code string) *shelf {
	docs, _ := snapshot.Find(airingQuery(code, nearReach, 0))
	cards := make([]index.Card, 0, len(docs))
	for _, doc := range docs {
		cards = append(cards, snapshot.Card(doc, int(v.Locale)))
	}
	on := s.onNow(cards)
	if len(on) < shelfLeast {
		return nil
	}
	title := v.T("home.near_on", "country", v.CountryName(code))
	return &shelf{"on", title, withQuery(v.Path("schedule"), url.Values{"country": {code}}), s.cards(v, on[:min(len(on), shelfSize)])}
}

// searchOf returns the address of a search for all of a country, for one without a page.
func searchOf(v *page.View, code string) string {
	all := wanted{path: v.Path("home")}.unfiltered().withKind(filter.Any)
	all.Country = code
	return all.address()
}

// countsOf returns how many TV channels and how many stations each country has.
func countsOf(snapshot *index.View, l i18n.Locale) (tv, radio map[string]int) {
	count := func(kind string) map[string]int {
		counts := map[string]int{}
		for _, f := range snapshot.Countries(kind, int(l)) {
			counts[f.Code] = f.Count
		}
		return counts
	}
	return count(filter.TV), count(filter.Radio)
}

package explore

import (
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/cities"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// partsPath is what the paths of the parts begin with, after that of the locale.
const partsPath = "/around/"

// chosenEndpoints are the part of the page about one country or city, which is the same
// for everybody who chooses it.
var chosenEndpoints = page.Parts(partsPath+"{id}", "Show what there is in a place",
	"Returns the part of the page to explore about one country or city as HTML: its most popular channels and stations, and the cities of a country.",
	(*Server).part, catalog.ErrNotLoaded, fault.ErrNotFound)

type chosenIn struct {
	At string `path:"id" maxLength:"12" description:"Code of a country, ISO 3166-1 alpha-2 in upper case, or number of a city."`
}

// How much of a place is shown.
const (
	channelsOfCountry = 8 // of each kind
	stationsOfCity    = 60
	citiesOfCountry   = 24
	citiesOfWorld     = 24
)

// A chosen is what there is in a country or a city or, when neither is chosen, the
// cities with the most stations.
type chosen struct {
	At     string // the code or the number; empty when nothing is chosen
	Name   string
	Flag   string     // URL
	Within part.Chip  // the country of a city
	All    part.Chip  // the page of a city
	Total  string     // how many channels there are, as a sentence
	Parts  []channels // the channels of each kind
	Cities part.Chips // of a country, or of the world
}

// A channels is a list of channels of one kind.
type channels struct {
	Title string
	All   string // URL of all of them; empty when there are no more
	Rows  []part.Row
}

// part shows what there is in a country or a city.
func (s *Server) part(l i18n.Locale, in chosenIn) (*page.Rendered, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	v := s.Pages.View(site.Explore, l, nil)
	chosen, ok := s.chosen(v, snapshot, in.At)
	if !ok {
		return nil, fault.ErrNotFound
	}
	v.Body = chosen
	return v.ShowPart("_chosen.html")
}

// chosen returns what there is in a country or a city. It reports false for one without
// channels.
func (s *Server) chosen(v *page.View, snapshot *index.View, at string) (*chosen, bool) {
	places := s.Cities.Places(snapshot)
	if p := places.ByID[at]; p != nil {
		return s.city(v, snapshot, p), true
	}
	if v.Country(at) == "" {
		return nil, false
	}
	return s.country(v, snapshot, at, places)
}

// city returns the stations of a city.
func (s *Server) city(v *page.View, snapshot *index.View, p *cities.Place) *chosen {
	c := &chosen{
		At: p.ID, Name: p.Name, Flag: v.Flag(p.Country), Total: v.N("list.found_radio", len(p.Stations)),
		Within: part.Chip{Text: v.CountryName(p.Country), Href: v.Path("explore") + "?at=" + p.Country},
		All:    part.Chip{Text: v.T("explore.city_page", "city", p.Name), Href: v.City(p.Slug())},
	}
	c.Parts = []channels{{Title: v.T("explore.stations"), Rows: s.rows(v, snapshot, p.Stations[:min(len(p.Stations), stationsOfCity)])}}
	return c
}

// country returns the most popular channels of a country, and its cities.
func (s *Server) country(v *page.View, snapshot *index.View, code string, places *cities.Places) (*chosen, bool) {
	c := &chosen{At: code, Name: v.CountryName(code), Flag: v.Flag(code)}
	var totals []string
	for _, kind := range []string{filter.TV, filter.Radio} {
		q := index.Query{Selection: filter.Selection{Country: code, Kind: kind, Playable: true, Sort: filter.ByPopularity}, Limit: channelsOfCountry}
		if docs, total := snapshot.Find(q); total > 0 {
			c.Parts = append(c.Parts, channels{v.T("home.near_"+kind, "country", c.Name), v.Country(code) + "?kind=" + kind, s.rows(v, snapshot, docs)})
			totals = append(totals, v.N("list.found_"+kind, total))
		}
	}
	c.Total = strings.Join(totals, " · ")
	c.Cities = chipsOf(v, places.In(code), citiesOfCountry)
	return c, len(c.Parts) > 0
}

// mostOf returns the cities with the most stations.
func mostOf(v *page.View, places *cities.Places) *chosen {
	return &chosen{Name: v.T("explore.cities"), Cities: chipsOf(v, places.Sorted, citiesOfWorld)}
}

// chipsOf returns links to the first of some cities.
func chipsOf(v *page.View, all []*cities.Place, most int) (chips part.Chips) {
	for _, p := range all[:min(len(all), most)] {
		chips = append(chips, part.Chip{Text: p.Name, Href: v.Path("explore") + "?at=" + p.ID, Flag: v.Flag(p.Country), Count: v.Locale.Number(len(p.Stations))})
	}
	return chips
}

// rows returns channels as rows, without those that were blocked since the release.
func (s *Server) rows(v *page.View, snapshot *index.View, docs []uint32) []part.Row {
	now, rows := s.Now(), make([]part.Row, 0, len(docs))
	for _, doc := range docs {
		if c := snapshot.Card(doc, int(v.Locale)); !snapshot.Blocks(c.ID) {
			rows = append(rows, part.NewRow(v, &c, s.Guides, now))
		}
	}
	return rows
}

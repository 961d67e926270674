// Package city serves the page of the radio stations of each city that has some.
//
// The path of a city has its name, for people, and its number in GeoNames, by which the
// city is found in every release. Cities and the stations that belong to them come from
// package cities.
package city

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/cities"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Endpoints are the page in every locale.
var Endpoints = page.Endpoints(site.City, "Show a city's radio stations",
	"Returns the page that lists the radio stations of one city, the most voted first, with a map of them and the cities nearby. The path ends in the number of the city in GeoNames; another name before it is redirected, and a city without stations to the stations around it.",
	(*Server).city, catalog.ErrNotLoaded, fault.ErrNotFound)

// Options are what a Server needs.
type Options struct {
	Pages   *page.Renderer
	Catalog index.Viewer
	Guides  *guide.Live      // nil to show stations without programmes
	Cities  *cities.Atlas    // the cities that stations are counted to
	Now     func() time.Time // the clock, which tests replace
}

// A Server serves the page. It may be used concurrently.
type Server struct{ Options }

// New returns a server of the page.
func New(o Options) *Server { return &Server{o} }

// How much the page shows.
const (
	pageSize   = 30  // stations of a page
	mapMost    = 400 // stations of the map
	nearbyMost = 12  // cities around it
	nearbyFar  = 200 // km within which those are looked for
	namesInSum = 3   // stations that the description names
	mapShare   = 0.9 // of the stations that the map must show
)

// reaches are the radii of maps, in kilometres.
var reaches = []float64{5, 10, 25, 50, 100, 150}

type cityIn struct {
	Slug   string `path:"id" maxLength:"120" description:"Name and number of the city, such as porto-2735943."`
	Offset int    `query:"offset" default:"0" minimum:"0" maximum:"100000" description:"Number of stations to skip."`
}

// A body is what the page shows.
type body struct {
	City, Country  string // the name of the city and the code of its country
	Lead           string
	Ways           part.Chips // to its country, to the globe, to what is around it
	Map            *part.Map
	Cards          part.Cards
	Previous, Next string // addresses of the pages before and after; empty for none
	Nearby         part.Chips
}

// city shows the stations of a city.
func (s *Server) city(_ context.Context, l i18n.Locale, in cityIn) (*page.Rendered, error) {
	id, ok := cities.NumberIn(in.Slug)
	if !ok {
		return nil, fault.ErrNotFound
	}
	at := s.Cities.City(id)
	if at == nil {
		return nil, fault.ErrNotFound
	}
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	v := s.Pages.View(site.City, l, nil)
	places := s.Cities.Places(snapshot)
	p := shown(snapshot, places.ByID[id])
	if p == nil {
		return page.SeeOther(nearPath(v, at.At, 0)), nil
	}
	if in.Slug != at.Slug() {
		return page.MovedTo(v.City(at.Slug())), nil
	}
	if in.Offset >= len(p.Stations) {
		return nil, fault.ErrNotFound
	}
	s.fill(v, snapshot, places, p, in.Offset)
	return v.Show()
}

// shown returns a place without the stations that were blocked after they were counted; nil
// when none remain, and for no place.
func shown(snapshot *index.View, p *cities.Place) *cities.Place {
	if p == nil {
		return nil
	}
	stations := slices.Clone(p.Stations) // the atlas shares them
	stations = slices.DeleteFunc(stations, func(doc uint32) bool { return snapshot.Blocks(snapshot.Brief(doc).ID) })
	if len(stations) == 0 {
		return nil
	}
	return &cities.Place{City: p.City, Stations: stations}
}

// fill gives v what it shows of a place.
func (s *Server) fill(v *page.View, snapshot *index.View, places *cities.Places, p *cities.Place, offset int) {
	country := v.CountryName(p.Country)
	v.Name = p.Slug()
	v.Locates = true
	v.Areas, v.Modules = []string{"city", "list", "keep", "near"}, []string{"city", "keep"}
	v.Title = v.T("city.title", "city", p.Name, "country", country)
	b := &body{City: p.Name, Country: p.Country, Map: mapOf(v, snapshot, places, p)}
	b.Cards = s.cards(v, snapshot, p.Stations[offset:min(offset+pageSize, len(p.Stations))])
	b.Lead = v.T("city.lead", "radio", v.N("list.found_radio", len(p.Stations)), "city", p.Name, "country", country)
	b.Ways = waysOf(v, p, country)
	b.Nearby = nearbyOf(v, places, p)
	path := v.City(v.Name)
	if offset > 0 {
		v.Title += " · " + strconv.Itoa(offset/pageSize+1)
		b.Previous = pageAt(path, max(offset-pageSize, 0))
		v.Variant = "offset=" + strconv.Itoa(offset)
		v.NoIndex = offset%pageSize != 0
	}
	if offset+pageSize < len(p.Stations) {
		b.Next = pageAt(path, offset+pageSize)
	}
	v.Description = v.T("city.description", "city", p.Name, "country", country, "radio", v.N("list.found_radio", len(p.Stations)), "names", namesOf(snapshot, p))
	v.Body = b
	v.Statements = []any{trailOf(v, p, country)}
}

// pageAt returns the address of the page of a path from a station on.
func pageAt(path string, offset int) string {
	if offset == 0 {
		return path
	}
	return path + "?offset=" + strconv.Itoa(offset)
}

// cards returns stations as cards.
func (s *Server) cards(v *page.View, snapshot *index.View, docs []uint32) part.Cards {
	var list []index.Card
	for _, doc := range docs {
		list = append(list, snapshot.Card(doc, int(v.Locale)))
	}
	return part.NewCards(v, list, s.Guides, s.Now())
}

// namesOf returns the names of the best known stations of a place, as a sentence has them.
func namesOf(snapshot *index.View, p *cities.Place) string {
	var names []string
	for _, doc := range p.Stations[:min(len(p.Stations), namesInSum)] {
		names = append(names, part.Truncated(part.Called(snapshot.Brief(doc).Name), 40))
	}
	return strings.Join(names, ", ")
}

// waysOf returns links from a city to what it is part of.
func waysOf(v *page.View, p *cities.Place, country string) (ways part.Chips) {
	if path := v.Country(p.Country); path != "" {
		ways = append(ways, part.Chip{ID: "chevron-left", Text: v.T("city.country", "country", country), Href: path + "?kind=" + filter.Radio})
	}
	return append(ways,
		part.Chip{ID: "globe", Text: v.T("country.globe"), Href: v.Path("explore") + "?at=" + p.ID},
		part.Chip{ID: "place", Text: v.T("city.around", "km", part.Distance(v, filter.DefaultRadius)), Href: nearPath(v, p.At, 0)})
}

// nearPath returns the address of the stations around a place, within the usual radius
// for 0 kilometres.
func nearPath(v *page.View, at catalog.Geo, kilometres int) string {
	path := v.Path("home") + "?near=" + strings.Replace(filter.PlaceText(at), ",", "%2C", 1)
	if kilometres > 0 {
		path += "&radius=" + strconv.Itoa(kilometres)
	}
	return path
}

// nearbyOf returns links to the cities around a place, with their distances.
func nearbyOf(v *page.View, places *cities.Places, p *cities.Place) (chips part.Chips) {
	for _, n := range places.Around(p.At, nearbyFar) {
		if n.ID == p.ID || len(chips) == nearbyMost {
			continue
		}
		chip := part.Chip{Text: n.Name, Href: v.City(n.Slug()), Count: part.Distance(v, n.Kilometres)}
		if n.Country != p.Country {
			chip.Flag = v.Flag(n.Country)
		}
		chips = append(chips, chip)
	}
	return chips
}

// mapOf returns the map of the stations of a place.
func mapOf(v *page.View, snapshot *index.View, places *cities.Places, p *cities.Place) *part.Map {
	var stations []part.Spot
	for _, doc := range p.Stations[:min(len(p.Stations), mapMost)] {
		at, _, ok := snapshot.Place(doc)
		c := snapshot.Brief(doc)
		if ok {
			stations = append(stations, part.Spot{At: at, Name: func() string { return part.Called(c.Name) }, Href: v.Channel(c.ID)})
		}
	}
	reach := reaches[len(reaches)-1]
	for _, r := range reaches {
		within := 0
		for _, s := range stations {
			if p.At.Metres(s.At)/1000 <= r {
				within++
			}
		}
		if float64(within) >= mapShare*float64(len(stations)) {
			reach = r
			break
		}
	}
	var towns []part.Spot
	for _, n := range places.Around(p.At, reach) {
		town := part.Spot{At: n.At, Name: func() string { return n.Name }}
		if n.ID != p.ID { // which the page is about
			town.Href = v.City(n.Slug())
		}
		towns = append(towns, town)
	}
	return part.NewMap(v, p.At, reach, stations, towns, func(at catalog.Geo, kilometres int) string { return nearPath(v, at, kilometres) })
}

// trailOf describes the breadcrumb trail of the page in the vocabulary of schema.org.
func trailOf(v *page.View, p *cities.Place, country string) any {
	type item map[string]any
	var items []item
	add := func(name, path string) {
		if path != "" {
			items = append(items, item{"@type": "ListItem", "position": len(items) + 1, "name": name, "item": v.Base() + path})
		}
	}
	add(page.Service, site.Home.Path(v.Locale, ""))
	add(country, v.Country(p.Country))
	add(p.Name, v.City(v.Name))
	return item{"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": items}
}

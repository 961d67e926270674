package list

import (
	"strconv"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

// An around is what a list near a place has besides its cards.
type around struct {
	Heading string
	Map     *part.Map
	Radii   part.Chips // links to the same list with another radius
}

// radii are the radii that a list offers, in kilometres.
var radii = []int{10, 25, 50, 100, 250, 500}

// mapMost is how many stations a map shows, the nearest first.
const mapMost = 400

// around returns what the list w has besides its cards: a heading with the city that the
// place belongs to, a map, and other radii.
func (s *Server) around(v *page.View, snapshot *index.View, w wanted) *around {
	at, _ := w.Place()
	a := &around{Heading: v.T("near.heading_at", "place", w.Near), Map: s.mapOf(v, snapshot, w, at)}
	if c := s.Cities.At(at); c != nil {
		a.Heading = v.T("near.heading", "city", c.Name)
	}
	for _, kilometres := range radii {
		a.Radii = append(a.Radii, part.Chip{
			ID: "radius-" + strconv.Itoa(kilometres), Text: part.Distance(v, float64(kilometres)), Current: kilometres == w.Kilometres(),
			Href: w.firstPageWith(func(w *wanted) { w.Radius = kilometres }),
		})
	}
	return a
}

// mapOf returns the map of the stations of w.
func (s *Server) mapOf(v *page.View, snapshot *index.View, w wanted, at catalog.Geo) *part.Map {
	nearest := w
	nearest.Sort, nearest.Offset = filter.ByDistance, 0
	docs, _ := snapshot.Find(s.queryOf(snapshot, nearest, mapMost))
	stations := make([]part.Spot, 0, len(docs))
	for _, doc := range docs {
		if place, _, ok := snapshot.Place(doc); ok {
			c := snapshot.Brief(doc)
			stations = append(stations, part.Spot{At: place, Name: func() string { return part.Called(c.Name) }, Href: v.Channel(c.ID)})
		}
	}
	var towns []part.Spot
	for _, p := range s.Cities.Places(snapshot).Sorted {
		if at.Metres(p.At)/1000 <= float64(w.Kilometres()) {
			towns = append(towns, part.Spot{At: p.At, Name: func() string { return p.Name }, Href: v.City(p.Slug())})
		}
	}
	return part.NewMap(v, at, float64(w.Kilometres()), stations, towns, func(at catalog.Geo, kilometres int) string {
		return w.firstPageWith(func(w *wanted) { w.Near, w.Radius = filter.PlaceText(at), kilometres })
	})
}

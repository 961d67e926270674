package explore

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

// A station belongs to the largest city of its country within reach, since listeners
// look for the radio of a city and not of its suburbs; or else to the nearest one. A
// station that is far from every city of its country has wrong coordinates more often
// than not, and belongs to none.
const (
	reach    = 25  // km within which the largest city is taken
	farthest = 150 // km beyond which none is
)

// A city is a place that stations are counted to.
type city struct {
	id       string // number of GeoNames
	name     string
	country  string
	lat, lon float64 // degrees
	rank     int     // 0 for the largest
}

// citiesOf returns a function that returns the cities that the build took from GeoNames,
// the largest first, which are read at the first call.
func citiesOf(pages *page.Renderer) func() []city {
	return sync.OnceValue(func() []city { return parseCities(string(pages.Data("cities.tsv"))) })
}

// parseCities reads cities, one on each line. A line of another form is left out.
func parseCities(text string) (all []city) {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 {
			continue
		}
		lat, err := strconv.ParseFloat(f[3], 64)
		lon, fault := strconv.ParseFloat(f[4], 64)
		if err == nil && fault == nil {
			all = append(all, city{f[0], f[1], f[2], lat, lon, len(all)})
		}
	}
	return all
}

// A place is a city with its stations.
type place struct {
	*city
	stations []uint32 // the most voted first
}

// places are the places of a release.
type places struct {
	byID   map[string]*place
	sorted []*place // those with the most stations first
}

// in returns the places of a country, those with the most stations first.
func (p *places) in(country string) (all []*place) {
	for _, at := range p.sorted {
		if at.country == country {
			all = append(all, at)
		}
	}
	return all
}

// places returns where the stations of a release are.
func (s *Server) places(snapshot *index.View) *places {
	return s.releases.Get(snapshot.Index(), key{what: "places"}, func() any {
		return placesOf(snapshot, newGrid(s.cities()))
	}).(*places)
}

// placesOf counts the playable stations of a view to cities.
func placesOf(snapshot *index.View, cities grid) *places {
	p := &places{byID: map[string]*place{}}
	q := index.Query{Selection: filter.Selection{Kind: filter.Radio, Playable: true, Sort: "votes"}}
	for _, doc := range snapshot.Matches(q) {
		at, country, ok := snapshot.Place(doc)
		if !ok {
			continue
		}
		c := cities.near(at, country)
		if c == nil {
			continue
		}
		if p.byID[c.id] == nil {
			p.byID[c.id] = &place{city: c}
			p.sorted = append(p.sorted, p.byID[c.id])
		}
		p.byID[c.id].stations = append(p.byID[c.id].stations, doc)
	}
	slices.SortStableFunc(p.sorted, func(a, b *place) int {
		return cmp.Or(cmp.Compare(len(b.stations), len(a.stations)), strings.Compare(a.name, b.name))
	})
	return p
}

// A grid holds cities by the square of a degree that they are in.
type grid map[[2]int][]*city

func newGrid(cities []city) grid {
	g := grid{}
	for i := range cities {
		c := &cities[i]
		square := [2]int{int(math.Floor(c.lat)), int(math.Floor(c.lon))}
		g[square] = append(g[square], c)
	}
	return g
}

// near returns the city that a station of a country belongs to; nil for none. A station
// without a country belongs to a city of any.
func (g grid) near(at catalog.Geo, country string) *city {
	var large, nearest *city
	least := math.Inf(1)
	for _, c := range g.around(at) {
		if country != "" && c.country != country {
			continue
		}
		d := at.Metres(catalog.Geo{Lat: c.lat, Lon: c.lon}) / 1000
		if d <= reach && (large == nil || c.rank < large.rank) {
			large = c
		}
		if d <= farthest && d < least {
			nearest, least = c, d
		}
	}
	return cmp.Or(large, nearest)
}

// around returns the cities of the squares that are at most farthest away.
func (g grid) around(at catalog.Geo) (all []*city) {
	const degree = 111 // km
	tall := int(math.Ceil(farthest / degree))
	wide := min(int(math.Ceil(farthest/degree/math.Max(math.Cos(at.Lat*math.Pi/180), .1))), 15)
	lat, lon := int(math.Floor(at.Lat)), int(math.Floor(at.Lon))
	for y := lat - tall; y <= lat+tall; y++ {
		for x := lon - wide; x <= lon+wide; x++ {
			all = append(all, g[[2]int{y, (x+540)%360 - 180}]...)
		}
	}
	return all
}

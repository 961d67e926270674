// Package cities counts radio stations to the cities around them.
//
// The cities come from GeoNames, by the number that it gave them, which stays the same.
// Stations say where they are by coordinates, and are counted once for each release, when
// a page asks for the first time.
package cities

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/site"
)

// A station belongs to the largest city of its country within reach, since listeners
// look for the radio of a city and not of its suburbs; or else to the nearest one. A
// station that is far from every city of its country has wrong coordinates more often
// than not, and belongs to none.
const (
	reach    = 25  // km within which the largest city is taken
	farthest = 150 // km beyond which none is
)

// A City is a place that stations are counted to.
type City struct {
	ID      string // number of GeoNames
	Name    string
	Country string // ISO 3166-1 alpha-2
	At      catalog.Geo

	rank int // 0 for the largest
}

// Slug returns the name of the city in the path of its page: its name and its number,
// such as porto-2735943.
func (c *City) Slug() string { return strings.TrimPrefix(site.Slug(c.Name)+"-"+c.ID, "-") }

// maxNumber is the length of the longest number of a city, in digits.
const maxNumber = 10

// NumberIn returns the number of the city in the last part of a slug, whatever the name
// before it. It reports false when there is no number.
func NumberIn(slug string) (id string, ok bool) {
	id = slug[strings.LastIndexByte(slug, '-')+1:]
	if id == "" || len(id) > maxNumber || id[0] == '0' || strings.Trim(id, "0123456789") != "" {
		return "", false
	}
	return id, true
}

// An Atlas is a table of cities. It may be used concurrently. A nil atlas has no city.
type Atlas struct {
	read func() (table, grid)

	mu     sync.Mutex
	of     *index.Index // that places were counted for
	counts *Places
}

// table holds cities by their numbers.
type table map[string]*City

// New returns the atlas of a file with one city on each line, the largest first: number,
// name, country, latitude and longitude, separated by tabs. The file is read at the first
// use. A line of another form is left out.
func New(file func() []byte) *Atlas {
	return &Atlas{read: sync.OnceValues(func() (table, grid) {
		all := parse(string(file()))
		byID := table{}
		for i := range all {
			byID[all[i].ID] = &all[i]
		}
		return byID, newGrid(all)
	})}
}

func parse(text string) (all []City) {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 {
			continue
		}
		lat, err := strconv.ParseFloat(f[3], 64)
		lon, fault := strconv.ParseFloat(f[4], 64)
		if err == nil && fault == nil {
			all = append(all, City{f[0], f[1], f[2], catalog.Geo{Lat: lat, Lon: lon}, len(all)})
		}
	}
	return all
}

// City returns the city with a number, with or without stations. It returns nil for an
// unknown number.
func (a *Atlas) City(id string) *City {
	if a == nil {
		return nil
	}
	byID, _ := a.read()
	return byID[id]
}

// At returns the city that a place belongs to, as a station there would; nil for none.
func (a *Atlas) At(at catalog.Geo) *City {
	if a == nil {
		return nil
	}
	_, g := a.read()
	return g.near(at, "")
}

// A Place is a city with its stations.
type Place struct {
	*City
	Stations []uint32 // records, the most voted first
}

// Places are the cities that have stations in a release. They are immutable.
type Places struct {
	ByID   map[string]*Place
	Sorted []*Place // those with the most stations first
}

// Places returns where the playable stations of the release of a view are. They are
// counted at the first call for a release, in some 50 ms for 30,000 stations.
func (a *Atlas) Places(v *index.View) *Places {
	if a == nil {
		return &Places{}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of != v.Index() {
		a.of, a.counts = v.Index(), a.count(v)
	}
	return a.counts
}

func (a *Atlas) count(v *index.View) *Places {
	_, cities := a.read()
	p := &Places{ByID: map[string]*Place{}}
	q := index.Query{Selection: filter.Selection{Kind: filter.Radio, Playable: true, Sort: "votes"}}
	for _, doc := range v.Matches(q) {
		at, country, ok := v.Place(doc)
		if !ok {
			continue
		}
		c := cities.near(at, country)
		if c == nil {
			continue
		}
		if p.ByID[c.ID] == nil {
			p.ByID[c.ID] = &Place{City: c}
			p.Sorted = append(p.Sorted, p.ByID[c.ID])
		}
		p.ByID[c.ID].Stations = append(p.ByID[c.ID].Stations, doc)
	}
	slices.SortStableFunc(p.Sorted, func(a, b *Place) int {
		return cmp.Or(cmp.Compare(len(b.Stations), len(a.Stations)), strings.Compare(a.Name, b.Name))
	})
	return p
}

// In returns the places of a country, those with the most stations first.
func (p *Places) In(country string) (all []*Place) {
	for _, at := range p.Sorted {
		if at.Country == country {
			all = append(all, at)
		}
	}
	return all
}

// A Neighbour is a place with its distance from another.
type Neighbour struct {
	*Place
	Kilometres float64
}

// Around returns the places that are at most so many kilometres from a point, the nearest
// first.
func (p *Places) Around(at catalog.Geo, kilometres float64) (all []Neighbour) {
	for _, other := range p.Sorted {
		if math.Abs(other.At.Lat-at.Lat)*kilometresPerDegree > kilometres+1 { // most are farther, and this is quick
			continue
		}
		if d := at.Metres(other.At) / 1000; d <= kilometres {
			all = append(all, Neighbour{other, d})
		}
	}
	slices.SortStableFunc(all, func(a, b Neighbour) int { return cmp.Compare(a.Kilometres, b.Kilometres) })
	return all
}

// kilometresPerDegree is the length of a degree of latitude, rounded down.
const kilometresPerDegree = 111

// A grid holds cities by the square of a degree that they are in.
type grid map[[2]int][]*City

func newGrid(cities []City) grid {
	g := grid{}
	for i := range cities {
		c := &cities[i]
		square := [2]int{int(math.Floor(c.At.Lat)), int(math.Floor(c.At.Lon))}
		g[square] = append(g[square], c)
	}
	return g
}

// near returns the city that a station of a country belongs to; nil for none. A station
// without a country belongs to a city of any.
func (g grid) near(at catalog.Geo, country string) *City {
	var large, nearest *City
	least := math.Inf(1)
	for _, c := range g.around(at) {
		if country != "" && c.Country != country {
			continue
		}
		d := at.Metres(c.At) / 1000
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
func (g grid) around(at catalog.Geo) (all []*City) {
	tall := int(math.Ceil(farthest / kilometresPerDegree))
	wide := min(int(math.Ceil(farthest/kilometresPerDegree/math.Max(math.Cos(at.Lat*math.Pi/180), .1))), 15)
	lat, lon := int(math.Floor(at.Lat)), int(math.Floor(at.Lon))
	for y := lat - tall; y <= lat+tall; y++ {
		for x := lon - wide; x <= lon+wide; x++ {
			all = append(all, g[[2]int{y, (x+540)%360 - 180}]...)
		}
	}
	return all
}

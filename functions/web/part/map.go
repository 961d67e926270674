package part

import (
	"math"
	"slices"
	"strconv"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog"
)

// Distance returns how far something is as people read it: to a tenth of a kilometre when
// it is near, and else in whole kilometres.
func Distance(v *page.View, kilometres float64) string {
	if kilometres >= 10 {
		kilometres = math.Round(kilometres)
	}
	return v.T("near.km", "n", v.Locale.Decimal(kilometres))
}

// A Map is a drawing of stations around a place: a disc with north at its top, in which
// distances and directions are those on the earth. It shows no land, only the names of
// cities, so that it needs nothing from elsewhere. The list beside it says the same in
// words, so that those who hear a page are told the caption alone.
type Map struct {
	Caption string
	Rings   []Ring
	Dots    []Dot
	Towns   []Town
}

// A Ring is a circle around the place, at a round distance.
type Ring struct{ Radius, Top, Text string }

// A Dot is one station, or several that are at the same place.
type Dot struct {
	X, Y, Radius string
	Title        string // what is there
	Href         string
}

// A Town is the name of a city on a map.
type Town struct {
	X, Y, Text, Href string // of a city without a link Href is empty
	Before           bool   // the name ends at the point, where it would go over the edge
}

// A Spot is something to draw at a place: a station, whose name is empty until it is
// asked for, or a city.
type Spot struct {
	At   catalog.Geo
	Name func() string
	Href string
}

// The measures of a map, in units of its drawing.
const (
	mapSide   = 400
	mapMiddle = mapSide / 2
	mapRadius = 184 // of its greatest ring
	mapCell   = 9   // stations that are closer are one dot
	mapTowns  = 9   // cities that are named
)

// NewMap returns the map of the stations that are at most so many kilometres from a place.
// The cities are named in their order, as long as their names do not cover each other. near
// returns the address of the stations within some kilometres of a place.
func NewMap(v *page.View, at catalog.Geo, kilometres float64, stations, towns []Spot, near func(at catalog.Geo, kilometres int) string) *Map {
	m := &Map{}
	scale := mapRadius / kilometres
	for _, ring := range []float64{innerRing(kilometres), kilometres} {
		m.Rings = append(m.Rings, Ring{units(ring * scale), units(mapMiddle - ring*scale), Distance(v, ring)})
	}
	shown := 0
	for _, c := range clusters(at, scale, stations) {
		d := Dot{X: units(c.x), Y: units(c.y), Radius: units(min(5+1.5*math.Sqrt(float64(len(c.spots)-1)), 16)), Href: c.spots[0].Href}
		if d.Title = v.N("list.found_radio", len(c.spots)); len(c.spots) == 1 {
			d.Title = c.spots[0].Name()
		} else {
			d.Href = near(c.spots[0].At, max(int(math.Ceil(2*mapCell/scale)), 1))
		}
		m.Dots = append(m.Dots, d)
		shown += len(c.spots)
	}
	m.Caption = v.N("near.map", shown, "km", Distance(v, kilometres))
	m.name(at, scale, towns)
	return m
}

// innerRing returns a round distance about halfway to another.
func innerRing(kilometres float64) float64 {
	inner := .5
	for _, ring := range []float64{1, 2, 5, 10, 25, 50, 100, 250} {
		if ring <= .65*kilometres {
			inner = ring
		}
	}
	return inner
}

// name adds the names of cities for which there is room.
func (m *Map) name(at catalog.Geo, scale float64, towns []Spot) {
	const tall, wide = 18, 8.2 // of a line of text, and of a letter
	var taken [][4]float64
	for _, ring := range m.Rings { // their distances are below their tops
		top, _ := strconv.ParseFloat(ring.Top, 64)
		taken = append(taken, [4]float64{mapMiddle - 30, top, mapMiddle + 30, top + tall})
	}
	for _, town := range towns {
		x, y, inside := project(at, town.At, scale)
		if !inside || len(m.Towns) == mapTowns {
			continue
		}
		name := Truncated(town.Name(), 18)
		width := wide*float64(len([]rune(name))) + 8
		t := Town{X: units(x), Y: units(y), Text: name, Href: town.Href, Before: x+width > mapSide}
		box := [4]float64{x, y - tall/2, x + width, y + tall/2}
		if t.Before {
			box[0], box[2] = x-width, x
		}
		if box[0] < 0 || slices.ContainsFunc(taken, func(o [4]float64) bool { return box[0] < o[2] && o[0] < box[2] && box[1] < o[3] && o[1] < box[3] }) {
			continue
		}
		taken = append(taken, box)
		m.Towns = append(m.Towns, t)
	}
}

// A cluster is stations that are drawn as one dot.
type cluster struct {
	x, y  float64
	spots []Spot
}

// clusters returns the dots of a map, the largest first, so that smaller ones are drawn
// over them.
func clusters(at catalog.Geo, scale float64, stations []Spot) []cluster {
	type cell struct{ x, y int }
	var all []cluster
	byCell := map[cell]int{}
	for _, s := range stations {
		x, y, inside := project(at, s.At, scale)
		if !inside {
			continue
		}
		c := cell{int(x / mapCell), int(y / mapCell)}
		i, ok := byCell[c]
		if !ok {
			i = len(all)
			byCell[c] = i
			all = append(all, cluster{x: x, y: y})
		}
		all[i].spots = append(all[i].spots, s)
	}
	slices.SortStableFunc(all, func(a, b cluster) int { return len(b.spots) - len(a.spots) })
	return all
}

// project returns where a place is on a map around another, and whether it is within the
// greatest ring.
func project(from, to catalog.Geo, scale float64) (x, y float64, inside bool) {
	const rad = math.Pi / 180
	distance := from.Metres(to) / 1000 * scale
	sinFrom, cosFrom := math.Sincos(from.Lat * rad)
	sinTo, cosTo := math.Sincos(to.Lat * rad)
	sinLon, cosLon := math.Sincos((to.Lon - from.Lon) * rad)
	bearing := math.Atan2(sinLon*cosTo, cosFrom*sinTo-sinFrom*cosTo*cosLon)
	sin, cos := math.Sincos(bearing)
	return mapMiddle + distance*sin, mapMiddle - distance*cos, distance <= mapRadius+.5
}

func units(n float64) string { return strconv.FormatFloat(math.Round(n*10)/10, 'f', -1, 64) }

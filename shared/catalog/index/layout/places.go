package layout

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/layout/recordtext"
)

// Places are where records are, made ready for finding those around a place. They lie in
// bands of one degree of latitude, each sorted by longitude, so that a search looks only
// at the part of each band that its circle reaches. A distance is that of a chord between
// two points of a sphere with the radius 1, which takes no trigonometry for each record.
// Places are immutable.
type Places struct {
	docs   []uint32     // by band, then by longitude
	lons   []float64    // of docs, in degrees
	points [][3]float64 // of docs, on the sphere
	bands  [bands + 1]int
}

// bands is how many degrees of latitude there are, and one band for the north pole.
const bands = 181

// earthRadius is the radius by which [catalog.Geo.Metres] measures, in kilometres.
var earthRadius = catalog.Geo{Lat: -90}.Metres(catalog.Geo{Lat: 90}) / math.Pi / 1000

// Places returns where records are. The first call reads them, in some ten milliseconds
// for 50,000 records; the others share what it made.
func (ix *Index) Places() *Places { return ix.places() }

// PlaceOf returns where a record is. It reports false when that is not known.
func (ix *Index) PlaceOf(doc uint32) (at catalog.Geo, ok bool) {
	lat, lon, ok := bytes.Cut(bytes.TrimSuffix(ix.Texts(doc).Part[recordtext.Place], []byte("}")), []byte(`,"lon":`))
	if !ok {
		return catalog.Geo{}, false
	}
	var failed, wrong error
	at.Lat, failed = strconv.ParseFloat(string(bytes.TrimPrefix(lat, []byte(`{"lat":`))), 64)
	at.Lon, wrong = strconv.ParseFloat(string(lon), 64)
	return at, failed == nil && wrong == nil
}

// findPlaces reads where records are.
func (ix *Index) findPlaces() *Places {
	type placed struct {
		doc uint32
		at  catalog.Geo
	}
	var all []placed
	for doc := range uint32(ix.N) {
		if at, ok := ix.PlaceOf(doc); ok {
			all = append(all, placed{doc, at})
		}
	}
	slices.SortFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(bandOf(a.at.Lat), bandOf(b.at.Lat)), cmp.Compare(a.at.Lon, b.at.Lon), cmp.Compare(a.doc, b.doc))
	})
	p := &Places{docs: make([]uint32, len(all)), lons: make([]float64, len(all)), points: make([][3]float64, len(all))}
	for i, r := range all {
		p.docs[i], p.lons[i], p.points[i] = r.doc, r.at.Lon, pointOf(r.at)
		p.bands[bandOf(r.at.Lat)+1] = i + 1
	}
	for i := range bands {
		p.bands[i+1] = max(p.bands[i+1], p.bands[i])
	}
	return p
}

func bandOf(lat float64) int { return min(max(int(math.Floor(lat))+90, 0), bands-1) }

// pointOf returns a place on a sphere with the radius 1.
func pointOf(at catalog.Geo) [3]float64 {
	sinLat, cosLat := math.Sincos(at.Lat * math.Pi / 180)
	sinLon, cosLon := math.Sincos(at.Lon * math.Pi / 180)
	return [3]float64{cosLat * cosLon, cosLat * sinLon, sinLat}
}

// Around calls found for each record that is at most radius away from a place, with its
// distance, both in kilometres; in no order. The radius must be less than a quarter of the
// way around the earth.
func (p *Places) Around(at catalog.Geo, radius float64, found func(doc uint32, kilometres float64)) {
	const margin = 1e-6 // degrees, more than rounding can move a record
	tall := radius/earthRadius*180/math.Pi + margin
	wide := 360. // of the circle, in degrees of longitude to each side; near a pole it reaches all
	if math.Abs(at.Lat)+tall < 90 {
		wide = math.Asin(math.Sin(tall*math.Pi/180)/math.Cos(at.Lat*math.Pi/180))*180/math.Pi + margin
	}
	point, most := pointOf(at), 2*math.Sin(radius/earthRadius/2)
	for band := bandOf(at.Lat - tall); band <= bandOf(at.Lat+tall); band++ {
		for _, turn := range [...]float64{-360, 0, 360} { // a circle may reach over the date line
			from, to := at.Lon+turn-wide, at.Lon+turn+wide
			if wide >= 180 { // all of the band, once
				from, to = -360, 360
			}
			lons := p.lons[p.bands[band]:p.bands[band+1]]
			first, _ := slices.BinarySearch(lons, from)
			for i := p.bands[band] + first; i < p.bands[band+1] && p.lons[i] <= to; i++ {
				if chord := distance(&p.points[i], &point); chord <= most {
					found(p.docs[i], 2*earthRadius*math.Asin(min(chord/2, 1)))
				}
			}
			if wide >= 180 {
				break
			}
		}
	}
}

// distance returns the length of the chord between two points.
func distance(a, b *[3]float64) float64 {
	x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
	return math.Sqrt(x*x + y*y + z*z)
}

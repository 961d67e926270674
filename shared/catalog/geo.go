package catalog

import "math"

// earthRadius is the mean radius of the earth in metres.
const earthRadius = 6_371_008.8

// Metres returns the distance to another place along the surface of a sphere.
func (g Geo) Metres(to Geo) float64 {
	const rad = math.Pi / 180
	sin := func(degrees float64) float64 { return math.Sin(degrees * rad / 2) }
	h := sin(to.Lat-g.Lat)*sin(to.Lat-g.Lat) + math.Cos(g.Lat*rad)*math.Cos(to.Lat*rad)*sin(to.Lon-g.Lon)*sin(to.Lon-g.Lon)
	return 2 * earthRadius * math.Asin(math.Sqrt(min(h, 1)))
}

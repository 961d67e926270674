package filter

import (
	"math"
	"strconv"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
)

// A search near a place has the place as a text, so that it is written in addresses and
// answers as it was understood. Every place is rounded: a tenth of a kilometre is enough
// to find stations, and addresses of one neighbourhood are then the same.

// DefaultRadius is the radius of a search near a place that names none, in kilometres.
const DefaultRadius = 50

// placeDecimals is to how many decimals of a degree a place is rounded.
const placeDecimals = 3

// Place returns the place that the filter near names. It reports false when it names none.
func (s *Selection) Place() (catalog.Geo, bool) { return parsePlace(s.Near) }

// Kilometres returns the radius around the place.
func (s *Selection) Kilometres() int {
	if s.Radius == 0 {
		return DefaultRadius
	}
	return s.Radius
}

// CheckOrder refuses the order by distance without a place, as input that is not valid.
func (s *Selection) CheckOrder() error {
	if s.Sort == ByDistance && s.Near == "" {
		return fault.ErrInvalid.With("param", All[Near].Name).With("reason", "missing")
	}
	return nil
}

// PlaceText returns a place as the filter near has it.
func PlaceText(at catalog.Geo) string { return degrees(at.Lat) + "," + degrees(at.Lon) }

// degrees returns a number of degrees as short as it can be written.
func degrees(n float64) string {
	scale := math.Pow10(placeDecimals)
	return strconv.FormatFloat(math.Round(n*scale)/scale+0, 'f', -1, 64) // + 0 makes of -0 a 0
}

// parsePlace returns the place that a text names: latitude and longitude in decimal
// degrees.
func parsePlace(text string) (at catalog.Geo, ok bool) {
	lat, lon, ok := strings.Cut(text, ",")
	if !ok {
		return catalog.Geo{}, false
	}
	var failed, wrong error
	at.Lat, failed = strconv.ParseFloat(lat, 64)
	at.Lon, wrong = strconv.ParseFloat(strings.TrimPrefix(lon, " "), 64)
	if failed != nil || wrong != nil || !(math.Abs(at.Lat) <= 90 && math.Abs(at.Lon) <= 180) {
		return catalog.Geo{}, false
	}
	return at, true
}

// roundPlace returns a place rounded, and any other text unchanged.
func roundPlace(text string) string {
	if at, ok := parsePlace(text); ok {
		return PlaceText(at)
	}
	return text
}

// appendRadius adds the radius in kilometres; null for a selection without a place.
func (s *Selection) appendRadius(dst []byte) []byte {
	if s.Near == "" {
		return append(dst, "null"...)
	}
	return strconv.AppendInt(dst, int64(s.Kilometres()), 10)
}

package catalog

import (
	"math"
	"testing"
)

// TestMetres compares distances with those of the great circle that atlases give.
func TestMetres(t *testing.T) {
	lisbon, porto, auckland := Geo{38.7223, -9.1393}, Geo{41.1579, -8.6291}, Geo{-36.8485, 174.7633}
	for _, test := range []struct {
		a, b Geo
		want float64 // km
	}{
		{lisbon, lisbon, 0},
		{lisbon, porto, 274},
		{porto, lisbon, 274},
		{Geo{0, 179}, Geo{0, -179}, 222}, // across the date line
		{Geo{90, 0}, Geo{90, 120}, 0},    // the pole has every longitude
		{Geo{0, 0}, Geo{0, 180}, 20015},
		{lisbon, auckland, 19663},
	} {
		if got := test.a.Metres(test.b) / 1000; math.Abs(got-test.want) > max(1, test.want/200) {
			t.Errorf("from %v to %v: %.1f km, want %.0f", test.a, test.b, got, test.want)
		}
	}
}

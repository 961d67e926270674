package part

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// TestMap checks where things are drawn, also over the date line and at a pole, that
// stations at one place are one dot, and that names do not cover each other.
func TestMap(t *testing.T) {
	v := page.NewRenderer(catalog.LinkBase{}).View(site.City, i18n.EN, nil)
	spot := func(name string, lat, lon float64) Spot {
		return Spot{At: catalog.Geo{Lat: lat, Lon: lon}, Name: func() string { return name }, Href: "/" + name}
	}
	near := func(catalog.Geo, int) string { return "/near" }
	m := NewMap(v, catalog.Geo{Lat: 0, Lon: 180}, 50, []Spot{
		spot("east", 0, -179.8), spot("north", .2, 180), spot("twin", .2, -180), spot("far", 1, 180),
	}, []Spot{spot("Town", -.2, 179.9), spot("Covered", -.2, 179.9), spot("Elsewhere", 5, 0)}, near)
	want := &Map{
		Caption: "3 stations on the map. North is at the top, the outer ring is 50 km away. Stations without a known location are not on the map.",
		Rings:   []Ring{{"92", "108", "25 km"}, {"184", "16", "50 km"}},
		Dots:    []Dot{{"200", "118.2", "6.5", "2 radio stations", "/near"}, {"281.8", "200", "5", "east", "/east"}},
		Towns:   []Town{{X: "159.1", Y: "281.8", Text: "Town", Href: "/Town"}},
	}
	if d := cmp.Diff(want, m); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	pole := NewMap(v, catalog.Geo{Lat: 90}, 10, []Spot{spot("a", 89.95, 0), spot("b", 89.95, 90)}, nil, near)
	if len(pole.Dots) != 2 || pole.Dots[0].X == pole.Dots[1].X {
		t.Errorf("around the pole: %+v", pole.Dots)
	}
}

func TestDistance(t *testing.T) {
	for kilometres, want := range map[float64][2]string{0: {"0 km", "0 km"}, 2.25: {"2.2 km", "2,2 km"}, 9.96: {"10 km", "10 km"}, 12.6: {"13 km", "13 km"}, 1234: {"1,234 km", "1.234 km"}} {
		for i, l := range []i18n.Locale{i18n.EN, i18n.DE} {
			if got := Distance(page.NewRenderer(catalog.LinkBase{}).View(site.Home, l, nil), kilometres); got != want[i] {
				t.Errorf("%v in %s is %q, want %q", kilometres, l, got, want[i])
			}
		}
	}
}

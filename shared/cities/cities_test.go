package cities

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// Cities as the build writes them, the largest first; the last lines are not cities.
const someCities = "1\tSão Paulo\tBR\t-23.55\t-46.64\n2\tGuarulhos\tBR\t-23.46\t-46.53\n3\tSantos\tBR\t-23.96\t-46.33\n4\tSuva\tFJ\t-18.14\t178.44\n\nx\ty\n5\tNowhere\tBR\tn\t0\n"

func atlas() *Atlas { return New(func() []byte { return []byte(someCities) }) }

func TestNear(t *testing.T) {
	g := newGrid(parse(someCities))
	for _, test := range []struct {
		name     string
		lat, lon float64
		country  string
		want     string // the number of the city; empty for none
	}{
		{"a suburb", -23.46, -46.53, "BR", "1"},
		{"a town that is far enough", -23.96, -46.33, "BR", "3"},
		{"without a country", -23.96, -46.33, "", "3"},
		{"another country", -23.96, -46.33, "AR", ""},
		{"the sea", 0, -30, "", ""},
		{"beyond the date line", -18.1, -179.9, "FJ", ""},
		{"before the date line", -18.1, 179.8, "FJ", "4"},
		{"the pole", -90, 180, "", ""},
	} {
		got := ""
		if c := g.near(catalog.Geo{Lat: test.lat, Lon: test.lon}, test.country); c != nil {
			got = c.ID
		}
		if got != test.want {
			t.Errorf("%s: the city is %q, want %q", test.name, got, test.want)
		}
	}
}

func view(t *testing.T, names ...string) *index.View {
	t.Helper()
	reg := &catalog.Register{BuiltAt: time.Unix(0, 0)}
	for i, name := range names {
		at := &catalog.Geo{Lat: -23.55, Lon: -46.63}
		if name == "Costa" {
			at = &catalog.Geo{Lat: -24, Lon: -46.3}
		}
		if name == "Unplaced" {
			at = nil
		}
		reg.Records = append(reg.Records, catalog.Record{
			ID: name, Name: name, Kind: catalog.Station, Country: "BR", Origin: "up", Radio: &catalog.Radio{Tags: []string{}, Votes: i, Geo: at},
			Streams: []catalog.StreamRecord{{ID: catalog.StreamID(i + 1), URL: "https://a.example/1.mp3", Kind: catalog.StreamAudio, Origin: "up", Playable: name != "Silent"}},
		})
	}
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	return index.NewView(ix, index.Overlay{}, catalog.LinkBase{})
}

// TestPlaces checks which stations belong to which city, and that a release is counted
// once.
func TestPlaces(t *testing.T) {
	a, v := atlas(), view(t, "Um", "Costa", "Dois", "Silent", "Unplaced")
	p := a.Places(v)
	var got []string
	for _, place := range p.Sorted {
		for _, doc := range place.Stations {
			got = append(got, place.Name+": "+v.ID(doc))
		}
	}
	if d := cmp.Diff([]string{"São Paulo: Dois", "São Paulo: Um", "Santos: Costa"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if a.Places(v) != p || a.Places(v.WithOverlay(index.Overlay{})) != p {
		t.Error("a release is counted twice")
	}
	if other := a.Places(view(t, "Um")); len(other.Sorted) != 1 || other.ByID["3"] != nil {
		t.Error("another release has the places of the first")
	}
	var near []string
	for _, n := range p.Around(p.ByID["1"].At, 60) {
		near = append(near, fmt.Sprintf("%s %.0f", n.Name, n.Kilometres))
	}
	if d := cmp.Diff([]string{"São Paulo 0", "Santos 55"}, near); d != "" {
		t.Errorf("around São Paulo (-want +got):\n%s", d)
	}
	if len(p.In("BR")) != 2 || len(p.In("PT")) != 0 {
		t.Errorf("%d places in Brazil, %d in Portugal", len(p.In("BR")), len(p.In("PT")))
	}
}

func TestSlug(t *testing.T) {
	for id, want := range map[string]string{"1": "sao-paulo-1", "4": "suva-4"} {
		if got := atlas().City(id).Slug(); got != want {
			t.Errorf("the slug of %s is %q, want %q", id, got, want)
		}
	}
	if got := (&City{ID: "7", Name: "…"}).Slug(); got != "7" {
		t.Errorf("a city without a name is %q", got)
	}
	for slug, want := range map[string]string{
		"sao-paulo-1": "1", "x-1": "1", "1": "1", "-1": "1", "": "", "sao-paulo": "", "sao-paulo-": "", "a-01": "", "a-1x": "", "a-+1": "", "a-12345678901": "", "a-١": "",
	} {
		if got, ok := NumberIn(slug); got != want || ok != (want != "") {
			t.Errorf("NumberIn(%q) = %q, %t, want %q", slug, got, ok, want)
		}
	}
	if atlas().City("9") != nil {
		t.Error("a number without a city has one")
	}
}

package index_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

// placed returns a register of stations at places, whose ids are their numbers, and of one
// whose place is not known and a TV channel.
func placed(places ...catalog.Geo) *catalog.Register {
	reg := &catalog.Register{}
	add := func(id string, radio *catalog.Radio) {
		r := catalog.Record{ID: id, Name: "Station " + id, Kind: catalog.Station, Radio: radio, Origin: "up", Streams: []catalog.StreamRecord{
			{ID: catalog.StreamID(len(reg.Records) + 1), URL: "https://a.example/1.mp3", Kind: catalog.StreamAudio, Origin: "up", Playable: true},
		}}
		if radio == nil {
			r.Kind = catalog.TV
		}
		reg.Records = append(reg.Records, r)
	}
	for i, at := range places {
		add(fmt.Sprint(i), &catalog.Radio{Tags: []string{}, Votes: i, Geo: &at})
	}
	add("nowhere", &catalog.Radio{Tags: []string{}})
	add("tv", nil)
	return reg
}

// TestNear checks which stations are found around a place, at the date line, at the poles
// and at the bounds of the radius, the nearest first.
func TestNear(t *testing.T) {
	const degree = 111.19508 // km along a meridian
	v := index.NewView(build(t, placed(
		catalog.Geo{Lat: 38.72, Lon: -9.14},                // 0: Lisbon
		catalog.Geo{Lat: 38.72, Lon: -9.3},                 // 1: 13.9 km to the west
		catalog.Geo{Lat: 38.72 + 50.001/degree, Lon: -9.1}, // 2: a little more than 50 km
		catalog.Geo{Lat: 41.15, Lon: -8.61},                // 3: Porto
		catalog.Geo{Lat: -18.1, Lon: 179.9},                // 4: before the date line
		catalog.Geo{Lat: -18.1, Lon: -179.9},               // 5: behind it
		catalog.Geo{Lat: -18.1, Lon: 180},                  // 6: on it
		catalog.Geo{Lat: -18.1, Lon: -180},                 // 7: also on it
		catalog.Geo{Lat: 90, Lon: 0},                       // 8: the north pole
		catalog.Geo{Lat: 89.9, Lon: 100},                   // 9
		catalog.Geo{Lat: 89.9, Lon: -80},                   // 10: on the other side of the pole
		catalog.Geo{Lat: -90, Lon: 12},                     // 11: the south pole
		catalog.Geo{},                                      // 12: where the equator meets the meridian of Greenwich
		catalog.Geo{Lat: 0, Lon: .999 / degree},            // 13: not quite a kilometre from it
	)), index.Overlay{}, links)
	for _, test := range []struct {
		near   string
		radius int
		want   []string // ids with distances
	}{
		{"38.72,-9.14", 0, []string{"0 0", "1 13.9"}},
		{"38.72,-9.14", 1, []string{"0 0"}},
		{"41.15,-8.61", 1, []string{"3 0"}}, // what the search before found is not taken for this one
		{"38.72,-9.14", 13, []string{"0 0"}},
		{"38.72,-9.14", 14, []string{"0 0", "1 13.9"}},
		{"38.72,-9.14", 51, []string{"0 0", "1 13.9", "2 50.1"}},
		{"38.72,-9.14", 500, []string{"0 0", "1 13.9", "2 50.1", "3 274"}},
		{"-18.1,179.95", 30, []string{"6 5.3", "7 5.3", "4 5.3", "5 15.9"}},
		{"-18.1,-179.95", 12, []string{"6 5.3", "7 5.3", "5 5.3"}},
		{"-18.1,180", 500, []string{"6 0", "7 0", "5 10.6", "4 10.6"}},
		{"-18.1,-180", 10, []string{"6 0", "7 0"}},
		{"90,0", 15, []string{"8 0", "9 11.1", "10 11.1"}},
		{"89.9,100", 12, []string{"9 0", "8 11.1"}},
		{"89.9,100", 23, []string{"9 0", "8 11.1", "10 22.2"}},
		{"-90,-180", 1, []string{"11 0"}},
		{"-89,0", 500, []string{"11 111.2"}},
		{"0,0", 1, []string{"12 0", "13 1"}},
		{"0.01,0.005", 2, []string{"13 1.2", "12 1.2"}},
		{"60,60", 500, nil},
		{"not a place", 500, nil},
		{"1", 500, nil},
		{"91,0", 500, nil},
		{"NaN,0", 500, nil},
		{"0,Inf", 500, nil},
	} {
		q := index.Query{Selection: filter.Selection{Kind: "all", Sort: filter.ByDistance, Near: test.near, Radius: test.radius}, Limit: 20}
		var page catalog.Page
		if err := json.Unmarshal(v.Search(q, 1, nil), &page); err != nil {
			t.Fatal(err)
		}
		var got []string
		last := 0.
		for _, item := range page.Items {
			got = append(got, fmt.Sprint(item.ID, " ", *item.DistanceKM))
			if *item.DistanceKM < last {
				t.Errorf("near %s: %s is nearer than what stands before it", test.near, item.ID)
			}
			last = *item.DistanceKM
		}
		slices.Sort(got) // of those that are equally far the best known is first
		slices.Sort(test.want)
		if d := cmp.Diff(test.want, got); d != "" || page.Total != len(got) {
			t.Errorf("near %s, %d km: %d (-want +got):\n%s", test.near, test.radius, page.Total, d)
		}
	}
}

// TestDistanceOrder checks that of stations that are equally far, to a tenth of a kilometre,
// the best known is first, that other orders stay, and that pages follow each other.
func TestDistanceOrder(t *testing.T) {
	reg := placed(catalog.Geo{Lat: 10, Lon: 10}, catalog.Geo{Lat: 10.0001, Lon: 10}, catalog.Geo{Lat: 10, Lon: 10.0001}, catalog.Geo{Lat: 10.2, Lon: 10})
	for i, votes := range []int{5, 50_000, 500, 5_000_000} {
		reg.Records[i].Radio.Votes = votes
	}
	v := index.NewView(build(t, reg), index.Overlay{}, links)
	ids := func(q index.Query) (all []string) {
		docs, _ := v.Find(q)
		for _, doc := range docs {
			all = append(all, v.ID(doc))
		}
		return all
	}
	near := filter.Selection{Kind: "radio", Near: "10,10", Sort: filter.ByDistance}
	for _, test := range []struct {
		sort          string
		limit, offset int
		want          []string
	}{
		{"distance", 10, 0, []string{"1", "2", "0", "3"}},
		{"distance", 2, 0, []string{"1", "2"}},
		{"distance", 2, 2, []string{"0", "3"}},
		{"distance", 2, 4, nil},
		{"votes", 10, 0, []string{"3", "1", "2", "0"}},
		{"name", 10, 0, []string{"0", "1", "2", "3"}},
	} {
		near.Sort = test.sort
		if d := cmp.Diff(test.want, ids(index.Query{Selection: near, Limit: test.limit, Offset: test.offset})); d != "" {
			t.Errorf("by %s, %d from %d (-want +got):\n%s", test.sort, test.limit, test.offset, d)
		}
	}
	if got := ids(index.Query{Selection: filter.Selection{Kind: "tv", Near: "10,10"}, Limit: 10}); len(got) > 0 {
		t.Errorf("television is found near a place: %v", got)
	}
}

// TestAround compares the places around a point with those of a scan by the formula of
// package catalog.
func TestAround(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 15))
	var places []catalog.Geo
	for range 4000 {
		at := catalog.Geo{Lat: math.Asin(2*r.Float64()-1) * 180 / math.Pi, Lon: r.Float64()*360 - 180}
		if r.IntN(4) == 0 { // a whole degree, and a pole or the date line now and then
			at.Lat, at.Lon = float64(r.IntN(181)-90), float64(r.IntN(73)*5-180)
		}
		places = append(places, at)
	}
	ix := build(t, placed(places...))
	for range 1000 {
		at, radius := places[r.IntN(len(places))], float64(1+r.IntN(500))
		want := map[string]float64{}
		for i, place := range places {
			if d := at.Metres(place) / 1000; d <= radius {
				want[fmt.Sprint(i)] = d
			}
		}
		got := map[string]float64{}
		ix.Places().Around(at, radius, func(doc uint32, kilometres float64) {
			id := ix.Record(int(doc)).ID
			if _, twice := got[id]; twice {
				t.Errorf("%s is found twice around %v", id, at)
			}
			got[id] = kilometres
		})
		if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-4)); d != "" {
			t.Fatalf("%g km around %v (-want +got):\n%s", radius, at, d)
		}
	}
}

// BenchmarkNear searches around places of a catalog as dense as Europe, with a new place
// each time.
func BenchmarkNear(b *testing.B) {
	r := rand.New(rand.NewPCG(8, 16))
	var places []catalog.Geo
	for range 30_000 {
		places = append(places, catalog.Geo{Lat: 36 + 24*r.Float64(), Lon: 40*r.Float64() - 10})
	}
	v := index.NewView(build(b, placed(places...)), index.Overlay{}, links)
	for _, radius := range []int{10, 50, 500} {
		for _, sort := range []string{"name", filter.ByDistance} {
			b.Run(fmt.Sprint(radius, " km by ", sort), func(b *testing.B) {
				var buf []byte
				i := 0
				b.ReportAllocs()
				for b.Loop() {
					i++
					q := index.Query{Selection: filter.Selection{Kind: "radio", Playable: true, Sort: sort, Near: filter.PlaceText(places[i%len(places)]), Radius: radius}, Limit: 20}
					buf = v.Search(q, 1, buf[:0])
				}
			})
		}
	}
}

package recordtext

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"miramundo.dev/shared/catalog"
)

// TestAppendPlace checks that places are written as encoding/json writes them, and that
// nothing else is.
func TestAppendPlace(t *testing.T) {
	for _, test := range []struct{ place, want string }{
		{"", ""},
		{"0,0", `{"lat":0,"lon":0}`},
		{"-0,-0.5", `{"lat":-0,"lon":-0.5}`},
		{"51.5072178,-0.1275862", `{"lat":51.5072178,"lon":-0.1275862}`},
		{"90,-180", `{"lat":90,"lon":-180}`},
		{"-89.99999999999999,179.99999999999997", `{"lat":-89.99999999999999,"lon":179.99999999999997}`},
		{"0.000001,1e-06", `{"lat":0.000001,"lon":0.000001}`},
		{"9e-07,1e-07", `{"lat":9e-7,"lon":1e-7}`},
		{"0.0000009,0", `{"lat":9e-7,"lon":0}`},
		{"90.00001,0", ""}, {"0,180.00001", ""}, {"100,0", ""}, {"-91,0", ""}, {"0,999", ""},
		{"1", ""}, {",", ""}, {"1,", ""}, {"a,b", ""}, {"1.,2", `{"lat":1,"lon":2}`}, {".5,2", `{"lat":0.5,"lon":2}`},
		{"01,2", `{"lat":1,"lon":2}`}, {"1.50,2", `{"lat":1.5,"lon":2}`}, {"--1,2", ""}, {"1/2,3", ""}, {"1:,3", ""}, {"1,2,3", ""}, {"NaN,1", ""},
	} {
		got := string(appendPlace(nil, []byte(test.place)))
		if got != test.want {
			t.Errorf("%q is written %s, want %s", test.place, got, test.want)
		}
		if got != "" && !json.Valid([]byte(got)) {
			t.Errorf("%q is written %s, which is not JSON", test.place, got)
		}
	}
	r := rand.New(rand.NewPCG(4, 4))
	for range 20_000 {
		scale := math.Pow(10, float64(r.IntN(17)))
		g := catalog.Geo{Lat: math.Round((r.Float64()*180-90)*scale) / scale, Lon: (r.Float64()*360 - 180) / scale}
		want, _ := json.Marshal(g)
		stored := strconv.FormatFloat(g.Lat, 'g', -1, 64) + "," + strconv.FormatFloat(g.Lon, 'g', -1, 64)
		if got := string(appendPlace(nil, []byte(stored))); got != string(want) {
			t.Fatalf("%q is written %s, want %s", stored, got, want)
		}
	}
}

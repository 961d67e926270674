package radiobrowser_test

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"miramundo.dev/functions/radiobrowser"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/reference"
	"miramundo.dev/shared/source/collect"
)

// A raw is a station of the dump, with the fields that are compared.
type raw struct {
	UUID     string `json:"stationuuid"`
	Name     string
	Resolved string `json:"url_resolved"`
	URL      string
	Tags     string
	Country  string `json:"countrycode"`
	Votes    int
	Codec    string
	Bitrate  int
	HLS      int
	OK       int      `json:"lastcheckok"`
	Clicks   int      `json:"clickcount"`
	Lat      *float64 `json:"geo_lat"`
	Lon      *float64 `json:"geo_long"`

	low string   // name in lower case
	tag []string // in lower case
}

// prepared returns r with its name and tags as they are compared.
func (r raw) prepared() raw {
	r.low, r.tag = r.name(), r.tags()
	return r
}

func (r *raw) name() string { return strings.ToLower(strings.Join(strings.Fields(r.Name), " ")) }

func (r *raw) address() string { return cmp.Or(r.Resolved, r.URL) }

func (r *raw) tags() (all []string) {
	for tag := range strings.SplitSeq(strings.ToLower(r.Tags), ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			all = append(all, tag)
		}
	}
	return all
}

// dump returns the stations of the real dump.
func dump(t testing.TB, dir string) (all []raw) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "radio-browser", "stations.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // only read
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// realView returns the catalog of the real sources.
func realView(t testing.TB, dir string) *index.View {
	t.Helper()
	place := collect.Folder(dir)
	ds, err := collect.Load(t.Context(), collect.Plan{IPTVOrg: place, Radio: place}, collect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reg, _ := build.Register(ds, nil, time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	return index.NewView(ix, index.Overlay{}, links)
}

// An asked is a path with what the simulation finds for it.
type asked struct {
	path string
	want func(*raw) bool
	by   func(*raw) float64 // what the answer is ordered by, falling; nil for the order of names
	most int                // stations of the answer
}

// TestAsRadioBrowser compares the answers to 500 requests with a simulation of
// radio-browser over its dump. It looks at the stations that the catalog shows as the dump
// has them: others were several stations there, or had a country or an address that the
// catalog corrects.
func TestAsRadioBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("the real sources take long with the race detector")
	}
	dir := filepath.Join(reference.Dir(t), "catalog")
	h := served(t, &indextest.Catalog{Shown: realView(t, dir)}, nil)
	shown := everything(t, h)
	var all []raw
	for _, r := range dump(t, dir) {
		if s, ok := shown[r.UUID]; ok && reflect.DeepEqual(r.asShown(), s.asShown()) {
			all = append(all, r.prepared())
		}
	}
	if len(shown) < 40_000 || len(all) < len(shown)*3/4 {
		t.Fatalf("of %d stations %d are as in the dump", len(shown), len(all))
	}
	same := map[string]bool{}
	for i := range all {
		same[all[i].UUID] = true
	}
	rnd := rand.New(rand.NewPCG(20, 1))
	for range 500 {
		q := anyRequest(rnd, &all[rnd.IntN(len(all))])
		var want []*raw
		for i := range all {
			if q.want(&all[i]) {
				want = append(want, &all[i])
			}
		}
		got := slices.DeleteFunc(stationsAt(t, h, q.path), func(s raw) bool { return !same[s.UUID] })
		compare(t, q, want, got)
	}
}

// asShown returns r as it is compared.
func (r raw) asShown() raw {
	r.Resolved, r.URL = cmp.Or(r.Resolved, r.URL), ""
	r.Name, r.Tags, r.Country = r.name(), strings.Join(r.tags(), ","), strings.ToUpper(r.Country)
	if r.Codec == "UNKNOWN" {
		r.Codec = ""
	}
	if !placed(&r) {
		r.Lat, r.Lon = nil, nil
	}
	return r
}

// anyRequest returns a request as programs send it, about what a station has.
func anyRequest(rnd *rand.Rand, r *raw) asked {
	name := []rune(r.low)
	at := rnd.IntN(max(1, len(name)-3))
	part := strings.TrimSpace(string(name[at:min(len(name), at+3+rnd.IntN(6))]))
	tag, country := "pop", cmp.Or(r.Country, "DE")
	if len(r.tag) > 0 {
		tag = r.tag[rnd.IntN(len(r.tag))]
	}
	in := func(o *raw) bool { return strings.EqualFold(o.Country, country) }
	has := func(tag string) func(*raw) bool { return func(r *raw) bool { return slices.Contains(r.tag, tag) } }
	votes := func(r *raw) float64 { return float64(r.Votes) }
	clicks := func(r *raw) float64 { return float64(r.Clicks) }
	bitrate := func(r *raw) float64 { return float64(r.Bitrate) }
	switch rnd.IntN(12) {
	case 0:
		return asked{path: "/json/stations/byname/" + url.PathEscape(part), want: func(o *raw) bool { return strings.Contains(o.low, part) }}
	case 1:
		return asked{path: "/json/stations/bynameexact/" + url.PathEscape(r.low), want: func(o *raw) bool { return o.low == r.low }}
	case 2:
		return asked{path: "/json/stations/bytagexact/" + url.PathEscape(tag), want: has(tag)}
	case 3:
		return asked{path: "/json/stations/bycountrycodeexact/" + country + "?hidebroken=true&order=votes&reverse=true", by: votes,
			want: func(o *raw) bool { return in(o) && o.OK == 1 }}
	case 4:
		return asked{path: "/json/stations/search?order=clickcount&reverse=true&hidebroken=true&tagExact=true&tag=" + url.QueryEscape(tag) + "&countrycode=" + country, by: clicks,
			want: func(o *raw) bool { return has(tag)(o) && in(o) && o.OK == 1 }}
	case 5:
		n := 1 + rnd.IntN(500)
		return asked{path: fmt.Sprintf("/json/stations/topvote/%d", n), by: votes, most: n, want: func(*raw) bool { return true }}
	case 6:
		n := 1 + rnd.IntN(500)
		return asked{path: fmt.Sprintf("/json/stations/search?order=clickcount&reverse=true&hidebroken=1&limit=%d", n), by: clicks, most: n, want: func(o *raw) bool { return o.OK == 1 }}
	case 7:
		return asked{path: "/json/stations/byuuid?uuids=" + r.UUID, want: func(o *raw) bool { return o.UUID == r.UUID }}
	case 8:
		return asked{path: "/json/stations/byurl?url=" + url.QueryEscape(r.address()), want: func(o *raw) bool { return o.address() == r.address() }}
	case 9:
		least := 32 + rnd.IntN(289)
		return asked{path: fmt.Sprintf("/json/stations/search?order=bitrate&reverse=true&bitrateMin=%d&bitrateMax=%d&countrycode=%s&codec=mp3", least, least+200, country), by: bitrate,
			want: func(o *raw) bool {
				return o.Codec == "MP3" && least <= o.Bitrate && o.Bitrate <= least+200 && in(o)
			}}
	case 10:
		return asked{path: "/json/stations/search?has_geo_info=true&name=" + url.QueryEscape(part), want: func(o *raw) bool { return placed(o) && strings.Contains(o.low, part) }}
	}
	lat, lon, far := 38.7+rnd.Float64()*20, -9+rnd.Float64()*30, 20_000+rnd.Float64()*200_000
	return asked{path: fmt.Sprintf("/json/stations/search?geo_lat=%g&geo_long=%g&geo_distance=%g", lat, lon, far),
		want: func(o *raw) bool { return placed(o) && flat(lat, lon, *o.Lat, *o.Lon) <= far }}
}

func placed(r *raw) bool {
	return r.Lat != nil && r.Lon != nil && math.Abs(*r.Lat) <= 90 && math.Abs(*r.Lon) <= 180
}

// flat returns the distance of two places in metres by the law of cosines.
func flat(lat, lon, lat2, lon2 float64) float64 {
	const rad = math.Pi / 180
	c := math.Sin(lat*rad)*math.Sin(lat2*rad) + math.Cos(lat*rad)*math.Cos(lat2*rad)*math.Cos((lon2-lon)*rad)
	return 6_371_008.8 * math.Acos(min(1, c))
}

// compare compares an answer with the stations that it should have. Of a ranking it compares
// the values: which of equal ones is left out is chance.
func compare(t *testing.T, q asked, want []*raw, got []raw) {
	t.Helper()
	if q.by != nil {
		slices.SortFunc(want, func(a, b *raw) int { return cmp.Compare(q.by(b), q.by(a)) })
		for i := range min(len(got), len(want)) {
			if q.by(&got[i]) != q.by(want[i]) {
				t.Errorf("GET %s: number %d is %s with %g, want %s with %g", q.path, i, got[i].Name, q.by(&got[i]), want[i].Name, q.by(want[i]))
				return
			}
		}
	}
	if q.most > 0 {
		if len(got) == 0 || len(got) > q.most {
			t.Errorf("GET %s: %d stations, want at most %d", q.path, len(got), q.most)
		}
		return
	}
	lacks := map[string]bool{}
	for _, r := range want {
		lacks[r.UUID] = true
	}
	for i := range got {
		if !lacks[got[i].UUID] {
			t.Errorf("GET %s: the answer has %s, which the simulation does not find", q.path, got[i].Name)
		}
		delete(lacks, got[i].UUID)
	}
	if len(lacks) > 0 {
		t.Errorf("GET %s: the answer lacks %d of %d stations: %.200q", q.path, len(lacks), len(want), slices.Collect(maps.Keys(lacks)))
	}
}

// everything returns all stations by their ids.
func everything(t *testing.T, h http.Handler) map[string]raw {
	t.Helper()
	all := map[string]raw{}
	for _, s := range stationsAt(t, h, "/json/stations") {
		all[s.UUID] = s
	}
	return all
}

// stationsAt returns the stations of an answer, page after page.
func stationsAt(t *testing.T, h http.Handler, path string) (all []raw) {
	t.Helper()
	more := "?offset="
	if strings.Contains(path, "?") {
		more = "&offset="
	}
	for {
		page := pageAt(t, h, path+more+strconv.Itoa(len(all)))
		all = append(all, page...)
		if len(page) < radiobrowser.MaxStations {
			return all
		}
	}
}

func pageAt(t *testing.T, h http.Handler, path string) (list []raw) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	if w.Code != http.StatusOK {
		t.Fatalf("GET %s: %d %.200s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return list
}

var links = catalog.LinkBase{Base: "https://mira.example", Hop: "https://hop.example", Legacy: "http://legacy.example"}

// BenchmarkRealStations times requests as programs send them, on the real catalog.
func BenchmarkRealStations(b *testing.B) {
	h := served(b, &indextest.Catalog{Shown: realView(b, filepath.Join(reference.Dir(b), "catalog"))}, nil)
	for name, path := range map[string]string{
		"search": "/json/stations/search?tag=jazz&countrycode=US&order=votes&reverse=true&hidebroken=true&limit=100",
		"name":   "/json/stations/search?name=radio&order=clickcount&reverse=true&limit=100",
		"top":    "/json/stations/topclick/100",
		"byuuid": "/json/stations/byuuid/00016c64-cd89-458d-beb5-0951b2cfbbf5",
		"tags":   "/json/tags?order=stationcount&reverse=true&limit=100",
		"most":   "/json/stations",
		"xml":    "/xml/stations",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
			}
		})
	}
}

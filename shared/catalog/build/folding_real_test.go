package build

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/brand"
	"miramundo.dev/shared/catalog/build/clean"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/source"
)

// A quality counts how well the stations of the real register are folded.
type quality struct {
	Rows, Shown, Folded int

	OtherName, NotReachable int // folded names that the survivor does not have as its name; of them those of no shown station
	Abroad                  int // folded entries of another country than their survivor's
	NoTags, NoLanguages     int // survivors that lack what a folded entry has
	NoGeo, NoCountry        int
	Languages, Subdivisions int // stations that have them
	LostLanguages           int // stations without a language whose rows name some
	LostStates              int // stations without a subdivision whose rows name a state and a country
	Twins                   int // shown stations with the address of another but for the scheme
	SameName                int // shown stations with the name and country of another
	Lost                    int // stream addresses of rows that no shown station has
}

// qualityOf measures reg, built of ds.
func qualityOf(ds *source.Dataset, reg *catalog.Register) quality {
	q := quality{Rows: len(ds.Stations)}
	byID, names, urls := map[string]*catalog.Record{}, map[string]bool{}, map[string]bool{}
	type pair struct{ a, b string }
	twins, sameName := map[string]bool{}, map[pair]bool{}
	for i := range reg.Records {
		r := &reg.Records[i]
		if r.Kind != catalog.Station {
			continue
		}
		q.Shown++
		byID[r.ID] = r
		for _, name := range append([]string{r.Name}, r.AltNames...) {
			names[fold.Words(name)] = true
		}
		for k := range r.Streams {
			urls[clean.Normal(r.Streams[k].URL)] = true
		}
		q.Languages += count(len(r.Languages) > 0)
		q.Subdivisions += count(r.Subdivision != "")
		_, rest, _ := strings.Cut(r.Streams[0].URL, "://")
		q.Twins += count(twins[rest+r.Country+fold.Words(r.Name)])
		twins[rest+r.Country+fold.Words(r.Name)] = true
		q.SameName += count(sameName[pair{fold.Words(r.Name), r.Country}])
		sameName[pair{fold.Words(r.Name), r.Country}] = true
	}
	lacks := map[string]map[string]bool{"tags": {}, "languages": {}, "geo": {}, "country": {}, "said": {}, "state": {}}
	for i := range ds.Stations {
		row := &ds.Stations[i]
		id := stationPrefix + strings.ToLower(row.UUID)
		to, folded := reg.ChannelAliases[id]
		r := byID[id]
		if folded {
			r = byID[to]
		}
		if r == nil {
			continue
		}
		if s, ok := stationStream(row); ok {
			q.Lost += count(!urls[clean.Normal(s.URL)])
		}
		if len(row.Languages)+len(row.LanguageCodes) > 0 && len(r.Languages) == 0 {
			lacks["said"][r.ID] = true
		}
		if row.State != "" && row.CountryCode != "" && r.Subdivision == "" {
			lacks["state"][r.ID] = true
		}
		if !folded {
			continue
		}
		q.Folded++
		if words := fold.Words(row.Name); words != fold.Words(r.Name) && words != "" {
			q.OtherName++
			q.NotReachable += count(!names[words])
		}
		c := catalog.CountryCode(row.CountryCode)
		q.Abroad += count(c != "" && c != r.Country)
		for what, lack := range map[string]bool{
			"tags": len(row.Tags) > 0 && len(r.Radio.Tags) == 0, "languages": len(languages(row)) > 0 && len(r.Languages) == 0,
			"geo": place(row) != nil && r.Radio.Geo == nil && c == r.Country, "country": c != "" && r.Country == "",
		} {
			if lack {
				lacks[what][r.ID] = true
			}
		}
	}
	q.NoTags, q.NoLanguages, q.NoGeo, q.NoCountry = len(lacks["tags"]), len(lacks["languages"]), len(lacks["geo"]), len(lacks["country"])
	q.LostLanguages, q.LostStates = len(lacks["said"]), len(lacks["state"])
	return q
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// TestFoldQuality folds the real register of stations. It logs the figures by
// which a change of the folding is judged, and fails where one gets much worse.
func TestFoldQuality(t *testing.T) {
	ds := load(t, "catalog", true)
	ds.Channels, ds.Streams = nil, nil
	reg, _ := Register(ds, nil, now)
	q := qualityOf(ds, reg)
	t.Logf("%+v", q)
	for _, limit := range []struct {
		what     string
		got, max int
	}{
		{"names of folded entries that no shown station has", q.NotReachable, q.OtherName / 100},
		{"entries folded into another country", q.Abroad, q.Rows / 100},
		{"survivors without tags that a folded entry has", q.NoTags, 10},
		{"survivors without languages that a folded entry has", q.NoLanguages, 0},
		{"survivors without a position that a folded entry has", q.NoGeo, 0},
		{"survivors without a country that a folded entry has", q.NoCountry, 0},
		{"stations without the languages that their rows name", q.LostLanguages, 200},
		{"stations without the state that their rows name", q.LostStates, 1500},
		{"stations with the address of another but for the scheme", q.Twins, 0},
		{"stations with the name and country of another", q.SameName, 400},
		{"stream addresses of rows that no station has", q.Lost, 0},
		{"shown stations", q.Shown, q.Rows * 85 / 100},
		{"folded entries", q.Folded, q.Rows * 25 / 100},
	} {
		if limit.got > limit.max {
			t.Errorf("%d %s, want at most %d", limit.got, limit.what, limit.max)
		}
	}
	if abroad := abroadListings(ds, reg); abroad > 0 {
		t.Errorf("%d entries are folded into another country without %d countries that list the station", abroad, worldwideFrom)
	}
	checkRealOrder(t, ds)
}

// abroadListings returns the number of entries that are folded into another
// country though fewer than worldwideFrom list the station.
func abroadListings(ds *source.Dataset, reg *catalog.Register) int {
	countries, survivors := map[string]map[string]int{}, map[string]string{}
	for i := range reg.Records {
		survivors[reg.Records[i].ID] = reg.Records[i].Country
	}
	for i := range ds.Stations {
		id := stationPrefix + strings.ToLower(ds.Stations[i].UUID)
		if to, ok := reg.ChannelAliases[id]; ok {
			id = to
		}
		if _, ok := survivors[id]; !ok {
			continue // an invalid row
		}
		if countries[id] == nil {
			countries[id] = map[string]int{}
		}
		countries[id][catalog.CountryCode(ds.Stations[i].CountryCode)]++
	}
	n := 0
	for id, list := range countries {
		if delete(list, ""); len(list) >= worldwideFrom {
			continue
		}
		for c, entries := range list {
			if c != survivors[id] {
				n += entries
			}
		}
	}
	return n
}

// checkRealOrder checks that the real rows give the same stations in another
// order.
func checkRealOrder(t *testing.T, ds *source.Dataset) {
	t.Helper()
	shuffled := *ds
	shuffled.Stations = slices.Clone(ds.Stations)
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(shuffled.Stations), func(i, j int) {
		shuffled.Stations[i], shuffled.Stations[j] = shuffled.Stations[j], shuffled.Stations[i]
	})
	first, merged := mergeStations(ds, nil, &Report{LeftOut: map[string]int{}})
	again, mergedAgain := mergeStations(&shuffled, nil, &Report{LeftOut: map[string]int{}})
	if !reflect.DeepEqual(first, again) || !maps.Equal(merged, mergedAgain) {
		t.Error("the same rows in another order give other stations")
	}
}

// TestThreshold measures how well names tell the stations of one stream address
// apart, on 200 pairs of entries of the real register. They are a random sample of
// the addresses with several names, with 125 from those whose names share less
// than a third of their words; a person who knows the stations or looked them up
// said whether both names are of one station. Descriptions, translations,
// frequencies and typing errors count as the same station; another programme of
// the same brand is a different one.
func TestThreshold(t *testing.T) {
	ds := load(t, "catalog", true)
	names := make(map[string]string, len(ds.Stations))
	for i := range ds.Stations {
		names[ds.Stations[i].UUID] = ds.Stations[i].Name
	}
	pairs, err := os.ReadFile("testdata/pairs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for line := range strings.Lines(string(pairs)) {
		f := strings.Fields(line)
		a, b := brand.Of(names[f[0]]), brand.Of(names[f[1]])
		if names[f[0]] == "" || names[f[1]] == "" {
			found["gone"]++
			continue
		}
		found[fmt.Sprintf("%s %t", f[2], a.Agree(b))]++
	}
	t.Logf("of one station: %d agree, %d do not; of different stations: %d agree, %d do not; %d are gone from the register",
		found["same true"], found["same false"], found["different true"], found["different false"], found["gone"])
	if wrong, right := found["different true"], found["same true"]; wrong > 3 || right < 135-found["gone"] {
		t.Errorf("%d pairs of different stations agree, and %d of one, want at most 3 and at least 135", wrong, right)
	}
}

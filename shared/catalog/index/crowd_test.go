package index_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

// A crowd provides the counters of the channels in it.
type crowd map[string]catalog.Social

func (c crowd) Social(id []byte) (catalog.Social, bool) {
	s, ok := c[string(id)]
	return s, ok
}

func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

func some[T any](r *rand.Rand, values ...T) *T {
	if r.IntN(3) == 0 {
		return nil
	}
	v := pick(r, values...)
	return &v
}

// socialOf returns counters made up by chance.
func socialOf(r *rand.Rand) catalog.Social {
	n := func() int { return pick(r, 0, 1, 42, 100_000, math.MaxInt, -1) }
	code := func() *string { return some(r, "geo", "", `"`, "\\", "\x00", "\xff", "é\u2028<&>") }
	return catalog.Social{
		Plays: n(), Fails: n(), Favorites: n(), Comments: n(), LastFailCode: code(), Health: some(r, 0, 50, 100),
		YourPlays: n(), YourFails: n(), YourFailCode: code(), YourCountryOK: n(), YourCountryFail: n(),
		YourGeoOK: some(r, true, false), YourLatencyMS: some(r, 0, 599, 60_000), YourLatencyGrade: some(r, "otima", "ruim"),
	}
}

// TestCrowd compares pages that show counters, byte for byte, with
// those that encoding/json wrote, on ids that JSON escapes too.
func TestCrowd(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	reg := indextest.Synthetic(26, 700)
	who := crowd{"unknown": socialOf(r)}
	for i := range reg.Records {
		if i%2 == 0 {
			who[reg.Records[i].ID] = socialOf(r)
		}
	}
	ix := build(t, reg)
	for _, o := range []index.Overlay{{}, indextest.Overlay(2, reg)} {
		v, naive := index.NewView(ix, o, links), indextest.NewNaive(reg, o, links)
		counted := 0
		for i := range 300 {
			q := indextest.Query(r, reg)
			q.Crowd = who
			want := naive.Page(q, i%5)
			counted += len(slices.DeleteFunc(slices.Clone(want.Items), func(c catalog.Channel) bool { return *c.Social == catalog.Social{} }))
			if s, got := encode(t, want), string(v.Search(q, i%5, nil)); s != got {
				t.Fatalf("query %+v:\nwant %s\n got %s", q, s, got)
			}
		}
		if counted < 100 {
			t.Errorf("only %d items have counters: the test checks nothing", counted)
		}
	}
}

// TestCrowdAllocations checks that channels without counters
// cost nothing.
func TestCrowdAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	v := index.NewView(build(t, plain(indextest.Synthetic(27, 5000))), index.Overlay{}, links)
	buf := make([]byte, 0, 1<<20)
	q := index.Query{Selection: filter.Selection{Kind: "all", Country: "BR"}, Limit: 20, Crowd: crowd{"unknown": {Plays: 1}}}
	if n := testing.AllocsPerRun(100, func() { buf = v.Search(q, 0, buf[:0]) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

package index_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

var links = catalog.LinkBase{Base: "https://base.example", Hop: "https://hop.example", Legacy: "https://legacy.example"}

func build(t testing.TB, reg *catalog.Register) *index.Index {
	t.Helper()
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// encode returns v as the service writes JSON.
func encode(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// TestSearch compares pages, byte for byte, with those of a linear scan that
// encoding/json wrote, on registers of sizes at which other plans are taken.
func TestSearch(t *testing.T) {
	for _, c := range []struct{ records, queries int }{{1, 20}, {40, 300}, {700, 1500}, {6000, 400}} {
		if raceEnabled {
			c.queries /= 8 // one goroutine races with nobody, and takes ten times as long
		}
		t.Run(fmt.Sprint(c.records), func(t *testing.T) {
			reg := indextest.Synthetic(uint64(c.records), c.records)
			aliased(reg)
			ix := build(t, reg)
			compare(t, reg, index.NewView(ix, index.Overlay{}, links), index.Overlay{}, c.queries)
			o := indextest.Overlay(1, reg)
			compare(t, reg, index.NewView(ix, o, links), o, c.queries)
		})
	}
}

// aliased gives some records of reg ids that they once had.
func aliased(reg *catalog.Register) {
	reg.ChannelAliases = map[string]string{"Loop.br": "Loop.br"}
	for i := 0; i < len(reg.Records); i += 3 {
		reg.ChannelAliases[fmt.Sprintf("Old%d.br", i)] = reg.Records[i].ID
		reg.ChannelAliases[fmt.Sprintf("Older%d.br", i)] = fmt.Sprintf("Old%d.br", i)
	}
}

func compare(t *testing.T, reg *catalog.Register, v *index.View, o index.Overlay, queries int) {
	t.Helper()
	naive := indextest.NewNaive(reg, o, links)
	r := rand.New(rand.NewPCG(uint64(queries), 1))
	var buf []byte
	hits := 0
	for i := range queries {
		q := indextest.Query(r, reg)
		want := naive.Page(q, i%5)
		if want.Total > 0 {
			hits++
		}
		buf = v.Search(q, i%5, buf[:0])
		if s := encode(t, want); s != string(buf) {
			t.Fatalf("query %+v (-want +got):\n%s", q, cmp.Diff(decode(t, s), decode(t, string(buf))))
		}
		if i%5 == 0 {
			compareMatches(t, naive, v, q)
		}
	}
	if hits < queries/3 {
		t.Errorf("only %d of %d queries found something: the test does not test", hits, queries)
	}
}

// compareMatches compares all that a query matches.
func compareMatches(t *testing.T, naive *indextest.Naive, v *index.View, q index.Query) {
	t.Helper()
	var ids []string
	for _, doc := range v.Matches(q) {
		ids = append(ids, v.ID(doc))
	}
	if d := cmp.Diff(naive.Matches(q), ids, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("all matches of %+v (-want +got):\n%s", q, d)
	}
}

// decode parses a page, or returns it as it is when it does not parse.
func decode(t *testing.T, s string) any {
	t.Helper()
	var p catalog.Page
	if err := json.Unmarshal([]byte(s), &p); err != nil {
		return s
	}
	return p
}

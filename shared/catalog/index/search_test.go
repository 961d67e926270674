package index_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// measured returns health for about half of the records.
func measured(reg *catalog.Register) map[string]catalog.MeasuredHealth {
	r := rand.New(rand.NewPCG(3, 4))
	at := "2026-11-22T00:00:00Z"
	m := map[string]catalog.MeasuredHealth{}
	for i := range reg.Records {
		switch r.IntN(4) {
		case 0:
			score := r.IntN(101)
			m[reg.Records[i].ID] = catalog.MeasuredHealth{Score: &score, Online: score > 50, CheckedAt: &at}
		case 1:
			m[reg.Records[i].ID] = catalog.MeasuredHealth{}
		}
	}
	return m
}

// TestSearch compares pages, byte for byte, with those of a linear scan that
// encoding/json wrote, on registers of sizes at which other plans are taken.
func TestSearch(t *testing.T) {
	for _, c := range []struct{ records, queries int }{{1, 20}, {40, 300}, {700, 1500}, {6000, 400}} {
		t.Run(fmt.Sprint(c.records), func(t *testing.T) {
			reg := indextest.Synthetic(uint64(c.records), c.records)
			health := measured(reg)
			ix := build(t, reg)
			compare(t, reg, index.NewView(ix, index.Overlay{}, links), nil, c.queries)
			compare(t, reg, index.NewView(ix, index.Overlay{Health: health}, links), health, c.queries)
		})
	}
}

func compare(t *testing.T, reg *catalog.Register, v *index.View, health map[string]catalog.MeasuredHealth, queries int) {
	t.Helper()
	naive := indextest.NewNaive(reg, health, links)
	r := rand.New(rand.NewPCG(uint64(queries), 1))
	var buf []byte
	hits := 0
	for i := range queries {
		q := indextest.Query(r, reg)
		want := naive.Page(q, i%5)
		if q.Sort == "relevance" && want.Total == 0 {
			continue // see TestFallback
		}
		if want.Total > 0 {
			hits++
		}
		buf = v.Search(q, i%5, buf[:0])
		if s := encode(t, want); s != string(buf) {
			t.Fatalf("query %+v (-want +got):\n%s", q, cmp.Diff(decode(t, s), decode(t, string(buf))))
		}
	}
	if hits < queries/3 {
		t.Errorf("only %d of %d queries found something: the test does not test", hits, queries)
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

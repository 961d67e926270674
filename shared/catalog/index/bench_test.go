package index_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

// BenchmarkPage writes a page of 20 channels, and has encoding/json write the
// same.
func BenchmarkPage(b *testing.B) {
	v := index.NewView(build(b, indextest.Synthetic(31, 20_000)), index.Overlay{}, links)
	q := index.Query{Selection: filter.Selection{Kind: "all", Playable: true}, Limit: 20, Offset: 1000}
	b.Run("append", func(b *testing.B) {
		var buf []byte
		b.ReportAllocs()
		for b.Loop() {
			buf = v.Search(q, 0, buf[:0])
		}
		b.SetBytes(int64(len(buf)))
	})
	full := index.NewView(v.Index(), indextest.Overlay(31, v.Index().Register()), links)
	b.Run("append, half measured", func(b *testing.B) {
		var buf []byte
		b.ReportAllocs()
		for b.Loop() {
			buf = full.Search(q, 0, buf[:0])
		}
	})
	for name, every := range map[string]int{"append, one of 20 reported": 20, "append, all reported": 1} {
		who, n := crowd{}, 3
		for i := 0; i < v.Index().Len(); i += every {
			who[v.Index().Record(i).ID] = catalog.Social{Plays: n, Health: &n, YourLatencyMS: &n}
		}
		b.Run(name, func(b *testing.B) {
			q := q
			q.Crowd = who
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				buf = v.Search(q, 0, buf[:0])
			}
		})
	}
	b.Run("encoding json", func(b *testing.B) {
		var page catalog.Page
		if err := json.Unmarshal(v.Search(q, 0, nil), &page); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(&page); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSearch runs searches of the main kinds.
func BenchmarkSearch(b *testing.B) {
	v := index.NewView(build(b, indextest.Synthetic(32, 100_000)), index.Overlay{}, links)
	for name, q := range map[string]index.Query{
		"country":   {Selection: filter.Selection{Country: "BR", Playable: true}, Limit: 20},
		"word":      {Selection: filter.Selection{Q: "news", Kind: "all"}, Limit: 20},
		"words":     {Selection: filter.Selection{Q: "globo n", Kind: "all"}, Limit: 20},
		"letter":    {Selection: filter.Selection{Q: "r", Kind: "all"}, Limit: 20},
		"relevance": {Selection: filter.Selection{Q: "globo", Kind: "all", Sort: "relevance"}, Limit: 20},
		"again":     {Selection: filter.Selection{Q: strings.Repeat("r ", 100), Kind: "all", Sort: "relevance"}, Limit: 20},
		"votes":     {Selection: filter.Selection{Kind: "radio", Sort: "votes", Tag: "pop"}, Limit: 20},
	} {
		b.Run(name, func(b *testing.B) {
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				buf = v.Search(q, 0, buf[:0])
			}
		})
	}
}

// BenchmarkDecode loads a snapshot.
func BenchmarkDecode(b *testing.B) {
	data := encoded(b, build(b, indextest.Synthetic(33, 50_000)))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := index.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNewView makes views of a large catalog: of nothing but the catalog,
// and of 60,000 measured streams, 40,000 logos, 5,000 guides and the use of 20,000
// channels besides.
func BenchmarkNewView(b *testing.B) {
	reg := indextest.Synthetic(36, 60_000)
	ix := build(b, reg)
	whole := indextest.Overlay(36, reg)
	full := index.Overlay{OnlineSince: whole.OnlineSince}
	var records []string
	streams := map[catalog.StreamID]*catalog.Measurement{}
	measured := maps.Collect(whole.Streams)
	spare := slices.Collect(maps.Values(measured))
	for i := range reg.Records {
		records = append(records, reg.Records[i].ID)
		for _, s := range reg.Records[i].Streams {
			if len(streams) < 60_000 {
				streams[s.ID] = cmp.Or(measured[s.ID], spare[i%len(spare)])
			}
		}
	}
	full.Streams, full.Guides = maps.All(streams), func(yield func(channel, site string) bool) {
		for i, id := range records[:5000] {
			if !yield(id, []string{"a.example", "b.example"}[i%2]) {
				return
			}
		}
	}
	full.Logos = func(yield func(channel, logo string) bool) {
		for _, id := range records[:40_000] {
			if !yield(id, "c0ffee00c0ffee00") {
				return
			}
		}
	}
	full.Uses = func(yield func(channel string, use index.Use) bool) {
		for i, id := range records[:20_000] {
			if !yield(id, index.Use{Plays: i % 999, Favorites: i % 30}) {
				return
			}
		}
	}
	blocked := full
	blocked.BlockedChannels = records[:10]
	for _, c := range []struct {
		name string
		o    index.Overlay
	}{{"bare", index.Overlay{}}, {"full", full}, {"full, with blocks", blocked}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				index.NewView(ix, c.o, links)
			}
		})
	}
}

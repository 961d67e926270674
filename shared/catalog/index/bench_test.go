package index_test

import (
	"encoding/json"
	"testing"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

// BenchmarkPage writes a page of 20 channels, and has encoding/json write the
// same.
func BenchmarkPage(b *testing.B) {
	v := index.NewView(build(b, indextest.Synthetic(31, 20_000)), index.Overlay{}, links)
	q := index.Query{Kind: "all", Playable: true, Limit: 20, Offset: 1000}
	b.Run("append", func(b *testing.B) {
		var buf []byte
		b.ReportAllocs()
		for b.Loop() {
			buf = v.Search(q, 0, buf[:0])
		}
		b.SetBytes(int64(len(buf)))
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
		"country":   {Country: "BR", Playable: true, Limit: 20},
		"word":      {Q: "news", Kind: "all", Limit: 20},
		"words":     {Q: "globo n", Kind: "all", Limit: 20},
		"letter":    {Q: "r", Kind: "all", Limit: 20},
		"relevance": {Q: "globo", Kind: "all", Sort: "relevance", Limit: 20},
		"votes":     {Kind: "radio", Sort: "votes", Tag: "pop", Limit: 20},
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

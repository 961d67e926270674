package web

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/reference"
	"miramundo.dev/shared/source/collect"
)

// BenchmarkChannel makes the pages of the real channels, one in a hundred, and
// reports how long they took: half of them, and all but the slowest hundredth.
func BenchmarkChannel(b *testing.B) {
	folder := collect.Folder(filepath.Join(reference.Dir(b), "catalog"))
	ds, err := collect.Load(b.Context(), collect.Plan{IPTVOrg: folder, Radio: folder}, collect.Options{})
	if err != nil {
		b.Fatal(err)
	}
	now := time.Now()
	reg, _ := build.Register(ds, nil, now)
	ix, err := index.Build(reg)
	if err != nil {
		b.Fatal(err)
	}
	s := New(Options{Catalog: fixedCatalog{index.NewView(ix, index.Overlay{}, watchLinks)}, Links: watchLinks, Now: func() time.Time { return now }})
	var ids []string
	for i := range reg.Records {
		if r := &reg.Records[i]; i%100 == 0 || len(r.Streams) > 40 || r.Kind == catalog.TV && i%20 == 0 {
			ids = append(ids, r.ID)
		}
	}
	var took []time.Duration
	size, n := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		page, err := s.channel(b.Context(), i18n.Locales[n%len(i18n.Locales)], channelIn{ID: ids[n%len(ids)]})
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		size = max(size, len(page.data))
		n++
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(size), "max-bytes")
}

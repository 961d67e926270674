package web

import (
	"slices"
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
)

// BenchmarkChannel makes the pages of the real channels, one in a hundred, and
// reports how long they took: half of them, and all but the slowest hundredth.
func BenchmarkChannel(b *testing.B) {
	s, reg := realServer(b)
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

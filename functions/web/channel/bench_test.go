package channel

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// BenchmarkChannel serves the pages of one in a hundred of the real channels, and
// reports the median and the 99th percentile of the time they took.
func BenchmarkChannel(b *testing.B) {
	shown, reg := webtest.Real(b)
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: shown, Now: webtest.Clock}), Endpoints)
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
		w := webtest.Request(h, "GET", site.Channel.Path(i18n.Locales[n%len(i18n.Locales)], ids[n%len(ids)]))
		took = append(took, time.Since(start))
		if w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
		size = max(size, w.Body.Len())
		n++
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(size), "max-bytes")
}

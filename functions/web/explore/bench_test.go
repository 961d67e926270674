package explore

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/cities"
)

// BenchmarkExplore serves the page and its parts of the real catalog, compressed as
// browsers ask for, and reports the median and the 99th percentile of the time they
// took, without the first request of each, which prepares what all share.
func BenchmarkExplore(b *testing.B) {
	shown, _ := webtest.Real(b)
	pages := page.NewRenderer(webtest.Links)
	atlas := cities.New(func() []byte { return pages.Data("cities.tsv") })
	h := webtest.Handler(New(Options{Pages: pages, Catalog: shown, Cities: atlas, Now: webtest.Clock}), Endpoints)
	for _, path := range []string{"/en/explore", "/en/explore?at=US", "/around/BR", "/around/3448439", placesPath} {
		b.Run(path, func(b *testing.B) {
			var took []time.Duration
			size := 0
			serve := func() time.Duration {
				r := httptest.NewRequest(http.MethodGet, path, nil)
				r.Header.Set("Accept-Encoding", "gzip, br")
				w := httptest.NewRecorder()
				start := time.Now()
				h.ServeHTTP(w, r)
				passed := time.Since(start)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
				size = w.Body.Len()
				return passed
			}
			b.ReportMetric(float64(serve().Microseconds()), "first-µs")
			for b.Loop() {
				took = append(took, serve())
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
			b.ReportMetric(float64(size), "bytes-sent")
		})
	}
}

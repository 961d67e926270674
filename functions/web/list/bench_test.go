package list

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// BenchmarkLists serves the pages that find channels in the real catalog,
// compressed as browsers ask for, in each locale in turn, and reports the median
// and the 99th percentile of the time they took.
func BenchmarkLists(b *testing.B) {
	shown, _ := webtest.Real(b)
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: shown, Now: webtest.Clock}), Endpoints)
	country := func(l i18n.Locale) string {
		path, _ := site.CountryPath(l, "US")
		return path
	}
	for _, test := range []struct {
		name string
		path func(l i18n.Locale) string
	}{
		{"home", func(l i18n.Locale) string { return site.Home.Path(l, "") }},
		{"tv", func(l i18n.Locale) string { return site.Home.Path(l, "") + "?kind=tv&offset=300" }},
		{"radio", func(l i18n.Locale) string { return site.Home.Path(l, "") + "?kind=radio" }},
		{"word", func(l i18n.Locale) string { return site.Home.Path(l, "") + "?q=news" }},
		{"letter", func(l i18n.Locale) string { return site.Home.Path(l, "") + "?q=r&playable=0" }},
		{"slip", func(l i18n.Locale) string { return site.Home.Path(l, "") + "?q=bloombreg" }},
		{"nothing", func(l i18n.Locale) string {
			return site.Home.Path(l, "") + "?q=zzzzqqqq&category=news&language=por&online=1"
		}},
		{"country", country},
		{"country, radio", func(l i18n.Locale) string { return country(l) + "?kind=radio" }},
		{"suggestions", func(l i18n.Locale) string { return strings.TrimSuffix(site.Home.Path(l, ""), "/") + "/suggest?q=bra" }},
		{"suggestions of a letter", func(l i18n.Locale) string { return strings.TrimSuffix(site.Home.Path(l, ""), "/") + "/suggest?q=r" }},
		{"suggestions of a slip", func(l i18n.Locale) string {
			return strings.TrimSuffix(site.Home.Path(l, ""), "/") + "/suggest?q=bloombreg"
		}},
		{"countries", func(l i18n.Locale) string { return site.Countries.Path(l, "") }},
	} {
		b.Run(test.name, func(b *testing.B) {
			serve(b, h, func(n int) string { return test.path(i18n.Locales[n%len(i18n.Locales)]) })
		})
	}
}

// BenchmarkSchedule does the same for the views of what is on, with the guide of 300 channels.
func BenchmarkSchedule(b *testing.B) {
	h := scheduleHandler(b, 300)
	for name, query := range map[string]string{"now": "", "timeline": "?view=timeline", "country": "?country=BR", "search": "?q=filme", "search, a letter": "?q=j"} {
		b.Run(name, func(b *testing.B) {
			serve(b, h, func(n int) string { return site.Schedule.Path(i18n.Locales[n%len(i18n.Locales)], "") + query })
		})
	}
}

// serve requests a page again and again, compressed, and reports the median and the 99th
// percentile of the time that it took.
func serve(b *testing.B, h http.Handler, path func(n int) string) {
	var took []time.Duration
	size, n := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodGet, path(n), nil)
		r.Header.Set("Accept-Encoding", "gzip, br")
		w := httptest.NewRecorder()
		start := time.Now()
		h.ServeHTTP(w, r)
		took = append(took, time.Since(start))
		if w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
		size, n = max(size, w.Body.Len()), n+1
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(size), "bytes-sent")
}

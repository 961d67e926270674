package web

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/reference"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/source/collect"
)

// realServer shows the real catalog, half of it measured and with logos.
func realServer(b *testing.B) (*Server, *catalog.Register) {
	b.Helper()
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
	at := index.NewView(ix, indextest.Overlay(1, reg), watchLinks)
	return New(Options{Catalog: fixedCatalog{at}, Links: watchLinks, Now: func() time.Time { return now }}), reg
}

// BenchmarkLists answers for the pages that find channels in the real catalog,
// compressed as browsers take them, in each locale by turns, and reports how long
// they took: half of them, and all but the slowest hundredth.
func BenchmarkLists(b *testing.B) {
	s, _ := realServer(b)
	h := request.Handler(request.Options{Now: s.Now, FaultPage: s.FaultPage}, s, Endpoints)
	country := func(l i18n.Locale) string {
		path, _ := site.CountryPath(l, "US")
		return path
	}
	for _, page := range []struct {
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
		{"countries", func(l i18n.Locale) string { return site.Countries.Path(l, "") }},
	} {
		b.Run(page.name, func(b *testing.B) {
			var took []time.Duration
			size, n := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodGet, page.path(i18n.Locales[n%len(i18n.Locales)]), nil)
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
		})
	}
}

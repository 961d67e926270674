package library

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/wire/wiretest"
)

// world is a catalog of the size of the real one.
func world(b *testing.B) (*indextest.Catalog, *catalog.Register) {
	b.Helper()
	reg := indextest.Synthetic(1, 40_000)
	ix, err := index.Build(reg)
	if err != nil {
		b.Fatal(err)
	}
	return &indextest.Catalog{Shown: index.NewView(ix, index.Overlay{}, links)}, reg
}

// filled returns the function over a database in which ana has a full library.
func filled(b *testing.B) (h http.Handler, item string) {
	b.Helper()
	v, reg := world(b)
	db := wiretest.OpenDB(b)
	_, err := library.Update(b.Context(), db, "g_ana", noon, func(l *library.Library) error {
		var plan []library.Category
		n := 0
		for i := range library.MaxCategories {
			c := library.Category{Name: fmt.Sprint("Folder ", i)}
			for k := range library.MaxGroups {
				g := library.Group{Name: fmt.Sprint("Tab ", k)}
				for range library.MaxItems {
					r := reg.Records[n*10]
					g.Items = append(g.Items, library.ItemOf(r.ID, r.Name, r.Kind, r.Country))
					n++
				}
				c.Groups = append(c.Groups, g)
			}
			plan = append(plan, c)
		}
		if m := l.Merge(plan); m.Added != n {
			b.Fatalf("merged %+v", m)
		}
		item = l.Categories[3].Groups[3].Items[3].ID
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return serve(db, v), item
}

func bench(b *testing.B, h http.Handler, method, path, body string) {
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("X-Guest-Token", "ana")
		r.Header.Set("Content-Type", "audio/x-mpegurl")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
		size = w.Body.Len()
	}
	b.ReportMetric(float64(size), "B/answer")
}

// BenchmarkGet reads a full library: 3,840 items.
func BenchmarkGet(b *testing.B) {
	h, _ := filled(b)
	bench(b, h, "GET", "/api/library", "")
}

// BenchmarkWrite writes one, and answers with all of it.
func BenchmarkWrite(b *testing.B) {
	h, item := filled(b)
	bench(b, h, "POST", "/api/items/"+item+"/play", "")
}

// BenchmarkExport saves one.
func BenchmarkExport(b *testing.B) {
	h, _ := filled(b)
	bench(b, h, "GET", "/api/library/export", "")
}

// BenchmarkImport finds the channels of a list of 1,000 entries by name.
func BenchmarkImport(b *testing.B) {
	v, reg := world(b)
	var list strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&list, "#EXTINF:-1 tvg-country=\"%s\",%s\nhttps://nowhere.example/%d\n", reg.Records[i*7].Country, reg.Records[i*7].Name, i)
	}
	bench(b, serve(wiretest.OpenDB(b), v), "POST", "/api/library/import?replace=1", list.String())
}

// BenchmarkFinder makes what imports look channels up in, once per catalog.
func BenchmarkFinder(b *testing.B) {
	v, _ := world(b)
	b.ReportAllocs()
	for b.Loop() {
		newFinder(v.Shown.Index())
	}
}

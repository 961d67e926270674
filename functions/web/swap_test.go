package web_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/functions/web"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// A alternating catalog shows another view each time that it is asked for one.
type alternating struct {
	views [2]*index.View
	n     *atomic.Int64
}

func (c alternating) View() (*index.View, error) { return c.views[c.n.Add(1)%2], nil }

func (alternating) Synced() (time.Time, bool) { return noon.Add(-time.Hour), true }

func (alternating) Sources() []catalog.Source { return nil }

// TestCatalogReplacedWhileRendering checks that each page is rendered from a single
// view while the catalog changes under concurrent requests, so that nothing memoized
// for one view appears on a page of the other.
func TestCatalogReplacedWhileRendering(t *testing.T) {
	serve := func(c web.Viewer) http.Handler {
		server := web.New(web.Options{Catalog: c, Links: links, Now: func() time.Time { return noon }})
		return request.Mux(request.Options{}, server.Groups()...)
	}
	targets := []string{"/", "/en", "/?kind=radio", "/?kind=radio&country=BR", "/en?country=BR&q=w", "/brasil", "/paises", "/de/laender", "/sitemap/pt-1.xml"}
	both := alternating{n: new(atomic.Int64)}
	var want [2]map[string]string
	for i := range both.views {
		reg := register()
		reg.Records = reg.Records[:len(reg.Records)/(i+1)]
		ix, err := index.Build(reg)
		if err != nil {
			t.Fatal(err)
		}
		both.views[i] = index.NewView(ix, index.Overlay{}, links)
		alone := serve(alternating{[2]*index.View{both.views[i], both.views[i]}, new(atomic.Int64)})
		want[i] = map[string]string{}
		for _, target := range targets {
			want[i][target] = get(alone, target).Body.String()
		}
	}
	for _, target := range targets {
		if want[0][target] == want[1][target] {
			t.Fatalf("%s is the same in both catalogs", target)
		}
	}
	h := serve(both)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 4 {
				for _, target := range targets {
					if got := get(h, target).Body.String(); got != want[0][target] && got != want[1][target] {
						t.Errorf("%s matches neither catalog", target)
					}
				}
			}
		})
	}
	wg.Wait()
}

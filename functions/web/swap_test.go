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

// A turning catalog shows another view each time that it is asked for one.
type turning struct {
	views [2]*index.View
	n     *atomic.Int64
}

func (c turning) View() (*index.View, error) { return c.views[c.n.Add(1)%2], nil }

func (turning) Synced() (time.Time, bool) { return noon.Add(-time.Hour), true }

func (turning) Sources() []catalog.Source { return nil }

// TestTurning checks that a page is of one catalog, whole, while catalogs change
// and others are rendered: nothing that is kept of one comes into the other.
func TestTurning(t *testing.T) {
	serve := func(c web.Viewer) http.Handler {
		server := web.New(web.Options{Catalog: c, Links: links, Now: func() time.Time { return noon }})
		return request.Mux(request.Options{}, server.Groups()...)
	}
	targets := []string{"/", "/en", "/?kind=radio", "/?kind=radio&country=BR", "/en?country=BR&q=w", "/brasil", "/paises", "/de/laender", "/sitemap/pt-1.xml"}
	both := turning{n: new(atomic.Int64)}
	var want [2]map[string]string
	for i := range both.views {
		reg := register()
		reg.Records = reg.Records[:len(reg.Records)/(i+1)]
		ix, err := index.Build(reg)
		if err != nil {
			t.Fatal(err)
		}
		both.views[i] = index.NewView(ix, index.Overlay{}, links)
		alone := serve(turning{[2]*index.View{both.views[i], both.views[i]}, new(atomic.Int64)})
		want[i] = map[string]string{}
		for _, target := range targets {
			want[i][target] = get(alone, target).Body.String()
		}
	}
	for _, target := range targets {
		if want[0][target] == want[1][target] {
			t.Fatalf("%s is the same of both", target)
		}
	}
	h := serve(both)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 4 {
				for _, target := range targets {
					if got := get(h, target).Body.String(); got != want[0][target] && got != want[1][target] {
						t.Errorf("%s is of neither catalog", target)
					}
				}
			}
		})
	}
	wg.Wait()
}

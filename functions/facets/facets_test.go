package facets

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/catalog/filter"
)

// TestFacets checks that every filter with a facet has its list, that the list
// is narrowed by the filters that the table names, and that its parameters are
// those of a search, in all but their descriptions.
func TestFacets(t *testing.T) {
	search, err := input.Compile(reflect.TypeFor[filter.Selection](), "/")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range filter.All {
		if f.Facet == nil {
			continue
		}
		i := slices.IndexFunc(Endpoints, func(e api.Endpoint) bool { return e.Path == f.Facet.Path() })
		if i < 0 {
			t.Errorf("no list of the values of %s at %s", f.Name, f.Facet.Path())
			continue
		}
		found++
		var by, want []string
		for _, p := range Endpoints[i].Params() {
			k := slices.IndexFunc(search.Params, func(q input.Param) bool { return q.Name == p.Name })
			if k < 0 {
				continue // lang and limit
			}
			by = append(by, p.Name)
			p.Doc = search.Params[k].Doc
			if d := cmp.Diff(search.Params[k], p); d != "" {
				t.Errorf("%s of %s is another parameter than in a search (-search +list):\n%s", p.Name, f.Facet.Path(), d)
			}
		}
		for _, id := range f.Facet.By {
			want = append(want, filter.All[id].Name)
		}
		if d := cmp.Diff(want, by); d != "" {
			t.Errorf("%s is narrowed by other filters than the table says (-table +list):\n%s", f.Facet.Path(), d)
		}
	}
	if found != len(Endpoints) {
		t.Errorf("%d lists, %d filters have one", len(Endpoints), found)
	}
}

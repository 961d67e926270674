package reference

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/site"
)

// A server answers the operations of the test's table.
type server struct{}

func bind(e api.Endpoint) api.Endpoint {
	type in struct {
		ID string `path:"id"`
	}
	if strings.Contains(e.Path, "{id}") {
		return api.Bind(func(*server, context.Context, in) (api.NoContent, error) { return api.NoContent{}, nil }, e)
	}
	return api.Bind(func(*server, context.Context, struct{}) (api.NoContent, error) { return api.NoContent{}, nil }, e)
}

var table = []api.Endpoint{
	bind(api.Endpoint{Method: "POST", Path: "/api/things", Auth: api.Guest, Name: "buy_thing", Summary: "Buy a thing", Doc: "Buys <b>one</b> thing.", Prices: []price.Product{price.ChatPass}}),
	bind(api.Endpoint{Method: "GET", Path: "/api/things/{id}", Auth: api.None, Name: "get_thing", Summary: "Get a thing", Doc: "Returns one thing."}),
	bind(api.Endpoint{Method: "GET", Path: "/api/all", Auth: api.None, Name: "list_things", Summary: "List the things", Doc: "Returns all things."}),
	bind(api.Endpoint{Method: "GET", Path: "/api/secrets", Auth: api.Operator, Name: "list_secrets", Summary: "List the secrets", Doc: "Returns all secrets."}),
	bind(api.Endpoint{Method: "GET", Path: "/things", Auth: api.None, Summary: "Show the things", Doc: "Returns a page.", Page: true}),
}

// TestReference checks that the page lists every operation of the table in its order, and
// neither a page nor what is the operator's, with all of their texts escaped.
func TestReference(t *testing.T) {
	h := webtest.Handler(New(page.NewRenderer(webtest.Links), table), Endpoints)
	for _, l := range i18n.Locales {
		tree := webtest.Tree(t, h, site.Reference.Path(l, ""))
		var got []string
		for _, n := range webtest.Elements(tree, func(n *html.Node) bool { return webtest.HasClass(n, "operation") }) {
			got = append(got, webtest.Text(n))
		}
		want := []string{
			"GET /api/all List the things Returns all things.",
			"POST /api/things Buy a thing Buys <b>one</b> thing. " + l.T("reference.auth_guest", nil) + " " + l.T("reference.paid", nil),
			"GET /api/things/{id} Get a thing Returns one thing.",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: operations (-want +got):\n%s", l, diff)
		}
		if viewer := webtest.ByID(tree, "viewer"); webtest.Attr(viewer, "data-description") != api.DescriptionPath {
			t.Errorf("%s: the viewer does not read %s", l, api.DescriptionPath)
		}
	}
}

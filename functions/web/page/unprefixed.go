package page

import (
	"context"
	"net/http"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// defaultPrefix is where the pages of the default language would be, if they had a
// prefix as those of the other languages have.
const defaultPrefix = "/pt"

// Unprefixed are the endpoints that lead from such a path to the page itself.
var Unprefixed = []api.Endpoint{
	api.Bind((*Renderer).unprefixed, unprefixedAt(defaultPrefix, "Open the Portuguese home page")),
	api.Bind((*Renderer).unprefixed, unprefixedAt(defaultPrefix+"/{path...}", "Open a Portuguese page")),
}

func unprefixedAt(path, summary string) api.Endpoint {
	return api.Endpoint{
		Method: "GET", Path: path, Auth: api.None, Page: true, Summary: summary,
		Doc:   "Redirects to the same path without the language, since Portuguese pages have no prefix.",
		Cache: api.Public(24 * time.Hour), Produces: []string{"text/html"}, Status: http.StatusPermanentRedirect,
	}
}

func (*Renderer) unprefixed(context.Context, struct{}) (unprefixed, error) { return unprefixed{}, nil }

// An unprefixed is the redirect from a path to the path without its language, with the same
// query.
type unprefixed struct{}

// Reply redirects. The request layer has refused paths with an empty segment, so that the
// location is always a path of this host.
func (unprefixed) Reply(w http.ResponseWriter, r *http.Request) error {
	to := r.URL.EscapedPath()[len(defaultPrefix):]
	if to == "" {
		to = site.Home.Path(i18n.PT, "")
	}
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	return api.Redirect(w, to, http.StatusPermanentRedirect)
}

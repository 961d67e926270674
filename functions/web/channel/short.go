package channel

import (
	"context"
	"net/http"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/site"
)

// short is the endpoint of short links. The API returns one link for each channel,
// which is the same in every language and leads to the page in the language of the
// visitor who opens it. The redirect is temporary, and caches must vary it by
// Accept-Language.
var short = api.Bind((*Server).short, api.Endpoint{
	Method: "GET", Path: catalog.PagePath + "{id}", Auth: api.None, Page: true,
	Summary: "Open a channel's page",
	Doc:     "Redirects to the page of the channel in the caller's language. The address is the same in every language, so it can be shared.",
	Faults:  []*fault.Error{catalog.ErrNotLoaded, catalog.ErrNoChannel},
	Cache:   api.Revalidate, Produces: []string{"text/html"},
})

// short returns the redirect from an id, current or former, to the channel's page.
func (s *Server) short(ctx context.Context, in channelIn) (toPage, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return toPage{}, err
	}
	id, ok := snapshot.Current(in.ID)
	if !ok {
		return toPage{}, snapshot.NotFound(in.ID)
	}
	return toPage{site.Channel.Path(api.LocaleOf(ctx), id)}, nil
}

// A toPage is a redirect to a path that depends on the caller's language.
type toPage struct{ path string }

// Reply writes the redirect.
func (p toPage) Reply(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Vary", "Accept-Language")
	return api.Redirect(w, p.path, http.StatusFound)
}

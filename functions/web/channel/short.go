package channel

import (
	"context"
	"net/http"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/site"
)

// short redirects from the URL of a channel that is the same in every language,
// which the API returns, to its page.
var short = api.Bind((*Server).short, api.Endpoint{
	Method: "GET", Path: catalog.PagePath + "{id}", Auth: api.None, Page: true,
	Summary: "Open a channel's page",
	Doc:     "Redirects to the page of the channel in the caller's language. The address is the same in every language, so it can be shared.",
	Faults:  []*fault.Error{catalog.ErrNotLoaded, catalog.ErrNoChannel},
	Cache:   api.Revalidate, Produces: []string{"text/html"},
})

func (s *Server) short(ctx context.Context, in channelIn) (toPage, error) {
	at, err := s.Catalog.View()
	if err != nil {
		return toPage{}, err
	}
	id, ok := at.Current(in.ID)
	if !ok {
		return toPage{}, catalog.ErrNoChannel
	}
	return toPage{site.Channel.Path(api.LocaleOf(ctx), id)}, nil
}

// A toPage is a redirect to a path that depends on the caller's language.
type toPage struct{ path string }

// Reply redirects.
func (p toPage) Reply(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Vary", "Accept-Language")
	return api.Redirect(w, p.path, http.StatusFound)
}

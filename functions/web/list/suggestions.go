package list

import (
	"context"
	"encoding/json"
	"slices"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/site"
)

// suggestionsEndpoint returns what the search field of the pages suggests, for browsers.
var suggestionsEndpoint = api.Bind((*Server).suggestions, api.Endpoint{
	Method:  "GET",
	Path:    page.SuggestionsPath,
	Auth:    api.None,
	Page:    true,
	Summary: "Suggest searches to a browser",
	Doc: "Returns suggestions in the format of OpenSearch, an array of four: the words, names of channels and lists, the country of each channel and the address " +
		"of each page. It is for the search fields of browsers; to find channels, use GET /api/channels.",
	Faults:   []*fault.Error{catalog.ErrNotLoaded},
	Cache:    suggestCache,
	Produces: []string{page.SuggestionsType},
})

type suggestionsIn struct {
	Q    string `query:"q" maxLength:"200" description:"The words in the search field; without any, nothing is suggested."`
	Lang string `query:"lang" maxLength:"16" description:"Language of the descriptions and pages: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

func (s *Server) suggestions(ctx context.Context, in suggestionsIn) (api.Content, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return api.Content{}, err
	}
	v := s.Pages.View(site.Home, api.LocaleOf(ctx), nil)
	found := s.suggestionsOf(v, snapshot, in.Q)
	names, places, pages := []string{}, []string{}, []string{}
	for _, one := range slices.Concat(found.Lists, found.Channels) {
		if !slices.Contains(names, one.Text) { // browsers search for the name, whatever page it leads to
			names, places, pages = append(names, one.Text), append(places, one.Place), append(pages, v.Base()+one.Href)
		}
	}
	data, err := json.Marshal([]any{in.Q, names, places, pages})
	return api.Content{Type: page.SuggestionsType, Data: data}, err
}

package channel

import (
	"context"
	"net/http"
	"net/url"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// embeds are the endpoints of the player that other sites frame, one for each locale.
// It shows the stage and a link to the channel's page, and nothing of a visitor: it
// asks for no session and writes nothing, so that a click that another site provokes
// does no more than play.
var embeds = func() (all []api.Endpoint) {
	for _, l := range i18n.Locales {
		all = append(all, api.Bind(func(s *Server, _ context.Context, in embedIn) (*page.Rendered, error) { return s.embed(l, in.ID) }, api.Endpoint{
			Method: "GET", Path: site.EmbedTemplate(l), Auth: api.None, Page: true,
			Summary: "Show a channel's player in another site (" + l.Tag() + ")",
			Doc: "Returns a page with the player of a channel and a link to the channel's page, which any site may show in an iframe. " +
				"It uses no cookies, and search engines leave it out.",
			Faults: []*fault.Error{catalog.ErrNotLoaded}, Cache: page.FrameCache, Produces: []string{"text/html"},
		}))
	}
	return all
}()

type embedIn struct {
	ID string `path:"id" maxLength:"128" description:"The channel's catalog id."`
}

// embed shows the player of a channel by its id. A former id is redirected to the
// current one. A channel that the catalog does not show leaves a sentence and a link,
// with status 404: the site that frames it cannot see either, but its readers can.
func (s *Server) embed(l i18n.Locale, id string) (*page.Rendered, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	if current, ok := snapshot.Current(id); ok && current != id {
		return page.MovedTo(site.EmbedPath(l, current)), nil
	}
	v := s.Pages.View(site.Channel, l, nil)
	v.Name, v.NoIndex = id, true
	c, ok := snapshot.Channel(id, int(l), rank.Caller{Now: s.Now()})
	if !ok {
		v.Title, v.Areas = l.T("embed.gone", nil), nil
		return v.Frame("embed", http.StatusNotFound)
	}
	c.Website = webAddress(c.Website)
	w := &watch{C: c, Plate: part.NewPlate(v, c.Kind, c.ID, c.Name, c.LogoURL), About: aboutOf(v, &c.Channel)}
	w.Streams, w.More = rowsOf(v, c)
	v.Title, v.Areas = titleOf(l, &c.Channel), []string{"player", "failure", "embed"}
	v.Data, v.Body = dataOf(c, w.Plate), w
	return v.Frame("embed", http.StatusOK)
}

// oembedsOf returns the addresses of the oEmbed answers for a page.
func oembedsOf(v *page.View, name string) (all []page.Other) {
	for _, f := range [][2]string{{"json", "application/json+oembed"}, {"xml", "text/xml+oembed"}} {
		query := url.Values{"url": {v.Canonical()}, "format": {f[0]}}
		all = append(all, page.Other{Type: f[1], URL: v.Base() + site.OEmbedPath + "?" + query.Encode(), Title: name})
	}
	return all
}

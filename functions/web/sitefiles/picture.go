package sitefiles

import (
	"context"
	"strings"
	"sync"
	"time"

	"miramundo.dev/functions/web/poster"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/site"
)

// pictures are the endpoints of preview pictures, which other services show with a
// shared link.
var pictures = []api.Endpoint{
	api.Bind((*Server).sitePicture, api.Endpoint{
		Method: "GET", Path: site.PicturePath, Auth: api.None, Page: true,
		Summary: "Get the preview picture of the service",
		Doc:     "Returns the PNG image that is shown with shared links to pages that are not about one channel.",
		Cache:   api.Public(24 * time.Hour), Produces: []string{"image/png"},
	}),
	api.Bind((*Server).channelPicture, api.Endpoint{
		Method: "GET", Path: site.Pictures + "{file}", Auth: api.None, Page: true,
		Summary: "Get the preview picture of a channel",
		Doc: "Returns the PNG image that is shown with shared links to the channel's page. The file name is the channel's catalog id " +
			"followed by .png.",
		Faults: []*fault.Error{catalog.ErrNotLoaded, catalog.ErrNoChannel, fault.ErrUnavailable},
		Cache:  api.Public(24 * time.Hour), Produces: []string{"image/png"},
	}),
}

// sitePicture returns the picture of the service. The first call draws it.
var sitePicture = sync.OnceValues(func() (api.Content, error) {
	data, err := poster.Site()
	return contentOf("image/png", data), err
})

// sitePicture returns the preview picture of the service.
func (s *Server) sitePicture(context.Context, struct{}) (api.Content, error) { return sitePicture() }

// channelPicture returns the preview picture of a channel. Channels with the same
// kind, logo and name share a picture; the picture has no other content.
func (s *Server) channelPicture(ctx context.Context, in fileIn) (api.Content, error) {
	id, ok := strings.CutSuffix(in.File, site.PictureExt)
	if !ok {
		return api.Content{}, catalog.ErrNoChannel
	}
	snapshot, err := s.Catalog.View()
	if err != nil {
		return api.Content{}, err
	}
	c, ok := snapshot.Item(id, int(i18n.PT))
	if !ok {
		return api.Content{}, catalog.ErrNoChannel
	}
	image := ""
	if c.LogoURL != nil {
		image = *c.LogoURL
	}
	return s.gallery.get(ctx, c.Kind+"\x00"+image+"\x00"+c.Name, func() (api.Content, error) { return s.draw(ctx, c, image) })
}

// draw draws the picture of a channel. address is the URL of its logo: a logo that
// the service has stored is drawn; one at another site is not fetched. A logo that
// cannot be decoded is left out, but an error of the storage fails the request.
func (s *Server) draw(ctx context.Context, c *catalog.Channel, address string) (api.Content, error) {
	subject := poster.Subject{Name: c.Name, Radio: c.Kind == catalog.Station.String()}
	id, ok := strings.CutPrefix(address, s.Links.Logo(""))
	if ok && s.Logos != nil {
		im, err := s.Logos(ctx, id)
		if err != nil && fault.From(err).Kind != fault.NotFound {
			return api.Content{}, err // otherwise a picture without the logo would be cached for a day
		}
		if err == nil {
			if decoded, err := poster.Decode(im.Type, im.Data); err == nil {
				subject.Logo = decoded
			}
		}
	}
	data, err := poster.Channel(subject)
	return contentOf("image/png", data), err
}

// Logos returns the stored logo with an id. It returns an error of kind NotFound
// for an unknown id, and any other error when the storage does not answer.
type Logos func(ctx context.Context, id string) (*logo.Image, error)

package catalog

import (
	"context"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/health"
	"miramundo.dev/shared/social"
)

// A crowd tells what people did with channels to someone at a place, from
// memory alone.
type crowd struct {
	overlay *social.Overlay
	place   social.Place
}

// Social returns the counters of a channel that has any.
func (c *crowd) Social(id []byte) (catalog.Social, bool) {
	shown, ok := c.overlay.Look(id)
	if !ok {
		return catalog.Social{}, false
	}
	return health.SocialOf(shown, c.place), true
}

var _ index.Crowd = (*crowd)(nil)

// crowd returns what the caller is told of people; it tells nothing while there
// is nothing to tell of any channel.
func (s *Server) crowd(ctx context.Context) crowd {
	if s.Overlay.Empty() {
		return crowd{}
	}
	return crowd{s.Overlay, s.place(ctx)}
}

// place returns where the caller is, as the edge and the User-Agent tell it.
func (s *Server) place(ctx context.Context) social.Place {
	names := s.agents.Read(api.UserAgentOf(ctx))
	return social.Place{Browser: names.Browser, OS: names.OS, Country: social.Country(api.CountryOf(ctx))}
}

package catalog

import (
	"context"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/health"
	"miramundo.dev/shared/social"
)

// A crowd returns the community counters of channels as they are shown to a
// caller at a place. It reads memory alone. The zero crowd has no counters.
type crowd struct {
	overlay *social.Overlay
	place   social.Place
}

// Social returns the counters of a channel, and whether it has any.
func (c *crowd) Social(id []byte) (catalog.Social, bool) {
	shown, ok := c.overlay.Look(id)
	if !ok {
		return catalog.Social{}, false
	}
	return health.SocialOf(shown, c.place), true
}

var _ index.Crowd = (*crowd)(nil)

// crowd returns the counters for the caller. It returns the zero crowd while no
// channel has counters, so that the User-Agent is not parsed in vain.
func (s *Server) crowd(ctx context.Context) crowd {
	if s.Overlay.Empty() {
		return crowd{}
	}
	return crowd{s.Overlay, s.place(ctx)}
}

// place returns the caller's browser and system, from the User-Agent, and
// country, as the edge detected it.
func (s *Server) place(ctx context.Context) social.Place {
	names := s.agents.Read(api.UserAgentOf(ctx))
	return social.Place{Browser: names.Browser, OS: names.OS, Country: social.Country(api.CountryOf(ctx))}
}

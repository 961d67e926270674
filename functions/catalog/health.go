package catalog

import (
	"context"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/health"
	"miramundo.dev/shared/social"
)

type healthIn struct {
	ID   string `path:"id" description:"The channel's catalog id."`
	Lang string `query:"lang" maxLength:"16" description:"Language of the labels: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

func (s *Server) health(ctx context.Context, in healthIn) (*health.Panel, error) {
	v, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	channel, ok := v.Summary(in.ID)
	if !ok {
		return nil, v.NotFound(in.ID)
	}
	counts, err := s.counts(ctx, channel.ID)
	if err != nil {
		return nil, err
	}
	p := health.PanelOf(channel.ID, counts, health.Reader{Place: s.place(ctx), Locale: api.LocaleOf(ctx)})
	p.Links = health.PanelLinks{Self: s.Links.Health(channel.ID), Channel: s.Links.Channel(channel.ID), Report: s.Links.Report()}
	return p, nil
}

// counts returns the counts of a channel from the database or, while that does
// not answer, from memory, some seconds old. It returns fault.ErrUnavailable when
// memory has none either: a channel without counts cannot be told from an
// overlay that has not loaded.
func (s *Server) counts(ctx context.Context, channel string) (social.Counts, error) {
	counts, err := social.ReadCounts(ctx, s.DB, channel)
	if err == nil {
		return counts, nil
	}
	if shown, ok := s.Overlay.Counts(channel); ok {
		return *shown, nil
	}
	return social.Counts{}, fault.ErrUnavailable.Because(err)
}

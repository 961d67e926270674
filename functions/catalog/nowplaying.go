package catalog

import (
	"context"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/fault"
)

// playing is the endpoint of what a station plays.
var playing = api.Bind((*Server).nowPlaying, api.Endpoint{
	Name:    "get_now_playing",
	Method:  "GET",
	Path:    catalog.ChannelsPath + "/{id}/now-playing",
	Auth:    api.None,
	Summary: "Get what a radio station plays",
	Doc: "Returns the title that a radio station sends in its audio (ICY metadata), usually artist and song. It is read from the " +
		"station when asked for, at most once in 15 seconds; the title is null for a TV channel, for a station that sends none, and " +
		"for one that does not answer.",
	Faults: []*fault.Error{catalog.ErrNoChannel, catalog.ErrNotLoaded},
	Cache:  api.Public(15 * time.Second),
})

type nowPlayingIn struct {
	ID string `path:"id" maxLength:"128" description:"The channel's catalog id."`
}

type nowPlaying struct {
	ChannelID string  `json:"channel_id"`
	Title     *string `json:"title" description:"Artist and song as the station gives them, at most 200 characters; null when not known."`
	CheckedAt *string `json:"checked_at" format:"date-time" description:"Time at which the station was read; null when it was not."`
}

// nowPlaying reads what a station plays from the best of its streams that are audio.
func (s *Server) nowPlaying(ctx context.Context, in nowPlayingIn) (nowPlaying, error) {
	v, err := s.Catalog.View()
	if err != nil {
		return nowPlaying{}, err
	}
	c, ok := v.Channel(in.ID, int(api.LocaleOf(ctx)), rank.Caller{Now: s.Now()})
	if !ok {
		return nowPlaying{}, v.NotFound(in.ID)
	}
	answer := nowPlaying{ChannelID: c.ID}
	if c.Kind != catalog.Station.String() {
		return answer, nil
	}
	for i := range c.Streams {
		stream := &c.Streams[i]
		if stream.Kind != catalog.StreamAudio || stream.ProviderURL == nil {
			continue
		}
		p := s.Playing.Read(ctx, c.ID, *stream.ProviderURL)
		if p.Title != "" {
			answer.Title = &p.Title
		}
		if !p.At.IsZero() {
			at := p.At.UTC().Format(time.RFC3339)
			answer.CheckedAt = &at
		}
		break
	}
	return answer, nil
}

package dump

import (
	"strconv"
	"strings"

	"miramundo.dev/shared/catalog"
)

// A column is a column of the tables of channels and streams, in CSV and SQLite alike.
// Names are those of the members of the API; lists are joined by semicolons.
type column[T any] struct {
	name string
	typ  string // in SQLite
	of   func(*T) string
}

// A stream is a stream of a channel.
type stream struct {
	channel string
	*catalog.Stream
}

const (
	textType = "TEXT"
	intType  = "INTEGER"
	realType = "REAL"
)

var channelColumns = []column[catalog.ChannelFull]{
	{"id", textType, func(c *catalog.ChannelFull) string { return c.ID }},
	{"kind", textType, func(c *catalog.ChannelFull) string { return c.Kind }},
	{"name", textType, func(c *catalog.ChannelFull) string { return c.Name }},
	{"alt_names", textType, func(c *catalog.ChannelFull) string { return joined(c.AltNames) }},
	{"country", textType, func(c *catalog.ChannelFull) string { return text(c.Country) }},
	{"subdivision", textType, func(c *catalog.ChannelFull) string { return text(c.Subdivision) }},
	{"city", textType, func(c *catalog.ChannelFull) string { return text(c.City) }},
	{"categories", textType, func(c *catalog.ChannelFull) string { return joined(c.Categories) }},
	{"languages", textType, func(c *catalog.ChannelFull) string { return joined(c.Languages) }},
	{"website", textType, func(c *catalog.ChannelFull) string { return text(c.Website) }},
	{"network", textType, func(c *catalog.ChannelFull) string { return text(c.Network) }},
	{"owners", textType, func(c *catalog.ChannelFull) string { return joined(c.Owners) }},
	{"launched", textType, func(c *catalog.ChannelFull) string { return text(c.Launched) }},
	{"replaced_by", textType, func(c *catalog.ChannelFull) string { return text(c.ReplacedBy) }},
	{"timezones", textType, func(c *catalog.ChannelFull) string { return joined(c.Timezones) }},
	{"broadcast_area", textType, func(c *catalog.ChannelFull) string { return joined(c.BroadcastArea) }},
	{"quality", textType, func(c *catalog.ChannelFull) string { return c.Quality }},
	{"has_guide", intType, func(c *catalog.ChannelFull) string { return flag(c.HasGuide) }},
	{"guide_site", textType, func(c *catalog.ChannelFull) string { return text(c.GuideSite) }},
	{"guide_lang", textType, func(c *catalog.ChannelFull) string { return text(c.GuideLang) }},
	{"playable_hint", intType, func(c *catalog.ChannelFull) string { return flag(c.PlayableHint) }},
	{"logo_url", textType, func(c *catalog.ChannelFull) string { return text(c.LogoURL) }},
	{"origem", textType, func(c *catalog.ChannelFull) string { return c.Origin }},
	{"tags", textType, radio(func(r *catalog.RadioStation) string { return joined(r.Tags) })},
	{"codec", textType, radio(func(r *catalog.RadioStation) string { return text(r.Codec) })},
	{"bitrate", intType, radio(func(r *catalog.RadioStation) string { return integer(r.Bitrate) })},
	{"votes", intType, radio(func(r *catalog.RadioStation) string { return strconv.Itoa(r.Votes) })},
	{"clicks", intType, radio(func(r *catalog.RadioStation) string { return strconv.Itoa(r.Clicks) })},
	{"lat", realType, radio(func(r *catalog.RadioStation) string {
		return degrees(r.Geo, func(g catalog.Geo) float64 { return g.Lat })
	})},
	{"lon", realType, radio(func(r *catalog.RadioStation) string {
		return degrees(r.Geo, func(g catalog.Geo) float64 { return g.Lon })
	})},
}

var streamColumns = []column[stream]{
	{"id", textType, func(s *stream) string { return s.ID }},
	{"channel_id", textType, func(s *stream) string { return s.channel }},
	{"feed", textType, func(s *stream) string { return text(s.Feed) }},
	{"title", textType, func(s *stream) string { return text(s.Title) }},
	{"kind", textType, func(s *stream) string { return s.Kind }},
	{"quality", textType, func(s *stream) string { return text(s.Quality) }},
	{"label", textType, func(s *stream) string { return text(s.Label) }},
	{"play_url", textType, func(s *stream) string { return text(s.PlayURL) }},
	{"provider_url", textType, func(s *stream) string { return text(s.ProviderURL) }},
	{"needs_headers", intType, func(s *stream) string { return flag(s.NeedsHeaders) }},
	{"playable_hint", intType, func(s *stream) string { return flag(s.PlayableHint) }},
	{"origem", textType, func(s *stream) string { return s.Origin }},
}

func names[T any](columns []column[T]) []string {
	var all []string
	for _, c := range columns {
		all = append(all, c.name)
	}
	return all
}

// row returns the cells of v; an empty cell is a value that is not known.
func row[T any](columns []column[T], v *T) []string {
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = c.of(v)
	}
	return cells
}

// radio returns the text of a column that only stations have.
func radio(of func(*catalog.RadioStation) string) func(*catalog.ChannelFull) string {
	return func(c *catalog.ChannelFull) string {
		if c.Radio == nil {
			return ""
		}
		return of(c.Radio)
	}
}

func joined(list []string) string { return strings.Join(list, ";") }

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func integer(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

func degrees(g *catalog.Geo, of func(catalog.Geo) float64) string {
	if g == nil {
		return ""
	}
	return strconv.FormatFloat(of(*g), 'f', -1, 64)
}

// Package iptvorg reads iptv-org's register of TV channels.
//
// Iptv-org publishes each file in one or both of two layouts with the same
// fields:
//
//	channels.json              JSON arrays, as its API serves them
//	database/data/*.csv        tables of its repositories
//	iptv/streams/*.m3u         and playlists for the streams
//
// Files may be compressed with gzip. Rows are returned in their order,
// duplicates included.
package iptvorg

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"miramundo.dev/shared/source"
)

// Site is the address of iptv-org's JSON files.
const Site = "https://iptv-org.github.io/api/"

// Parts are the files of iptv-org.
var Parts = []source.Part{
	channelsPart(), feedsPart(), logosPart(), streamsPart(), guidesPart(),
	part("categories", newTable(func(d *source.Dataset, v *source.Category) { d.Categories = append(d.Categories, *v) }, "id", "name")),
	part("languages", newTable(func(d *source.Dataset, v *source.Language) { d.Languages = append(d.Languages, *v) }, "code", "name")),
	part("countries", newTable(func(d *source.Dataset, v *source.Country) { d.Countries = append(d.Countries, *v) }, "code", "name")),
	part("subdivisions", newTable(func(d *source.Dataset, v *source.Subdivision) { d.Subdivisions = append(d.Subdivisions, *v) }, "country", "code", "name")),
	part("cities", newTable(func(d *source.Dataset, v *source.City) { d.Cities = append(d.Cities, *v) }, "country", "code", "name")),
	part("regions", newTable(func(d *source.Dataset, v *source.Region) { d.Regions = append(d.Regions, *v) }, "code", "name")),
	part("timezones", newTable(func(d *source.Dataset, v *source.Timezone) { d.Timezones = append(d.Timezones, *v) }, "id")),
	blocklistPart(),
}

func channelsPart() source.Part {
	p := part("channels", newTable(func(d *source.Dataset, v *source.Channel) { d.Channels = append(d.Channels, *v) }, "id", "name"))
	return essential(watched(p, channelRows, "country", "categories", "is_nsfw", "closed", "replaced_by"))
}

func feedsPart() source.Part {
	p := part("feeds", newTable(func(d *source.Dataset, v *source.Feed) { d.Feeds = append(d.Feeds, *v) }, "channel", "id"))
	p = watched(p, feedRows, "is_main", "broadcast_area", "languages")
	return essential(linked(p, feedRows, func(f *source.Feed) string { return f.Channel }))
}

func logosPart() source.Part {
	p := part("logos", newTable(func(d *source.Dataset, v *source.Logo) { d.Logos = append(d.Logos, *v) }, "channel", "url"))
	return optional(watched(p, logoRows, "in_use"))
}

func streamsPart() source.Part {
	p := watched(part("streams", newTable(addStream, "url")), streamRows, "channel", "feed")
	return essential(linked(p, streamRows, func(s *source.Stream) string { return s.Channel }))
}

func guidesPart() source.Part {
	p := part("guides", newTable(func(d *source.Dataset, v *source.Guide) { d.Guides = append(d.Guides, *v) }, "site"))
	return optional(watched(p, guideRows, "channel"))
}

// blocklistPart may be empty, but it must be there.
func blocklistPart() source.Part {
	p := part("blocklist", newTable(func(d *source.Dataset, v *source.Block) { d.Blocklist = append(d.Blocklist, *v) }, "channel"))
	p = linked(p, blockRows, func(b *source.Block) string { return b.Channel })
	return essential(optional(guarded(p, maxBlocklistLoss)))
}

// Names of parts. Streams may also be playlists, and guides exist as JSON only.
const (
	ChannelsPart = "iptv-org/channels"
	StreamsPart  = "iptv-org/streams"
	GuidesPart   = "iptv-org/guides"
)

// Named returns the parts with some names, in the order of Parts.
func Named(names ...string) []source.Part {
	var parts []source.Part
	for _, p := range Parts {
		if slices.Contains(names, p.Name) {
			parts = append(parts, p)
		}
	}
	return parts
}

// part returns the part of a file whose rows t reads.
func part[T any](file string, t *table[T]) source.Part {
	return source.Part{
		Name:   "iptv-org/" + file,
		Path:   file + ".json",
		Open:   opener(file),
		Decode: t.decode,
	}
}

// decode detects the format by the first byte: JSON arrays and playlists have
// their own, and no column name begins with either.
func (t *table[T]) decode(d *source.Dataset, r io.Reader) (source.Count, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	first, err := source.Begin(br)
	switch {
	case err != nil:
		return source.Count{}, err
	case first == '[' || first == '{':
		return t.decodeJSON(d, br)
	case first == '<':
		return source.Count{}, fmt.Errorf("%w: it is a page", source.ErrForm)
	case first == '#':
		return readPlaylists(d, br)
	}
	return t.decodeCSV(d, br)
}

// A streamRow is a stream in both layouts. The API had one label first, and
// several later.
type streamRow struct {
	Channel   string     `json:"channel"`
	Feed      string     `json:"feed"`
	Title     string     `json:"title"`
	URL       string     `json:"url"`
	Referrer  string     `json:"referrer"`
	UserAgent string     `json:"user_agent"`
	Quality   string     `json:"quality"`
	Label     stringList `json:"label"`
	Labels    stringList `json:"labels"`
}

func addStream(d *source.Dataset, v *streamRow) {
	labels := v.Labels
	if len(labels) == 0 {
		labels = v.Label
	}
	d.Streams = append(d.Streams, source.Stream{
		Channel: v.Channel, Feed: v.Feed, Title: v.Title, URL: v.URL,
		Referrer: v.Referrer, UserAgent: v.UserAgent, Quality: v.Quality, Labels: labels,
	})
}

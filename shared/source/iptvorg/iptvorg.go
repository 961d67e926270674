// Package iptvorg knows how iptv-org publishes its register of TV channels.
//
// It publishes each file in one or both of two layouts, which hold the same
// fields:
//
//	channels.json              JSON arrays, as its API serves them
//	database/data/*.csv        its repositories: tables,
//	iptv/streams/*.m3u         and playlists for the streams
//
// Either may be packed with gzip. Rows are given as they stand, in their order
// and repeated when they are repeated.
package iptvorg

import (
	"bufio"
	"fmt"
	"io"

	"miramundo.dev/shared/source"
)

// Site is where iptv-org serves its files in the JSON layout.
const Site = "https://iptv-org.github.io/api/"

// Parts are the files of iptv-org.
var Parts = []source.Part{
	part("channels", newTable(func(d *source.Dataset, v *source.Channel) { d.Channels = append(d.Channels, *v) }, "id", "name")),
	part("feeds", newTable(func(d *source.Dataset, v *source.Feed) { d.Feeds = append(d.Feeds, *v) }, "channel", "id")),
	optional(part("logos", newTable(func(d *source.Dataset, v *source.Logo) { d.Logos = append(d.Logos, *v) }, "channel", "url"))),
	part("streams", newTable(addStream, "url")),
	optional(part("guides", newTable(func(d *source.Dataset, v *source.Guide) { d.Guides = append(d.Guides, *v) }, "site"))),
	part("categories", newTable(func(d *source.Dataset, v *source.Category) { d.Categories = append(d.Categories, *v) }, "id", "name")),
	part("languages", newTable(func(d *source.Dataset, v *source.Language) { d.Languages = append(d.Languages, *v) }, "code", "name")),
	part("countries", newTable(func(d *source.Dataset, v *source.Country) { d.Countries = append(d.Countries, *v) }, "code", "name")),
	part("subdivisions", newTable(func(d *source.Dataset, v *source.Subdivision) { d.Subdivisions = append(d.Subdivisions, *v) }, "country", "code", "name")),
	part("cities", newTable(func(d *source.Dataset, v *source.City) { d.Cities = append(d.Cities, *v) }, "country", "code", "name")),
	part("regions", newTable(func(d *source.Dataset, v *source.Region) { d.Regions = append(d.Regions, *v) }, "code", "name")),
	part("timezones", newTable(func(d *source.Dataset, v *source.Timezone) { d.Timezones = append(d.Timezones, *v) }, "id")),
	optional(part("blocklist", newTable(func(d *source.Dataset, v *source.Block) { d.Blocklist = append(d.Blocklist, *v) }, "channel"))),
}

// The parts that differ by layout: streams may also be playlists, and guides are
// in JSON only.
const (
	StreamsPart = "iptv-org/streams"
	GuidesPart  = "iptv-org/guides"
)

// part returns the part of the given file, whose rows t reads.
func part[T any](file string, t *table[T]) source.Part {
	return source.Part{
		Name:   "iptv-org/" + file,
		Path:   file + ".json",
		Open:   opener(file),
		Decode: t.decode,
	}
}

// optional returns p as one that may have no records: a catalog is one without
// logos, guides and blocks too.
func optional(p source.Part) source.Part {
	p.Optional = true
	return p
}

// decode tells the three forms apart by their first byte: a JSON array and a
// playlist have their own, and no column is named so.
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

// A streamRow is a stream as the two layouts write it: the API has had one
// label, then several.
type streamRow struct {
	Channel   string `json:"channel"`
	Feed      string `json:"feed"`
	Title     string `json:"title"`
	URL       string `json:"url"`
	Referrer  string `json:"referrer"`
	UserAgent string `json:"user_agent"`
	Quality   string `json:"quality"`
	Label     words  `json:"label"`
	Labels    words  `json:"labels"`
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

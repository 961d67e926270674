package source

import (
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
)

// A Part is one file of an upstream, with the functions that find, parse and
// judge it.
type Part struct {
	Name string // such as "iptv-org/channels"; the name of its File
	Path string // its path below the upstream's address, such as "channels.json"

	// Optional says that the part may have no records.
	Optional bool

	// Essential says that the other parts of the source mean something else
	// without this one: channels without the blocklist would all be shown.
	Essential bool

	// MaxLoss is the greatest share of its records that the part may lose from
	// one reading to the next; 0 is the default of the collector.
	MaxLoss float64

	// Columns are the columns whose loss changes what the records mean, such as
	// "is_nsfw". A format without columns, such as a playlist, has them all.
	Columns []string

	// Open opens the part in a folder with any of the upstream's layouts. It
	// returns the path that it found, or fs.ErrNotExist when no layout has
	// the part.
	Open func(folder fs.FS) (body io.ReadCloser, path string, err error)

	// Decode parses the decompressed part and appends its records to d. It
	// detects the format (JSON, CSV, M3U) from the content. Its error is
	// about the whole file; d may then have some of the records.
	Decode func(d *Dataset, r io.Reader) (Count, error)

	// Filled returns for each of Columns how many records of d have a value in
	// it; false and 0 are not values.
	Filled func(d *Dataset) map[string]int

	// Channels yields the channel id of each record of d that has one; nil for a
	// part whose records do not refer to channels.
	Channels func(d *Dataset) iter.Seq[string]
}

// Source returns the name of the source that the part is of, such as
// "iptv-org".
func (p Part) Source() string {
	name, _, _ := strings.Cut(p.Name, "/")
	return name
}

// Append appends the records of other to d. Both may share them afterwards, so
// neither may change a record.
func (d *Dataset) Append(other *Dataset) {
	d.Files = join(d.Files, other.Files)
	d.Channels = join(d.Channels, other.Channels)
	d.Feeds = join(d.Feeds, other.Feeds)
	d.Logos = join(d.Logos, other.Logos)
	d.Streams = join(d.Streams, other.Streams)
	d.Guides = join(d.Guides, other.Guides)
	d.Categories = join(d.Categories, other.Categories)
	d.Languages = join(d.Languages, other.Languages)
	d.Countries = join(d.Countries, other.Countries)
	d.Subdivisions = join(d.Subdivisions, other.Subdivisions)
	d.Cities = join(d.Cities, other.Cities)
	d.Regions = join(d.Regions, other.Regions)
	d.Timezones = join(d.Timezones, other.Timezones)
	d.Blocklist = join(d.Blocklist, other.Blocklist)
	d.Stations = join(d.Stations, other.Stations)
}

// join returns the records of a and b. The records of one alone are not copied,
// since a source has tens of megabytes of them.
func join[T any](a, b []T) []T {
	if len(a) == 0 {
		return slices.Clip(b)
	}
	return append(a, b...)
}

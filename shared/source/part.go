package source

import (
	"io"
	"io/fs"
	"iter"
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

// Append appends the records of other to d.
func (d *Dataset) Append(other *Dataset) {
	d.Files = append(d.Files, other.Files...)
	d.Channels = append(d.Channels, other.Channels...)
	d.Feeds = append(d.Feeds, other.Feeds...)
	d.Logos = append(d.Logos, other.Logos...)
	d.Streams = append(d.Streams, other.Streams...)
	d.Guides = append(d.Guides, other.Guides...)
	d.Categories = append(d.Categories, other.Categories...)
	d.Languages = append(d.Languages, other.Languages...)
	d.Countries = append(d.Countries, other.Countries...)
	d.Subdivisions = append(d.Subdivisions, other.Subdivisions...)
	d.Cities = append(d.Cities, other.Cities...)
	d.Regions = append(d.Regions, other.Regions...)
	d.Timezones = append(d.Timezones, other.Timezones...)
	d.Blocklist = append(d.Blocklist, other.Blocklist...)
	d.Stations = append(d.Stations, other.Stations...)
}

package source

import (
	"io"
	"io/fs"
)

// A Part is one file of an upstream, with the functions that find and parse
// it.
type Part struct {
	Name string // such as "iptv-org/channels"; the name of its File
	Path string // its path below the upstream's address, such as "channels.json"

	// Optional says that the part may have no records.
	Optional bool

	// Open opens the part in a folder with any of the upstream's layouts. It
	// returns the path that it found, or fs.ErrNotExist when no layout has
	// the part.
	Open func(folder fs.FS) (body io.ReadCloser, path string, err error)

	// Decode parses the decompressed part and appends its records to d. It
	// detects the format (JSON, CSV, M3U) from the content. Its error is
	// about the whole file; d may then have some of the records.
	Decode func(d *Dataset, r io.Reader) (Count, error)
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

package source

import (
	"io"
	"io/fs"
)

// A Part is one file of an upstream: how it is found and how it is read.
type Part struct {
	Name string // such as "iptv-org/channels"; the name of its File
	Path string // where it stands below an upstream's address, such as "channels.json"

	// Optional says that the part may have no records at all.
	Optional bool

	// Open opens the part in a folder, whichever of the upstream's layouts the
	// folder has. It returns the path found, or an error that is
	// fs.ErrNotExist when no layout has it there.
	Open func(folder fs.FS) (body io.ReadCloser, path string, err error)

	// Decode reads the part, unpacked, into d. It tells the forms in which the
	// upstream publishes it (JSON, CSV, M3U) apart by their content. Its error
	// is about the whole file; d may then hold some of the records.
	Decode func(d *Dataset, r io.Reader) (Count, error)
}

// Append adds what other holds to d.
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

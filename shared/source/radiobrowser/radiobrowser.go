// Package radiobrowser knows how radio-browser publishes its register of
// stations.
//
// It is a group of servers that anyone may run, found by DNS, which answer in
// pages. A dump of it is the same JSON array in a file.
package radiobrowser

import (
	"bufio"
	"errors"
	"io"
	"io/fs"

	"miramundo.dev/shared/source"
)

// Part is the file of all stations. Its body is one JSON array or, as pages
// are kept, several that follow each other.
var Part = source.Part{
	Name:   "radio-browser/stations",
	Path:   "json/stations",
	Open:   open,
	Decode: decode,
}

// places are the paths where a dump may stand in a folder.
var places = []string{
	"radio-browser/stations.json", "radio-browser/stations.json.gz",
	"stations.json", "stations.json.gz",
}

func open(folder fs.FS) (io.ReadCloser, string, error) {
	for _, name := range places {
		f, err := folder.Open(name)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, name, err
		}
	}
	return nil, "", fs.ErrNotExist
}

func decode(d *source.Dataset, r io.Reader) (source.Count, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	if _, err := source.Begin(br); err != nil {
		return source.Count{}, err
	}
	return source.Array(br, func(s *station) bool {
		if !s.sound() {
			return false
		}
		d.Stations = append(d.Stations, s.station())
		return true
	})
}

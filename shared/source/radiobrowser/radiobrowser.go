// Package radiobrowser reads radio-browser's register of stations.
//
// Radio-browser is a group of servers that anyone may run, found through DNS;
// they serve the register in pages. A dump is the same JSON array in a file.
package radiobrowser

import (
	"bufio"
	"errors"
	"io"
	"io/fs"

	"miramundo.dev/shared/source"
)

// Part is the file of all stations. Its body is one JSON array or, when it
// comes in pages, several in a row.
var Part = source.Part{
	Name:      "radio-browser/stations",
	Path:      "json/stations",
	Essential: true,
	Columns:   []string{"name", "countrycode", "tags", "votes", "lastcheckok"},
	Open:      open,
	Decode:    decode,
	Filled:    filled,
}

// filled counts the stations that have a value in each of Part.Columns.
func filled(d *source.Dataset) map[string]int {
	counts := map[string]int{"name": 0, "countrycode": 0, "tags": 0, "votes": 0, "lastcheckok": 0}
	count := func(name string, has bool) {
		if has {
			counts[name]++
		}
	}
	for i := range d.Stations {
		s := &d.Stations[i]
		count("name", s.Name != "")
		count("countrycode", s.CountryCode != "")
		count("tags", len(s.Tags) > 0)
		count("votes", s.Votes > 0)
		count("lastcheckok", s.LastCheckOK)
	}
	return counts
}

// dumpPaths are the paths that a dump may have in a folder.
var dumpPaths = []string{
	"radio-browser/stations.json", "radio-browser/stations.json.gz",
	"stations.json", "stations.json.gz",
}

func open(folder fs.FS) (io.ReadCloser, string, error) {
	for _, name := range dumpPaths {
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
		if !s.clean() {
			return false
		}
		d.Stations = append(d.Stations, s.station())
		return true
	})
}

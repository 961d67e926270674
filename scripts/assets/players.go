package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
)

// scripts are the files of the players, by their packages.
var scripts = []string{
	"hls.js/dist/hls.min.js",
	"hls.js/dist/hls.worker.js",
	"mpegts.js/dist/mpegts.js",
}

// licences are the licence files of the packages, and of code bundled in them.
var licences = []string{
	"hls.js/LICENSE",
	"mpegts.js/LICENSE",
	"es6-promise/LICENSE",
	"events/LICENSE",
}

// licenceFile is the file with all licences.
const licenceFile = "licences.txt"

// copyPlayers writes the players of the packages in from, with their licences, into
// the folder to. It returns the number of files that it wrote.
func copyPlayers(from fs.FS, to string) (wrote int, err error) {
	var all bytes.Buffer
	for _, name := range licences {
		data, err := read(from, name)
		if err != nil {
			return 0, err
		}
		fmt.Fprintf(&all, "=== %s ===\n\n%s\n\n", path.Dir(name), bytes.TrimSpace(data))
	}
	if wrote, err = write(to, licenceFile, all.Bytes()); err != nil {
		return 0, err
	}
	for _, name := range scripts {
		data, err := read(from, name)
		if err != nil {
			return wrote, err
		}
		n, err := write(to, path.Base(name), data)
		if err != nil {
			return wrote, err
		}
		wrote += n
	}
	return wrote, nil
}

// read returns a file of a package. An empty file, or one larger than a page should
// load, is an error.
func read(from fs.FS, name string) ([]byte, error) {
	data, err := fs.ReadFile(from, name)
	if err != nil {
		return nil, fmt.Errorf("%w: run npm ci", err)
	}
	if len(data) == 0 || len(data) > mostBytes {
		return nil, fmt.Errorf("%s has %d bytes, want 1 to %d", name, len(data), mostBytes)
	}
	return data, nil
}

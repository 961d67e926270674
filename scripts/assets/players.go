package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
)

// scripts are the files of players, each in its package.
var scripts = []string{
	"hls.js/dist/hls.min.js",
	"hls.js/dist/hls.worker.js",
	"mpegts.js/dist/mpegts.js",
}

// licences are those of the packages, and of what is bundled in their files.
var licences = []string{
	"hls.js/LICENSE",
	"mpegts.js/LICENSE",
	"es6-promise/LICENSE",
	"events/LICENSE",
}

// licenceFile is where all licences stand, one after the other.
const licenceFile = "licences.txt"

// copyPlayers writes the players of the packages in from, and their licences,
// into the folder to. It returns how many files it wrote.
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

// read returns a file of a package: neither empty, nor larger than a page
// should load.
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

// Package sample provides a small catalog for machines without a network.
//
// It has some public-service TV channels and radio stations of many
// countries, in the layouts of the upstreams, written by hand from what the
// broadcasters publish. Addresses change, so not all of them answer
// everywhere.
package sample

import (
	"embed"
	"io/fs"
)

//go:embed data
var data embed.FS

// Folder returns the sample as a folder with the layouts of both upstreams:
// database/data, iptv/streams and api of iptv-org, and radio-browser.
func Folder() fs.FS {
	folder, err := fs.Sub(data, "data")
	if err != nil {
		panic(err) // the name is a constant that is valid
	}
	return folder
}

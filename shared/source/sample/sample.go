// Package sample knows a small catalog, so that a machine without a network
// shows something real.
//
// It holds some public-service TV channels and radio stations of many
// countries, in the layouts of the upstreams. It is written by hand from what
// the broadcasters publish about themselves. Addresses change: the sample does
// not claim that all of them answer, nor that they answer everywhere.
package sample

import (
	"embed"
	"io/fs"
)

//go:embed data
var data embed.FS

// Folder returns the sample as a folder that has both upstreams:
// database/data, iptv/streams and api of iptv-org, and radio-browser.
func Folder() fs.FS {
	folder, err := fs.Sub(data, "data")
	if err != nil {
		panic(err) // the name is a constant that is valid
	}
	return folder
}

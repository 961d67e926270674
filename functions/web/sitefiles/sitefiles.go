// Package sitefiles serves the files that other programs expect of a website:
// robots.txt and site maps for search engines, the description of the search for
// browsers that add it to theirs, the manifest and icons for browsers that install the
// pages as an app, and the preview pictures of shared links.
//
// All of them are made by the process itself, from the catalog in memory and from
// drawings, and have an ETag made from their bytes.
package sitefiles

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/cities"
	"miramundo.dev/shared/i18n"
)

// Endpoints are the endpoints of all files.
var Endpoints = slices.Concat(robots, sitemaps, installed, openSearch, pictures)

// Options are what a Server needs.
type Options struct {
	Catalog index.Viewer
	Cities  *cities.Atlas    // nil to list no cities
	Logos   Logos            // nil to draw pictures without logos
	Links   catalog.LinkBase // base URL of the service, and the prefix of the URLs of stored logos
	Icon    string           // path of the icon as SVG; empty when it was not built
}

// A Server serves the files.
type Server struct {
	Options
	gallery *gallery
}

// New returns a server of the files.
func New(o Options) *Server { return &Server{o, newGallery()} }

// fileIn is the input of endpoints that serve several files.
type fileIn struct {
	File string `path:"file" maxLength:"192" description:"Name of the file."`
}

// locale returns the locale of a file that is named by a language tag, followed by ext.
func (in fileIn) locale(ext string) (i18n.Locale, bool) {
	tag, ok := strings.CutSuffix(in.File, ext)
	l, found := localeOf(tag)
	return l, ok && found
}

// contentOf returns a file with the ETag made from its bytes.
func contentOf(mediaType string, data []byte) api.Content {
	sum := sha256.Sum256(data)
	return api.Content{Type: mediaType, Data: data, Tag: hex.EncodeToString(sum[:8])}
}

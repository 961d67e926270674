// Package templates embeds the HTML templates of the pages. A file that begins
// with an underscore is a part of pages; every other file is a page.
package templates

import "embed"

// FS holds the templates.
//
//go:embed *.html
var FS embed.FS

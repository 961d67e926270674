// Package prose serves the pages of text: how to use the service, how to connect other
// programs to it, and its credits.
//
// The texts themselves are messages of package i18n. This package lists the parts
// of the pages in their order.
package prose

import (
	"slices"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/site"
)

// Endpoints are the pages of this package in every locale.
var Endpoints = slices.Concat(
	page.Endpoints(site.Guide, "Show the instructions", "Returns the page that explains how to use the service.", (*Server).guide),
	page.Endpoints(site.About, "Show the credits", "Returns the page with the sources of the catalog, their licences and the contacts of the service.", (*Server).about),
	connectEndpoints,
)

// Options are what a Server needs.
type Options struct {
	Pages   *page.Renderer
	Sources interface{ Sources() []catalog.Source } // the source files of the current release
	Catalog index.Viewer                            // where examples come from
	Guides  *guide.Live                             // nil for a service without guides
	Base    string                                  // URL of the service
	Contact string                                  // mail address for complaints and questions; empty to show none
}

// A Server serves the pages of this package.
type Server struct{ Options }

// New returns a server of the pages of this package.
func New(o Options) *Server { return &Server{o} }

// Package web is the function that serves the pages that visitors see, in each
// locale.
//
// A page is complete without a script: it is rendered here, from the catalog in
// memory, and its script makes it quicker. It is the same for every visitor, so
// that caches may keep it; its script asks the API for whatever depends on the
// visitor.
//
//	page/       what all pages have: layout, head, security policy, assets
//	part/       cards and chips, the parts that pages show by the dozen
//	list/       the start, searches, countries
//	channel/    the page of a channel
//	library/    the shells of library, favorites and history
//	prose/      instructions and credits
//	sitefiles/  robots.txt, site maps, app manifest, icons, pictures of links
//	app/        the scripts, in TypeScript
//	style/      the styles; tokens.css has every colour and measure
//	templates/  the HTML; its texts are in package i18n
//	static/     what the build makes of scripts and styles
package web

import (
	"slices"
	"time"

	"miramundo.dev/functions/web/channel"
	"miramundo.dev/functions/web/library"
	"miramundo.dev/functions/web/list"
	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/prose"
	"miramundo.dev/functions/web/sitefiles"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/guide"
)

// Endpoints is what this function serves: the pages, each at its path in every
// locale, and the files that belong to them.
var Endpoints = slices.Concat(
	list.Endpoints, channel.Endpoints, library.Endpoints, prose.Endpoints, page.Files, sitefiles.Endpoints,
)

// A Viewer provides the catalog.
type Viewer interface {
	index.DatedViewer

	// Sources returns the state of the sources of the current release.
	Sources() []catalog.Source
}

// Options are what a Server needs.
type Options struct {
	Catalog Viewer
	Guides  *guide.Live     // nil for no programmes
	Logos   sitefiles.Logos // nil for no logos
	Links   catalog.LinkBase
	Contact string // mail address for complaints and questions; empty for none
	Now     func() time.Time
}

// A Server serves the pages.
type Server struct {
	catalog   index.Viewer
	pages     *page.Renderer
	lists     *list.Server
	channels  *channel.Server
	libraries *library.Server
	prose     *prose.Server
	files     *sitefiles.Server
}

// New returns a server of the pages.
func New(o Options) *Server {
	pages := page.NewRenderer(o.Links)
	return &Server{
		catalog: o.Catalog, pages: pages,
		lists:     list.New(list.Options{Pages: pages, Catalog: o.Catalog, Guides: o.Guides, Now: o.Now}),
		channels:  channel.New(channel.Options{Pages: pages, Catalog: o.Catalog, Guides: o.Guides, Now: o.Now}),
		libraries: library.New(pages),
		prose:     prose.New(prose.Options{Pages: pages, Sources: o.Catalog, Guides: o.Guides, Contact: o.Contact}),
		files:     sitefiles.New(sitefiles.Options{Catalog: o.Catalog, Logos: o.Logos, Links: o.Links, Icon: pages.Asset("icon.svg")}),
	}
}

// Groups returns the endpoints with the servers that answer them.
func (s *Server) Groups() []request.Group {
	return []request.Group{
		{Server: s.lists, Endpoints: list.Endpoints},
		{Server: s.channels, Endpoints: channel.Endpoints},
		{Server: s.libraries, Endpoints: library.Endpoints},
		{Server: s.prose, Endpoints: prose.Endpoints},
		{Server: s.pages, Endpoints: page.Files},
		{Server: s.files, Endpoints: sitefiles.Endpoints},
	}
}

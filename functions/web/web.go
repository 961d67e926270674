// Package web is the function that shows the pages people see, in each locale.
//
// A page is whole without a script: it is rendered here, from the catalog in
// memory, and its script makes it quicker. It is the same for everyone, so that
// caches may keep it; what is about the one who looks is asked of the API by
// the script.
//
//	app/        the scripts, in TypeScript
//	style/      the styles; tokens.css has every colour and measure
//	templates/  the pages, of which the texts are in package i18n
//	static/     what the build makes of the first two
package web

import (
	"context"
	"slices"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Endpoints is what this function serves: the pages, each at its address in
// every locale, and what belongs to them.
var Endpoints = slices.Concat(
	human(site.Home, "The catalog, or what a search of it finds.", (*Server).home, catalog.ErrNotLoaded),
	human(site.Country, "The channels of a country.", (*Server).country, catalog.ErrNotLoaded, fault.ErrNotFound),
	human(site.Countries, "All countries that have channels.", (*Server).countries, catalog.ErrNotLoaded),
	human(site.Channel, "A channel, to watch it and to read about it.", (*Server).channel, catalog.ErrNotLoaded, catalog.ErrNoChannel),
	human(site.Library, "The folders of the one who looks.", (*Server).library),
	human(site.Favorites, "The favorites of the one who looks.", (*Server).favorites),
	human(site.History, "What the one who looks has watched.", (*Server).history),
	human(site.Guide, "How to use the service.", (*Server).guide),
	human(site.About, "Credits, licences and whom to ask.", (*Server).about),
	files, short, robots, sitemaps, installed, pictures,
)

// pageCache lets shared caches keep a page for a minute: it is the same for
// everyone. Browsers ask each time, since the files that a page names go with
// the next build. To let them show a stale one meanwhile, as shared caches might,
// would show a list of ten minutes ago to the script that reads on.
const pageCache api.Cache = "public, max-age=0, s-maxage=60"

// human returns the endpoints of a page, one in each locale.
func human[In any](p site.Page, doc string, show func(*Server, context.Context, i18n.Locale, In) (*sheet, error), faults ...*fault.Error) []api.Endpoint {
	var all []api.Endpoint
	for _, l := range i18n.Locales {
		show := func(s *Server, ctx context.Context, in In) (*sheet, error) { return show(s, ctx, l, in) }
		all = append(all, api.Bind(show, api.Endpoint{
			Method: "GET", Path: p.Pattern(l), Auth: api.None, Doc: doc, Faults: faults, Cache: pageCache, Produces: []string{"text/html"}, Page: true,
		}))
	}
	return all
}

// A Viewer shows the catalog of the moment, or says ErrNotLoaded.
type Viewer interface {
	View() (*index.View, error)

	// Synced returns when the sources were last confirmed; false before the
	// first release.
	Synced() (time.Time, bool)

	// Sources returns how the sources of the current release stand.
	Sources() []catalog.Source
}

// Options are what a Server is made from.
type Options struct {
	Catalog Viewer
	Guides  *guide.Live // nil knows no programme
	Logos   Logos       // nil knows no logo
	Links   catalog.LinkBase
	Contact string // mail address for complaints and questions; empty when there is none
	Now     func() time.Time
}

// A Server shows the pages.
type Server struct {
	Options
	assets  assets
	policy  string // Content-Security-Policy of every page
	gallery *gallery
	memo    memo
	stamps  stamps
}

// New returns a server of the pages.
func New(o Options) *Server {
	return &Server{Options: o, assets: loadAssets(static), policy: policyFor(o.Links), gallery: newGallery()}
}

// Package functions declares the functions that the service is deployed as.
//
// It is the one place that names them all. Each function answers for a group of
// endpoints and is deployed on its own, from the same source, with its name as
// the entry point.
package functions

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"miramundo.dev/functions/admin"
	"miramundo.dev/functions/aggregate"
	"miramundo.dev/functions/catalog"
	"miramundo.dev/functions/comments"
	"miramundo.dev/functions/discovery"
	"miramundo.dev/functions/facets"
	"miramundo.dev/functions/favorites"
	"miramundo.dev/functions/feeds"
	"miramundo.dev/functions/guest"
	"miramundo.dev/functions/history"
	"miramundo.dev/functions/legacy"
	"miramundo.dev/functions/library"
	"miramundo.dev/functions/media"
	"miramundo.dev/functions/reports"
	"miramundo.dev/functions/web"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

// A Function is a group of endpoints and how to make the server that answers
// for them.
type Function struct {
	Name      string
	Endpoints []api.Endpoint
	Apart     bool // stands on a host of its own, where its paths are no part of the API
	guides    bool // tells of programmes, which the others do not keep in memory
	server    func(Deps) any
}

// Deps is what servers are made from. [Open] makes it of the configuration.
type Deps struct {
	Config  config.Config
	Log     *slog.Logger
	Now     func() time.Time
	DB      store.DB
	Bus     bus.Bus
	Archive *release.Archive
	Catalog *release.Live
	Blocks  *block.List
	Overlay *social.Overlay
	// Followers keep Catalog, Overlay and Guide up to date.
	Followers *overlay.Set
	Guide     *guide.Live
	Jobs      *job.Runner

	table []api.Endpoint // of every function, for the one that describes them
}

// All lists the functions of the service.
var All = []Function{
	{Name: "admin", Endpoints: admin.Endpoints, server: func(d Deps) any { return admin.New(d.Archive, d.Catalog, d.Blocks, d.Jobs, d.Now) }},
	{Name: "aggregate", Endpoints: aggregate.Endpoints, server: newAggregate, Apart: true},
	{Name: "catalog", Endpoints: catalog.Endpoints, server: newCatalog, guides: true},
	{Name: "comments", Endpoints: comments.Endpoints, server: newComments},
	{Name: "discovery", Endpoints: discovery.Endpoints, server: newDiscovery, guides: true},
	{Name: "facets", Endpoints: facets.Endpoints, server: func(d Deps) any { return facets.New(d.Catalog) }},
	{Name: "favorites", Endpoints: favorites.Endpoints, server: newFavorites},
	{Name: "feeds", Endpoints: feeds.Endpoints, server: func(d Deps) any { return feeds.New(d.DB, d.Catalog, d.Guide, d.Now) }, guides: true},
	{Name: "guest", Endpoints: guest.Endpoints, server: func(d Deps) any { return guest.New(d.guests(), d.Now) }},
	{Name: "history", Endpoints: history.Endpoints, server: newHistory},
	{Name: "legacy", Endpoints: legacy.Endpoints, server: func(d Deps) any { return legacy.New(d.Config.BaseURL) }, Apart: true},
	{Name: "library", Endpoints: library.Endpoints, server: func(d Deps) any { return library.New(d.DB, d.Catalog, d.links(), d.Now) }},
	{Name: "media", Endpoints: media.Endpoints, server: newMedia},
	{Name: "reports", Endpoints: reports.Endpoints, server: newReports},
	{Name: "web", Endpoints: web.Endpoints, server: func(d Deps) any { return newWeb(d) }, guides: true},
}

// Find returns the function with a name, and whether there is one.
func Find(name string) (Function, bool) {
	i := slices.IndexFunc(All, func(f Function) bool { return f.Name == name })
	if i < 0 {
		return Function{}, false
	}
	return All[i], true
}

// newCatalog makes the server of what the catalog and its people tell.
func newCatalog(d Deps) any {
	return catalog.New(catalog.Options{Catalog: d.Catalog, DB: d.DB, Overlay: d.Overlay, Guide: d.Guide, Links: d.links(), Now: d.Now})
}

// newWeb makes the server of the pages, which also tells people of what is not
// there.
func newWeb(d Deps) *web.Server {
	logos := func(ctx context.Context, id string) (*logo.Image, error) { return logo.Get(ctx, d.DB, id) }
	return web.New(web.Options{
		Catalog: d.Catalog, Guides: d.Guide, Logos: logos, Links: d.links(), Contact: d.Config.ContactEmail, Now: d.Now,
	})
}

// newDiscovery makes the one server that describes all the others.
func newDiscovery(d Deps) any {
	return discovery.New(discovery.Options{
		Table: d.table, State: d.Catalog, Guides: d.Guide, Build: d.Config.Build, BaseURL: d.Config.BaseURL, Now: d.Now,
	})
}

// newMedia makes the server of images, which denies the logos of channels that
// are blocked.
func newMedia(d Deps) any {
	return media.New(d.DB, d.Config.HopURL).Hide(func(logo string) bool {
		v, err := d.Catalog.View()
		return err == nil && v.Hidden(logo)
	})
}

// together returns the functions that share the main host.
func together() []Function {
	return slices.DeleteFunc(slices.Clone(All), func(f Function) bool { return f.Apart })
}

// Table lists the endpoints of the main host, without the pages for people.
func Table() []api.Endpoint {
	var table []api.Endpoint
	for _, f := range together() {
		table = slices.Concat(table, f.Endpoints)
	}
	return slices.DeleteFunc(table, func(e api.Endpoint) bool { return e.Page })
}

func (d Deps) options() request.Options {
	return request.Options{
		Log: d.Log,
		Tokens: map[string]string{
			api.CatalogToken: d.Config.CatalogToken,
			api.MetricsToken: d.Config.MetricsToken,
		},
		CountryHeader: d.Config.CountryHeader,
		AddressHeader: d.Config.AddressHeader,
		Auth:          d.authenticator(),
		Now:           d.Now,
	}
}

// Handler serves the function with a server made from d.
func (f Function) Handler(d Deps) http.Handler { return d.serve(f) }

// Mux serves the functions of the main host on one handler, for tests and for
// local use.
func Mux(d Deps) http.Handler { return d.serve(together()...) }

// serve serves functions on one handler, with servers made from d. Where the
// pages are among them, people are told of faults by a page.
func (d Deps) serve(fs ...Function) http.Handler {
	d.table = Table()
	o := d.options()
	var groups []request.Group
	for _, f := range fs {
		server := f.server(d)
		if pages, ok := server.(*web.Server); ok {
			o.FaultPage = pages.FaultPage
		}
		group := request.Group{Server: server, Endpoints: f.Endpoints}
		if len(fs) > 1 && d.Log != nil { // the log of one function alone names it already
			group.Log = d.Log.With("function", f.Name)
		}
		groups = append(groups, group)
	}
	return request.Mux(o, groups...)
}

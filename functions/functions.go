// Package functions declares the functions that the service is deployed as.
//
// It is the one place that names them all. Each function answers for a group of
// endpoints and is deployed on its own, from the same source, with its name as
// the entry point.
package functions

import (
	"log/slog"
	"net/http"
	"slices"
	"time"

	"miramundo.dev/functions/admin"
	"miramundo.dev/functions/catalog"
	"miramundo.dev/functions/discovery"
	"miramundo.dev/functions/facets"
	"miramundo.dev/functions/media"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/store"
)

// A Function is a group of endpoints and how to make the server that answers
// for them.
type Function struct {
	Name      string
	Endpoints []api.Endpoint
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
	Jobs    *job.Runner

	table []api.Endpoint // of every function, for the one that describes them
}

// All lists the functions of the service.
var All = []Function{
	{"admin", admin.Endpoints, func(d Deps) any { return admin.New(d.Archive, d.Catalog, d.Blocks, d.Jobs, d.Now) }},
	{"catalog", catalog.Endpoints, func(d Deps) any { return catalog.New(d.Catalog, d.Config.BaseURL, d.Now) }},
	{"discovery", discovery.Endpoints, newDiscovery},
	{"facets", facets.Endpoints, func(d Deps) any { return facets.New(d.Catalog) }},
	{"media", media.Endpoints, func(d Deps) any { return media.New(d.DB) }},
}

// newDiscovery makes the one server that describes all the others.
func newDiscovery(d Deps) any {
	return discovery.New(discovery.Options{
		Table: d.table, State: d.Catalog, Build: d.Config.Build, BaseURL: d.Config.BaseURL, Now: d.Now,
	})
}

// Table lists the endpoints of every function.
func Table() []api.Endpoint {
	var table []api.Endpoint
	for _, f := range All {
		table = slices.Concat(table, f.Endpoints)
	}
	return table
}

func (d Deps) options() api.Options {
	return api.Options{
		Log: d.Log,
		Tokens: map[string]string{
			api.CatalogToken: d.Config.CatalogToken,
			api.MetricsToken: d.Config.MetricsToken,
		},
		CountryHeader: d.Config.CountryHeader,
		Now:           d.Now,
	}
}

// Handler serves the function with a server made from d.
func (f Function) Handler(d Deps) http.Handler {
	d.table = Table()
	return api.Handler(d.options(), f.server(d), f.Endpoints)
}

// Mux serves every function on one handler, for tests and for local use.
func Mux(d Deps) http.Handler {
	d.table = Table()
	groups := make([]api.Group, len(All))
	for i, f := range All {
		groups[i] = api.Group{Server: f.server(d), Endpoints: f.Endpoints}
	}
	return api.Mux(d.options(), groups...)
}

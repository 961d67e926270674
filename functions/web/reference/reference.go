// Package reference serves the page that documents the API for developers.
//
// The server lists every operation from the table of endpoints, so that the page is
// complete without a script. A script replaces the list by a viewer of the OpenAPI
// document, in which operations can be tried out; when the viewer cannot be loaded,
// the list stays.
package reference

import (
	"context"
	"slices"
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Endpoints are the page in every locale.
var Endpoints = page.Endpoints(site.Reference, "Show the API reference",
	"Returns the page that lists every operation of the API and shows the OpenAPI document in a viewer. Programs read /openapi.json instead.", (*Server).reference)

// A Server serves the page.
type Server struct {
	pages  *page.Renderer
	groups []group
	total  int
}

// New returns a server that renders the page with r for a table of endpoints.
func New(r *page.Renderer, table []api.Endpoint) *Server {
	groups, total := groupsOf(table)
	return &Server{r, groups, total}
}

// A group holds the operations of one function, sorted by path.
type group struct {
	Name       string
	Operations []operation
}

// An operation is one endpoint of the API. Summary and Doc are in English, as in the
// OpenAPI document.
type operation struct {
	ID, Method, Path, Summary, Doc string
	Auth                           api.Auth // empty when no credential is needed
	Paid                           bool     // a call may be answered by 402
}

// groupsOf returns the operations of a table by function, in the order of their
// names, and their number. Pages are not part of the API, and the operator's endpoints
// have a document of their own. As in that of the API, each file of an endpoint is an
// operation.
func groupsOf(table []api.Endpoint) (groups []group, total int) {
	byName := map[string][]operation{}
	for _, e := range api.PerFile(table) {
		if !e.Page && e.Auth != api.Operator {
			byName[e.Group()] = append(byName[e.Group()], operationOf(e))
			total++
		}
	}
	for name, operations := range byName {
		slices.SortStableFunc(operations, func(a, b operation) int { return strings.Compare(a.Path, b.Path) })
		groups = append(groups, group{name, operations})
	}
	slices.SortFunc(groups, func(a, b group) int { return strings.Compare(a.Name, b.Name) })
	return groups, total
}

// operationOf describes one endpoint.
func operationOf(e api.Endpoint) operation {
	o := operation{
		ID: e.Name, Method: e.Method, Path: openapi.Path(e), Summary: e.Summary, Doc: e.Doc,
		Auth: e.Auth, Paid: len(e.Prices) > 0,
	}
	if o.Auth == api.None {
		o.Auth = ""
	}
	return o
}

// A body is the body of the page.
type body struct {
	Groups []group
	Total  int // number of operations
}

func (s *Server) reference(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	return s.pages.View(site.Reference, l, body{s.groups, s.total}).Show()
}

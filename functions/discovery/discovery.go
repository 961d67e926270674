// Package discovery is the function that describes the service to machines and
// says how it fares.
package discovery

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/release"
)

// App is the name of the product.
const App = "Miramundo"

const about = "Every TV channel and radio station of the public registers: full-text search, filters, facets and the streams of each, over one JSON API."

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).index, api.Endpoint{
		Method: "GET",
		Path:   indexPath,
		Auth:   api.None,
		Doc:    "The index of the API: every endpoint with its method, path, credential, address and result.",
		Cache:  api.Public(5 * time.Minute),
	}),
	api.Bind((*Server).openapi, api.Endpoint{
		Method: "GET",
		Path:   api.DescriptionPath,
		Auth:   api.None,
		Doc:    "The OpenAPI 3.1 description of the API.",
		Cache:  api.Public(5 * time.Minute),
	}),
	api.Bind((*Server).health, api.Endpoint{
		Method: "GET",
		Path:   api.HealthPath,
		Auth:   api.None,
		Doc:    "Whether the service answers, from which catalog, and how old each of its sources is.",
		Tool:   healthTool,
	}),
}

const (
	indexPath  = "/api/{$}"
	healthTool = "get_health"
)

// A State says what catalog an instance answers from.
type State interface {
	// Synced returns when the sources were last confirmed; false before the
	// first release.
	Synced() (time.Time, bool)

	// Sources returns how each file of the sources stands.
	Sources() []catalog.Source

	// State returns which release is shown, and what keeps a newer one out.
	State() release.State

	// Database returns an error when the database does not answer.
	Database(context.Context) error
}

// Options are what the server describes.
type Options struct {
	Table   []api.Endpoint // of every function
	State   State
	Guides  Sourced // nil when there is none
	Build   string  // short id of the commit
	BaseURL string  // of the service, without a last slash
	Now     func() time.Time
}

// A Sourced tells of the files that it is made from.
type Sourced interface {
	Sources() []catalog.Source
}

// A Server describes the service. Its documents are made once.
type Server struct {
	Options
	indexDoc   indexDoc
	openapiDoc openapiDoc
}

// New returns a server that describes what o says. It panics when the table
// cannot be described, which the first test of the table finds.
func New(o Options) *Server {
	index, err := json.Marshal(describe(o))
	if err != nil {
		panic(fmt.Sprintf("discovery: index: %v", err))
	}
	spec, err := openapi.Document(openapi.Info{
		Title: App, Description: about, Version: o.Build, BaseURL: o.BaseURL,
	}, o.Table)
	if err != nil {
		panic(fmt.Sprintf("discovery: OpenAPI: %v", err))
	}
	const mediaType = "application/json; charset=utf-8"
	return &Server{o, indexDoc{api.NewDocument(mediaType, index)}, openapiDoc{api.NewDocument(mediaType, spec)}}
}

// An indexDoc is the index, already encoded.
type indexDoc struct{ *api.Document }

// Schema returns the shape of the index.
func (indexDoc) Schema() any { return index{} }

func (s *Server) index(context.Context, struct{}) (indexDoc, error) { return s.indexDoc, nil }

// An openapiDoc is the OpenAPI document, already encoded.
type openapiDoc struct{ *api.Document }

// Schema returns an object of any shape: that of OpenAPI is its own standard.
func (openapiDoc) Schema() any { return map[string]any{} }

func (s *Server) openapi(context.Context, struct{}) (openapiDoc, error) { return s.openapiDoc, nil }

// Package describe is the function that describes the service to machines: the
// index of the API and its OpenAPI document. Both are computed from the table of
// endpoints when the function starts, so it needs no database.
package describe

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/price/quota"
)

// about describes the service in one sentence.
const about = "Every TV channel and radio station of the public registers: full-text search, filters, facets and the streams of each, over one JSON API."

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).index, api.Endpoint{
		Name:    "get_api_index",
		Method:  "GET",
		Path:    indexPath,
		Auth:    api.None,
		Summary: "List the endpoints of the API",
		Doc: "Returns every endpoint with its method, path, credential, address and description, the ways to send credentials, the " +
			"free quota, and a few first calls to make.",
		Cache: api.Public(5 * time.Minute),
	}),
	api.Bind((*Server).openapi, api.Endpoint{
		Name:    "get_openapi",
		Method:  "GET",
		Path:    api.DescriptionPath,
		Auth:    api.None,
		Summary: "Get the OpenAPI description",
		Doc:     "Returns the OpenAPI 3.1 document of the API, with the inputs, results and failures of every operation. It is large; GET /api/ is a shorter list.",
		Cache:   api.Public(5 * time.Minute),
	}),
}

const indexPath = "/api/{$}"

// Options are what the documents are computed from.
type Options struct {
	Table   []api.Endpoint // the endpoints of every function
	Build   string         // short id of the commit
	BaseURL string         // of the service, without a trailing slash
	Quota   quota.Options
}

// A Server answers with documents that it computes once. The OpenAPI document
// takes a tenth of a second of a processor, so it is computed while the process
// starts to listen: a request that comes earlier waits for it.
type Server struct {
	indexDoc   indexDoc
	openapiDoc func() openapiDoc
}

const mediaType = "application/json; charset=utf-8"

// New returns a server of the documents that describe o. The process ends with a
// panic when the table cannot be described, which the first test of the table
// finds.
func New(o Options) *Server {
	index, err := json.Marshal(describe(o))
	if err != nil {
		panic(fmt.Sprintf("describe: index: %v", err))
	}
	s := &Server{
		indexDoc: indexDoc{api.NewDocument(mediaType, index)},
		openapiDoc: sync.OnceValue(func() openapiDoc {
			spec, err := openapi.Document(openapi.Info{
				Title: config.Product, Description: about, Version: o.Build, BaseURL: o.BaseURL,
			}, o.Table)
			if err != nil {
				panic(fmt.Sprintf("describe: OpenAPI: %v", err))
			}
			return openapiDoc{api.NewDocument(mediaType, spec)}
		}),
	}
	go s.openapiDoc()
	return s
}

// An indexDoc is the index, already encoded.
type indexDoc struct{ *api.Document }

// Schema returns the shape of the index.
func (indexDoc) Schema() any { return index{} }

// index returns the index, which never changes while the process runs.
func (s *Server) index(context.Context, struct{}) (indexDoc, error) { return s.indexDoc, nil }

// An openapiDoc is the OpenAPI document, already encoded.
type openapiDoc struct{ *api.Document }

// Schema returns an object of any shape: that of OpenAPI is its own standard.
func (openapiDoc) Schema() any { return map[string]any{} }

func (s *Server) openapi(context.Context, struct{}) (openapiDoc, error) { return s.openapiDoc(), nil }

// Package describe is the function that describes the service to machines: the index
// of the API, its OpenAPI document, and the documents that directories, crawlers and
// language models look for.
//
// Everything is computed from the table of endpoints, the price list and the limits
// when the function starts, so it needs no database. Package profile has the facts;
// the packages directory and prose render them.
package describe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/functions/describe/prose"
	"miramundo.dev/functions/describe/spec"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/price/quota"
)

// Endpoints is this function's part of the API.
var Endpoints = slices.Concat(endpointsOf(documents), others, []api.Endpoint{
	api.Bind((*Server).openapi, of(api.Endpoint{
		Name: "get_openapi", Path: api.DescriptionPath, Summary: "Get the OpenAPI description",
		Doc: "Returns the OpenAPI 3.1 document of the public API, with the inputs, results, failures and examples of every operation. " +
			"It is large; GET /api/ is a shorter list.",
	})),
	api.Bind((*Server).operatorOpenapi, of(api.Endpoint{
		Name: "get_operator_openapi", Path: api.OperatorDescriptionPath, Summary: "Get the OpenAPI description for operators",
		Doc: "Returns the OpenAPI 3.1 document of the endpoints that need a token of the operator. GET /openapi.json describes all others.",
	})),
})

// endpointsOf returns the endpoints of documents.
func endpointsOf(list []document) (all []api.Endpoint) {
	for _, d := range list {
		all = append(all, d.endpoint)
	}
	return all
}

// Options are what the documents are computed from.
type Options struct {
	Table       []api.Endpoint // the endpoints of every function
	Build       string         // short id of the commit
	BaseURL     string         // of the service, without a trailing slash
	Email       string         // of the operator; empty when none is shown
	RegistryKey string         // public Ed25519 key of the publisher of the MCP server, in base64; empty without one
	Quota       quota.Options
	Now         func() time.Time
	Lazy        bool // compute the OpenAPI document at the first request for it, not while the process starts
}

// A Server answers with documents that it renders once. The OpenAPI document takes a
// tenth of a second of a processor, so it is computed while the process starts to
// listen, unless that is to be lazy: a request that comes earlier waits for it.
type Server struct {
	profile     *profile.Profile
	documents   map[string]*api.Document // by the path of their endpoint, those of the bundle by their own
	registryKey string
	now         func() time.Time

	openapiDoc, operatorOpenapiDoc func() openapiDoc
}

// New returns a server of the documents that describe o. The process ends with a
// panic when the table cannot be described, which the first test of the table
// finds.
func New(o Options) *Server {
	p := &profile.Profile{Name: config.Product, Build: o.Build, Base: o.BaseURL, Email: o.Email, Table: o.Table, Quota: o.Quota}
	s := &Server{
		profile: p, documents: map[string]*api.Document{}, registryKey: o.RegistryKey, now: o.Now,
		openapiDoc: openapiOf(spec.Public, p), operatorOpenapiDoc: openapiOf(spec.Operator, p),
	}
	if !o.Lazy {
		go s.openapiDoc()
	}
	for _, d := range documents {
		s.documents[d.endpoint.Path] = d.render(p)
	}
	for name, body := range prose.Bundle(p) {
		s.documents[profile.BundlePath+name] = api.NewDocument(markdownMedia, []byte(body))
	}
	return s
}

// An openapiDoc is the OpenAPI document, already encoded.
type openapiDoc struct{ *api.Document }

// Schema returns an object of any shape: that of OpenAPI is its own standard.
func (openapiDoc) Schema() any { return map[string]any{} }

// openapiOf returns a function that computes a document once.
func openapiOf(write func(spec.Options, []api.Endpoint) ([]byte, error), p *profile.Profile) func() openapiDoc {
	return sync.OnceValue(func() openapiDoc {
		text, err := write(spec.Options{
			Name: p.Name, Summary: profile.Summary, Build: p.Build, BaseURL: p.Base, FirstCalls: p.Quickstart(),
		}, p.Table)
		if err != nil {
			panic(fmt.Sprintf("describe: OpenAPI: %v", err))
		}
		return openapiDoc{api.NewDocument(jsonMedia, text)}
	})
}

func (s *Server) openapi(context.Context, struct{}) (openapiDoc, error) { return s.openapiDoc(), nil }

func (s *Server) operatorOpenapi(context.Context, struct{}) (openapiDoc, error) {
	return s.operatorOpenapiDoc(), nil
}

// withoutParameters returns a media type alone.
func withoutParameters(media string) string {
	kind, _, _ := strings.Cut(media, ";")
	return kind
}

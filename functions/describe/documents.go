package describe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"miramundo.dev/functions/describe/directory"
	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/functions/describe/prose"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
)

// A document is an endpoint whose answer stays the same while the process runs, with
// the function that renders the answer from the facts about the service.
type document struct {
	endpoint api.Endpoint
	render   func(*profile.Profile) *api.Document
}

// cache lets every cache keep a document for some minutes: it changes with a release.
var cache = api.Public(5 * time.Minute)

const (
	jsonMedia     = "application/json; charset=utf-8"
	textMedia     = "text/plain; charset=utf-8"
	markdownMedia = "text/markdown; charset=utf-8"
)

// documents are the documents that stay the same, in the order of the table.
var documents = []document{
	jsonDocument(indexOf, api.Endpoint{
		Name: "get_api_index", Path: "/api/{$}", Summary: "List the endpoints of the API",
		Doc: "Returns every endpoint with its method, path, credential, address and description, the ways to send credentials, the " +
			"addresses of all documents about the service, the free quota, and four calls from nothing to a library.",
	}),
	jsonDocument(directory.APIs, api.Endpoint{
		Name: "get_apis_json", Path: profile.APIsPath, Summary: "Get the APIs.json document",
		Doc: "Returns the service as directories of APIs read it, in version 0.19 of APIs.json. GET /api/ has more.",
	}),
	jsonDocument(directory.APIs, api.Endpoint{
		Name: "get_well_known_apis_json", Path: api.APIsPath, Summary: "Get APIs.json at its well-known address",
		Doc: "Returns the document of GET /apis.json, for programs that look for it below /.well-known/.",
	}),
	jsonDocument(directory.Agent, api.Endpoint{
		Name: "get_agent_json", Path: profile.AgentPath, Summary: "Get the card for agents",
		Doc: "Returns what an agent can do with the service: its protocol, the addresses, and one skill for each tool. The inputs of the " +
			"tools are in the OpenAPI document.",
	}),
	jsonDocument(directory.Agent, api.Endpoint{
		Name: "get_well_known_agent_card", Path: api.AgentCardPath, Summary: "Get the agent card at its well-known address",
		Doc: "Returns the document of GET /agent.json, for programs that look for it below /.well-known/.",
	}),
	linkset(),
	textDocument(textMedia, prose.LLMs, api.Endpoint{
		Name: "get_llms_txt", Path: api.LLMsPath, Summary: "Get the map for language models",
		Doc: "Returns llms.txt: what the service is, how to begin, and a link to each document and page with its purpose.",
	}),
	textDocument(textMedia, prose.LLMsFull, api.Endpoint{
		Name: "get_llms_full_txt", Path: profile.LLMsFullPath, Summary: "Get the documentation as one text",
		Doc: "Returns llms-full.txt: the documentation with every endpoint and its inputs in one text for language models. It is long; " +
			"llms.txt is a map of the same.",
	}),
}

// of returns e with what all documents share.
func of(e api.Endpoint) api.Endpoint {
	e.Method, e.Auth, e.Cache = "GET", api.None, cache
	return e
}

// A jsonFile is a document in JSON of the shape of T, already encoded.
type jsonFile[T any] struct{ *api.Document }

// Schema returns the shape of the document.
func (jsonFile[T]) Schema() any {
	var shape T
	return shape
}

// jsonDocument returns the document at e that is the JSON of what render returns.
func jsonDocument[T any](render func(*profile.Profile) T, e api.Endpoint) document {
	path := e.Path
	serve := func(s *Server, _ context.Context, _ struct{}) (jsonFile[T], error) {
		return jsonFile[T]{s.documents[path]}, nil
	}
	return document{api.Bind(serve, of(e)), func(p *profile.Profile) *api.Document { return encoded(jsonMedia, render(p)) }}
}

// textDocument returns the document at e that is the text that render returns.
func textDocument(media string, render func(*profile.Profile) string, e api.Endpoint) document {
	return document{api.Bind(serveText(e.Path), produces(media, e)), func(p *profile.Profile) *api.Document {
		return api.NewDocument(media, []byte(render(p)))
	}}
}

// linkset returns the document of the API catalog, whose media type is not plain JSON.
func linkset() document {
	e := api.Endpoint{
		Name: "get_api_catalog", Path: api.CatalogPath, Summary: "Get the catalog of APIs",
		Doc: "Returns the APIs of this host with the documents about each, as a linkset in JSON (RFC 9727). GET /api/ has more.",
	}
	return document{api.Bind(serveText(e.Path), produces(directory.CatalogMedia, e)), func(p *profile.Profile) *api.Document {
		return encoded(directory.CatalogMedia, directory.Catalog(p))
	}}
}

// serveText returns the handler of the document at a path that is not JSON.
func serveText(path string) func(*Server, context.Context, struct{}) (*api.Document, error) {
	return func(s *Server, _ context.Context, _ struct{}) (*api.Document, error) { return s.documents[path], nil }
}

// produces returns e with what all documents share, and its media type without
// parameters.
func produces(media string, e api.Endpoint) api.Endpoint {
	e.Produces = []string{withoutParameters(media)}
	return of(e)
}

// encoded returns a document with a value as JSON. It panics when the value cannot be
// encoded, which the first test of the documents finds.
func encoded(media string, value any) *api.Document {
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		panic(fmt.Sprintf("describe: %T: %v", value, err))
	}
	return api.NewDocument(media, data)
}

// others are the endpoints of documents that depend on the request or on the time.
var others = []api.Endpoint{
	api.Bind((*Server).bundle, produces(markdownMedia, api.Endpoint{
		Name: "get_knowledge_file", Path: profile.BundlePath + "{file}", Summary: "Get a file of the knowledge bundle", Faults: []*fault.Error{fault.ErrNotFound},
		Doc: "Returns a file of the Open Knowledge Format bundle about the service: index.md, sobre.md (about), api.md or faq.md. The " +
			"index lists the others.",
	})),
	api.Bind((*Server).security, produces(textMedia, api.Endpoint{
		Name: "get_security_txt", Path: api.SecurityPath, Summary: "Get the contact for security reports",
		Doc: "Returns security.txt: where to report a vulnerability, in which languages, and until when that is valid (RFC 9116).",
	})),
	api.Bind((*Server).registryProof, produces(textMedia, api.Endpoint{
		Name: "get_mcp_registry_auth", Path: api.RegistryPath, Summary: "Get the key of the MCP publisher", Faults: []*fault.Error{fault.ErrNotFound},
		Doc: "Returns the public key by which the MCP registry verifies that this host publishes its server. It answers 404 where the " +
			"operator has set none.",
	})),
}

type fileIn struct {
	File string `path:"file" maxLength:"32" description:"Name of the file: index.md, sobre.md, api.md or faq.md."`
}

// bundle returns a file of the knowledge bundle.
func (s *Server) bundle(_ context.Context, in fileIn) (*api.Document, error) {
	if d, ok := s.documents[profile.BundlePath+in.File]; ok {
		return d, nil
	}
	return nil, fault.ErrNotFound
}

// security returns security.txt, which is another one each day.
func (s *Server) security(context.Context, struct{}) (api.Content, error) {
	return text(directory.Security(s.profile, s.now())), nil
}

// registryProof returns the key of the publisher of the MCP server.
func (s *Server) registryProof(context.Context, struct{}) (api.Content, error) {
	if s.registryKey == "" {
		return api.Content{}, fault.ErrNotFound
	}
	return text(directory.RegistryProof(s.registryKey)), nil
}

// text returns a short text with a hash of it as its version.
func text(body string) api.Content {
	sum := sha256.Sum256([]byte(body))
	return api.Content{Type: textMedia, Data: []byte(body), Tag: hex.EncodeToString(sum[:8])}
}

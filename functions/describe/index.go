package describe

import (
	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/price/quota"
)

// An index is the answer of GET /api/: a short map of the API for programs and for
// people who write them.
type index struct {
	Name        string            `json:"name"`
	Description string            `json:"description" description:"The service in one sentence."`
	Locales     []string          `json:"locales" nullable:"false" description:"Languages of labels and messages; the first is the default."`
	Auth        []profile.Mode    `json:"auth" nullable:"false" description:"Credentials that endpoints accept."`
	Docs        map[string]string `json:"docs" nullable:"false" description:"Addresses of the documents and pages about the service, by name; ui is the catalog as pages for people."`
	Endpoints   []entry           `json:"endpoints" nullable:"false" description:"Every endpoint, by path."`
	Quota       quota.Quota       `json:"quota" description:"Free quota of watching, and what is sold beyond it."`
	MCP         *string           `json:"mcp" format:"uri" description:"Address of the MCP server; null until there is one."`
	Quickstart  []profile.Step    `json:"quickstart" nullable:"false" description:"Four calls from nothing to a library, which a program can follow literally."`
}

// An entry is one endpoint.
type entry struct {
	Method  string  `json:"method"`
	Path    string  `json:"path" description:"Path parameters are written :name."`
	Auth    string  `json:"auth" enum:"none,guest,session,operator" description:"Class of the credential that the endpoint asks for."`
	URL     string  `json:"url"`
	Returns string  `json:"returns" description:"The description of the operation: its result, its cost and when not to use it."`
	USD     *string `json:"price_usd" description:"Least price of a call in US dollars; null when calls cost nothing."`
	Tool    *string `json:"tool" description:"Name of the MCP tool; null when the endpoint is not a tool."`
}

// indexOf returns the index of the API, its endpoints sorted by path.
func indexOf(p *profile.Profile) index {
	x := index{
		Name: p.Name, Description: profile.Summary, Locales: []string{}, Auth: p.Modes(), Docs: map[string]string{}, Endpoints: []entry{},
		Quota: p.Quotas(), MCP: textOrNil(p.MCP()), Quickstart: p.Quickstart(),
	}
	for _, l := range i18n.Locales {
		x.Locales = append(x.Locales, l.Tag())
	}
	for _, l := range p.Links() {
		x.Docs[l.Key] = l.URL
	}
	for _, e := range p.Sorted() {
		x.Endpoints = append(x.Endpoints, entryOf(p, e))
	}
	return x
}

// entryOf describes one endpoint.
func entryOf(p *profile.Profile, e api.Endpoint) entry {
	path := profile.Path(e)
	x := entry{Method: e.Method, Path: path, Auth: string(e.Auth), URL: p.URL(path), Returns: e.Doc, USD: textOrNil(profile.LeastPrice(e))}
	if e.Tool {
		x.Tool = &e.Name
	}
	return x
}

func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

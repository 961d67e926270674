// Package profile provides the facts about the service that its documents state.
//
// The index of the API, APIs.json, the agent card, the API catalog, llms.txt and the
// pages of the knowledge bundle are different forms of the same facts: the endpoints,
// the addresses of documents and pages, the credentials, the limits, the prices, and
// the first calls to make. Each fact is stated here once, or comes from the package
// that enforces it. A document that needs something new gets it from a Profile, so
// that no two documents can disagree.
package profile

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/price/quota"
	"miramundo.dev/shared/site"
)

// Summary describes the service in one sentence.
const Summary = "Every TV channel and radio station of the public registers: full-text search, filters, facets and the streams of each, over one JSON API."

// A Profile is what the documents of one installation are computed from.
type Profile struct {
	Name  string         // of the service
	Build string         // short id of the commit
	Base  string         // address of the service, without a trailing slash
	Email string         // of the operator; empty when none is shown
	Table []api.Endpoint // the endpoints of every function on the main host
	Quota quota.Options
}

// URL returns the address of a path of the service.
func (p *Profile) URL(path string) string { return p.Base + path }

// Page returns the address of a page in English, the language of the documents.
func (p *Profile) Page(page site.Page) string { return p.Base + page.Path(i18n.EN, "") }

// Endpoint returns the endpoint with a name, and whether there is one.
func (p *Profile) Endpoint(name string) (api.Endpoint, bool) {
	i := slices.IndexFunc(p.Table, func(e api.Endpoint) bool { return e.Name == name })
	if i < 0 {
		return api.Endpoint{}, false
	}
	return p.Table[i], true
}

// MCP returns the address of the MCP server; empty without one.
func (p *Profile) MCP() string {
	e, ok := p.Endpoint("call_mcp")
	if !ok {
		return ""
	}
	return p.URL(e.Path)
}

// Sorted returns the endpoints sorted by path. Those of one path keep the order of the
// table.
func (p *Profile) Sorted() []api.Endpoint {
	written := map[string]string{} // the path of an endpoint as Path writes it, once for all comparisons
	for _, e := range p.Table {
		written[e.Path] = Path(e)
	}
	return slices.SortedStableFunc(slices.Values(p.Table), func(a, b api.Endpoint) int {
		return strings.Compare(written[a.Path], written[b.Path])
	})
}

// Tools returns the endpoints that agents may call as tools, in the order of the table.
func (p *Profile) Tools() []api.Endpoint {
	return slices.DeleteFunc(slices.Clone(p.Table), func(e api.Endpoint) bool { return !e.Tool })
}

// wildcard matches a path parameter in the notation of the router.
var wildcard = regexp.MustCompile(`\{(\w+)\}`)

// Path returns the path of e with its parameters written :name, as in
// /api/channels/:id.
func Path(e api.Endpoint) string { return wildcard.ReplaceAllString(openapi.Path(e), ":$1") }

// LeastPrice returns the least price of a call of e in US dollars; empty when calls
// cost nothing.
func LeastPrice(e api.Endpoint) string {
	if len(e.Prices) == 0 {
		return ""
	}
	amount := func(a price.Product) price.Amount { return price.Of(a).Amount }
	return amount(slices.MinFunc(e.Prices, func(a, b price.Product) int { return cmp.Compare(amount(a), amount(b)) })).USD()
}

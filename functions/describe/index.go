package describe

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/price/quota"
)

// The index is a short map of the API for programs and for people who write them:
// what each endpoint returns, what it needs and what to call first. It is derived
// from the table of endpoints; only the texts of this file are written by hand.

// An index is the answer of GET /api/.
type index struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Locales     []string    `json:"locales" nullable:"false" description:"Languages of labels and messages; the first is the default."`
	Auth        []authMode  `json:"auth" nullable:"false" description:"Credentials that endpoints accept."`
	Docs        docs        `json:"docs"`
	Endpoints   []entry     `json:"endpoints" nullable:"false"`
	Quota       quota.Quota `json:"quota"`
	MCP         *string     `json:"mcp" description:"Address of the MCP server; null until there is one."`
	Quickstart  []step      `json:"quickstart" nullable:"false" description:"The first calls to make."`
}

// An authMode is a class of credentials with the way to send them.
type authMode struct {
	Mode string `json:"mode"`
	How  string `json:"how"`
}

// docs are the addresses of further descriptions of the service.
type docs struct {
	OpenAPI string `json:"openapi" format:"uri"`
	UI      string `json:"ui" format:"uri" description:"Address of the pages for people."`
}

// An entry is one endpoint.
type entry struct {
	Method  string  `json:"method"`
	Path    string  `json:"path" description:"Path parameters are written :name."`
	Auth    string  `json:"auth" enum:"none,guest,session,operator"`
	URL     string  `json:"url"`
	Returns string  `json:"returns" description:"The description of the operation: its result, its cost and when not to use it."`
	USD     *string `json:"price_usd" description:"Least price of a call in US dollars; null when calls cost nothing."`
	Tool    *string `json:"tool" description:"Name of the MCP tool; null when the endpoint is not a tool."`
}

// A step is an example of a call.
type step struct {
	Does   string `json:"does"`
	Method string `json:"method"`
	URL    string `json:"url" format:"uri"`
}

// modes are the classes of credentials, in the order in which the index lists
// those that some endpoint accepts.
var modes = []struct{ mode, how string }{
	{string(api.None), "No credential."},
	{string(api.Guest), "Guest token in X-Guest-Token or as a bearer token, an API key in X-Api-Key or as a bearer token, or an account session."},
	{string(api.Session), "The account cookie. Writes also send the Origin of the service and X-CSRF-Token from GET /api/auth/bootstrap."},
	{creditMode, "A prepaid credit in X-Credito or as a bearer token: pays for calls."},
	{paymentMode, "A payment by x402 in X-PAYMENT or PAYMENT-SIGNATURE, after the answer 402 of a paid call."},
	{string(api.Operator), "Authorization: Bearer, with the operator's token."},
}

// Modes that are not the class of an endpoint, but pay for a call of any class.
const (
	creditMode  = "credit"
	paymentMode = "payment"
)

// steps are the first calls to make. The index lists those whose
// endpoint is in the table.
var steps = []struct{ does, call, query string }{
	{"Search channels by name.", "search_channels", "?q=news&limit=5"},
	{"List the countries that have channels.", "list_countries", ""},
	{"Search radio stations by genre, most voted first.", "search_channels", "?kind=radio&genre=jazz&sort=votes"},
	{"Read how fresh the catalog is.", "get_health", ""},
}

// describe returns the index of a table. Endpoints are sorted by path; those of
// one path keep the order of the table.
func describe(o Options) index {
	x := index{
		Name: config.Product, Description: about, Locales: []string{}, Auth: []authMode{}, Endpoints: []entry{},
		Docs:       docs{OpenAPI: o.BaseURL + api.DescriptionPath, UI: o.BaseURL + "/"},
		Quota:      quota.Of(o.Quota),
		Quickstart: []step{},
	}
	for _, l := range i18n.Locales {
		x.Locales = append(x.Locales, l.Tag())
	}
	auth, named := map[string]bool{}, map[string]entry{}
	for _, e := range o.Table {
		one := entryOf(o.BaseURL, e)
		x.Endpoints = append(x.Endpoints, one)
		auth[one.Auth], named[e.Name] = true, one
		auth[paymentMode] = auth[paymentMode] || len(e.Prices) > 0
		auth[creditMode] = auth[creditMode] || e.Credit || len(e.Prices) > 0
	}
	slices.SortStableFunc(x.Endpoints, func(a, b entry) int { return strings.Compare(a.Path, b.Path) })
	for _, m := range modes {
		if auth[m.mode] {
			x.Auth = append(x.Auth, authMode{m.mode, m.how})
		}
	}
	for _, s := range steps {
		if e, ok := named[s.call]; ok {
			x.Quickstart = append(x.Quickstart, step{s.does, e.Method, e.URL + s.query})
		}
	}
	return x
}

// wildcard matches a path parameter in the notation of the router.
var wildcard = regexp.MustCompile(`\{(\w+)\}`)

// entryOf describes one endpoint, its path in the notation of the interface.
func entryOf(base string, e api.Endpoint) entry {
	path := wildcard.ReplaceAllString(openapi.Path(e), ":$1")
	x := entry{Method: e.Method, Path: path, Auth: string(e.Auth), URL: base + path, Returns: e.Doc}
	if e.Tool {
		x.Tool = &e.Name
	}
	if len(e.Prices) > 0 {
		least := slices.MinFunc(e.Prices, func(a, b price.Product) int { return cmp.Compare(price.Of(a).Amount, price.Of(b).Amount) })
		usd := price.Of(least).Amount.USD()
		x.USD = &usd
	}
	return x
}

package profile

import (
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/price/quota"
	"miramundo.dev/shared/site"
)

// Paths of the documents that have no other home.
const (
	IndexPath    = catalog.IndexPath
	APIsPath     = "/apis.json"
	AgentPath    = "/agent.json"
	LLMsFullPath = "/llms-full.txt"
	BundlePath   = "/okf/" // of the knowledge bundle; a file name follows
)

// A Relation says how a document relates to the API, in the terms of RFC 8631 and
// RFC 9727.
type Relation string

// Relations.
const (
	Describes Relation = "service-desc" // for programs
	Documents Relation = "service-doc"  // for people
	Meta      Relation = "service-meta" // further facts about the API
	Status    Relation = "status"       // whether it works
)

// A Section is where llms.txt lists a document. Readers with little room skip the
// section Optional.
type Section string

// Sections, in the order of llms.txt.
const (
	API      Section = "API"
	Reading  Section = "Documents"
	Pages    Section = "Pages"
	Optional Section = "Optional"
)

// A Link is a document or a page about the service.
type Link struct {
	Key      string // the name of the link in the index of the API
	Title    string
	URL      string
	Media    string
	Note     string   // what it contains, as one sentence without its period
	Relation Relation // to the API; empty for none
	Property string   // type of the link in APIs.json: from its closed list, or beginning with X-
	Section  Section
}

const (
	jsonMedia = "application/json"
	htmlMedia = "text/html"
)

// A document is a link without what the table has: its address and media type.
type document struct {
	key, title, path, note string
	relation               Relation
	property               string
	section                Section
}

// documents are the documents that an installation may have.
var documents = []document{
	{"index", "Index of the API", IndexPath, "Every endpoint in a few words, the credentials, the free quota, and four calls from nothing to a library", Meta, "GettingStarted", API},
	{"openapi", "OpenAPI", api.DescriptionPath, "Every operation with its inputs, results and failures, as OpenAPI 3.1", Describes, "OpenAPI", API},
	{"openapi_operator", "OpenAPI for operators", api.OperatorDescriptionPath, "The endpoints that need a token of the operator, as OpenAPI 3.1", "", "X-Operator-OpenAPI", Optional},
	{"mcp", "MCP server", api.MCPPath, "The tools of the API over Streamable HTTP; GET returns the server card", "", "X-MCP", API},
	{"pricing", "Prices", quota.ListPath, "What is free of charge with its limits, what is sold at which price, and how to pay", Meta, "Pricing", API},
	{"billing", "Settings of payments", quota.LivePath, "The prices in force, the network and receiver of payments, and the caps of libraries", Meta, "X-Billing", API},
	{"payments", "Payment manifest", api.PaymentsPath, "Every route that charges, with the terms of x402", Meta, "X-X402", Optional},
	{"health", "Health", api.HealthPath, "Whether the service answers, and how old the catalog is", Status, "StatusPage", API},
	{"llms", "llms.txt", api.LLMsPath, "A short map of the service for language models", Meta, "X-LLMs-txt", Optional},
	{"llms_full", "llms-full.txt", LLMsFullPath, "The whole documentation in one text for language models", Meta, "X-LLMs-full-txt", Reading},
	{"okf", "Knowledge bundle", BundlePath + "index.md", "What the service is, how to use the API, and short answers, as an Open Knowledge Format bundle", Meta, "X-OKF", Reading},
	{"apis_json", "APIs.json", APIsPath, "The service as directories of APIs read it", Meta, "X-APIs-json", Optional},
	{"agent_card", "Agent card", api.AgentCardPath, "What agents can do with the service, one skill for each tool", Meta, "X-Agent-Card", Optional},
	{"api_catalog", "API catalog", api.CatalogPath, "The APIs of this host as a linkset (RFC 9727)", Meta, "X-API-Catalog", Optional},
	{"security", "security.txt", api.SecurityPath, "Where to report a vulnerability (RFC 9116)", Meta, "Security", Optional},
}

// A pageLink is a page that documents link to.
type pageLink struct {
	Link
	page site.Page
}

// pages are the pages that documents link to.
var pages = []pageLink{
	{Link{Key: "api_reference", Title: "API reference", Note: "Every operation with examples to run, for people who write programs", Relation: Documents, Property: "Documentation"}, site.Reference},
	{Link{Key: "guide", Title: "How to use it", Note: "Searching, playing, keeping a library and using it in players", Relation: Documents, Property: "Documentation"}, site.Guide},
	{Link{Key: "about", Title: "Sources and licences", Note: "Where the data comes from, how fresh it is, and how to have something removed", Property: "X-Sources"}, site.About},
	{Link{Key: "countries", Title: "Countries", Note: "Every country that has channels", Property: "X-Countries"}, site.Countries},
	{Link{Key: "producers", Title: "For producers", Note: "What is offered to those who make programmes", Property: "X-Producers"}, site.Producers},
	{Link{Key: "partners", Title: "For partners", Note: "Sponsorship, partnership and advertising", Property: "X-Partners"}, site.Partners},
	{Link{Key: "contact", Title: "Contact", Note: "The form by which people write to the operator", Property: "Contact"}, site.Contact},
}

// Links returns the documents and pages that this installation has, in the order in
// which documents list them. The pages are those in English; Key "ui" is the first page
// in the default language.
func (p *Profile) Links() []Link {
	var all []Link
	for _, d := range documents {
		e, ok := p.serving(d.path)
		if !ok {
			continue
		}
		l := Link{Key: d.key, Title: d.title, URL: p.URL(d.path), Media: jsonMedia, Note: d.note, Relation: d.relation, Property: d.property, Section: d.section}
		if len(e.Produces) > 0 {
			l.Media = e.Produces[0]
		}
		all = append(all, l)
	}
	all = append(all, Link{
		Key: "ui", Title: "Catalog", URL: p.URL(site.Home.Path(i18n.PT, "")), Media: htmlMedia, Section: Pages, Property: "X-Website",
		Note: "The channels as pages for people, in Portuguese; the other languages are below /en, /es, /fr and /de",
	})
	for _, d := range pages {
		d.URL, d.Media, d.Section = p.Page(d.page), htmlMedia, Pages
		all = append(all, d.Link)
	}
	return all
}

// Find returns the link with a key, and whether this installation has it.
func (p *Profile) Find(key string) (Link, bool) {
	for _, l := range p.Links() {
		if l.Key == key {
			return l, true
		}
	}
	return Link{}, false
}

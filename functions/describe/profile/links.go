package profile

import (
	"strings"

	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
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

// BundleIndex is the file of the knowledge bundle that lists the others.
const BundleIndex = "index.md"

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

// A document is a link without what the table has: its address and media type. endpoint
// is the name of the endpoint that serves it.
type document struct {
	key, title, endpoint, note string
	relation                   Relation
	property                   string
	section                    Section
}

// documents are the documents that an installation may have.
var documents = []document{
	{"index", "Index of the API", "get_api_index", "Every endpoint in a few words, the credentials, the free quota, and four calls from nothing to a library", Meta, "GettingStarted", API},
	{"openapi", "OpenAPI", "get_openapi", "Every operation with its inputs, results and failures, as OpenAPI 3.1", Describes, "OpenAPI", API},
	{"openapi_operator", "OpenAPI for operators", "get_operator_openapi", "The endpoints that need a token of the operator, as OpenAPI 3.1", "", "X-Operator-OpenAPI", Optional},
	{"mcp", "MCP server", "get_mcp_card", "The tools of the API over Streamable HTTP; GET returns the server card", "", "X-MCP", API},
	{"pricing", "Prices", "get_pricing", "What is free of charge with its limits, what is sold at which price, and how to pay", Meta, "Pricing", API},
	{"billing", "Settings of payments", "get_billing", "The prices in force, the network and receiver of payments, and the caps of libraries", Meta, "X-Billing", API},
	{"payments", "Payment manifest", "get_payment_manifest", "Every route that charges, with the terms of x402", Meta, "X-X402", Optional},
	{"health", "Health", "get_health", "Whether the service answers, and how old the catalog is", Status, "StatusPage", API},
	{"changes", "Changes of the catalog", "list_changes", "What was added, changed and removed between releases, for programs that keep a copy", Meta, "X-Changes", API},
	{"changes_feed", "Changes as a feed", "get_changes_feed", "The last changes of the catalog as an Atom feed", Meta, "ChangeLog", Optional},
	{"dumps", "Dumps of the catalog", "list_dumps", "The whole catalog as files with checksums, made each night: nobody needs to crawl", Meta, "X-Dumps", API},
	{"oembed", "oEmbed", "get_oembed", "The player of a channel for the address of its page, for programs that show previews of links", "", "X-oEmbed", Optional},
	{"radio_browser", "radio-browser", "list_radio_browser_servers", "Radio stations in the paths and formats of radio-browser, for its clients: change the host name", "", "X-radio-browser", Optional},
	{"public_numbers", "Numbers of the service", "get_public_numbers", "How much the service is used, by people and by programs, rounded", Meta, "X-Numbers", Optional},
	{"takedowns", "Takedown requests", "list_takedowns", "What rights holders asked for and what was decided, without names", Meta, "X-Takedowns", Optional},
	{"llms", "llms.txt", "get_llms_txt", "A short map of the service for language models", Meta, "X-LLMs-txt", Optional},
	{"llms_full", "llms-full.txt", "get_llms_full_txt", "The whole documentation in one text for language models", Meta, "X-LLMs-full-txt", Reading},
	{"okf", "Knowledge bundle", "get_knowledge_file", "What the service is, how to use the API, and short answers, as an Open Knowledge Format bundle", Meta, "X-OKF", Reading},
	{"apis_json", "APIs.json", "get_apis_json", "The service as directories of APIs read it", Meta, "X-APIs-json", Optional},
	{"agent_card", "Agent card", "get_well_known_agent_card", "What agents can do with the service, one skill for each tool", Meta, "X-Agent-Card", Optional},
	{"api_catalog", "API catalog", "get_api_catalog", "The APIs of this host as a linkset (RFC 9727)", Meta, "X-API-Catalog", Optional},
	{"security", "security.txt", "get_security_txt", "Where to report a vulnerability (RFC 9116)", Meta, "Security", Optional},
}

// A pageLink is a page that documents link to.
type pageLink struct {
	Link
	page site.Page
}

// pages are the pages that documents link to.
var pages = []pageLink{
	{Link{Key: "api_reference", Title: "API reference", Note: "Every operation with examples to run, for people who write programs", Relation: Documents, Property: "Documentation"}, site.Reference},
	{Link{Key: "build", Title: "Build on it", Note: "First steps in curl, JavaScript, Python and Go, each run as shown by a test", Relation: Documents, Property: "Documentation"}, site.Build},
	{Link{Key: "guide", Title: "How to use it", Note: "Searching, playing, keeping a library and using it in players", Relation: Documents, Property: "Documentation"}, site.Guide},
	{Link{Key: "about", Title: "Sources and licences", Note: "Where the data comes from, how fresh it is, and how to have something removed", Property: "X-Sources"}, site.About},
	{Link{Key: "numbers", Title: "Public numbers", Note: "How much the service is used, with charts, for people", Property: "X-Numbers-Page"}, site.Numbers},
	{Link{Key: "countries", Title: "Countries", Note: "Every country that has channels", Property: "X-Countries"}, site.Countries},
	{Link{Key: "producers", Title: "For producers", Note: "What is offered to those who make programmes", Property: "X-Producers"}, site.Producers},
	{Link{Key: "partners", Title: "For partners", Note: "Sponsorship, partnership and advertising", Property: "X-Partners"}, site.Partners},
	{Link{Key: "takedown", Title: "Takedown", Note: "The form by which rights holders have something removed, and counter-notices", Property: "X-Takedown"}, site.Takedown},
	{Link{Key: "transparency", Title: "Transparency log", Note: "Takedown requests and decisions, without names, for people", Property: "X-Transparency"}, site.Transparency},
	{Link{Key: "contact", Title: "Contact", Note: "The form by which people write to the operator", Property: "Contact"}, site.Contact},
}

// Links returns the documents and pages that this installation has, in the order in
// which documents list them. The pages are those in English; Key "ui" is the first page
// in the default language.
func (p *Profile) Links() []Link {
	var all []Link
	for _, d := range documents {
		e, ok := p.Endpoint(d.endpoint)
		if !ok {
			continue
		}
		path := strings.ReplaceAll(openapi.Path(e), "{file}", BundleIndex)
		l := Link{Key: d.key, Title: d.title, URL: p.URL(path), Media: jsonMedia, Note: d.note, Relation: d.relation, Property: d.property, Section: d.section}
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

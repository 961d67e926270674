package functions

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/apitest"
)

// No validator of these documents is on npm, so the rules of their specifications are
// checked here. A checker returns what is wrong with a document.

// A checked is a document with its media type and the rules that it must follow.
type checked struct {
	path, media string
	check       func(body string) []string
}

// checkedDocuments are the documents with a specification.
var checkedDocuments = []checked{
	{profile.APIsPath, "application/json; charset=utf-8", checkAPIs},
	{api.APIsPath, "application/json; charset=utf-8", checkAPIs},
	{api.CatalogPath, `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`, checkLinkset},
	{api.SecurityPath, "text/plain; charset=utf-8", checkSecurity},
	{api.RegistryPath, "text/plain; charset=utf-8", checkRegistryProof},
	{profile.AgentPath, "application/json; charset=utf-8", checkCard},
	{api.AgentCardPath, "application/json; charset=utf-8", checkCard},
	{api.LLMsPath, "text/plain; charset=utf-8", checkLLMs},
	{profile.LLMsFullPath, "text/plain; charset=utf-8", checkTitle},
	{profile.BundlePath + "index.md", "text/markdown; charset=utf-8", checkBundleIndex},
	{profile.BundlePath + "sobre.md", "text/markdown; charset=utf-8", checkConcept},
	{profile.BundlePath + "api.md", "text/markdown; charset=utf-8", checkConcept},
	{profile.BundlePath + "faq.md", "text/markdown; charset=utf-8", checkConcept},
}

// TestDocuments holds every document to its specification.
func TestDocuments(t *testing.T) {
	h := mux(t, deps(t, openEmbedded(t), fixture))
	for _, c := range checkedDocuments {
		answer, body := apitest.Do(t, h, "GET", c.path, "")
		if got := answer.Header.Get("Content-Type"); got != c.media {
			t.Errorf("%s is %s, want %s", c.path, got, c.media)
		}
		if answer.Header.Get("Access-Control-Allow-Origin") != "*" || answer.Header.Get("Etag") == "" {
			t.Errorf("%s must be readable by scripts of any origin, and have a version: %v", c.path, answer.Header)
		}
		for _, problem := range c.check(body) {
			t.Errorf("%s: %s", c.path, problem)
		}
		if head, rest := apitest.Do(t, h, "HEAD", c.path, ""); head.StatusCode != answer.StatusCode || rest != "" || head.Header.Get("Etag") != answer.Header.Get("Etag") {
			t.Errorf("HEAD %s answers %d, %q", c.path, head.StatusCode, rest)
		}
	}
}

// TestCheckers checks that a checker finds each mistake in a document that it accepts
// otherwise.
func TestCheckers(t *testing.T) {
	h := mux(t, deps(t, openEmbedded(t), fixture))
	for _, test := range []struct{ path, from, to string }{
		{profile.APIsPath, `"maintainers": [`, `"keepers": [`},
		{profile.APIsPath, `"type": "OpenAPI"`, `"type": "LLMsTxt"`},
		{profile.APIsPath, `"humanURL"`, `"humanUrl"`},
		{profile.APIsPath, `"type": "Index"`, `"type": "List"`},
		{profile.APIsPath, `"FN"`, `"fn"`},
		{profile.APIsPath, `"0.19"`, `"0.23"`},
		{api.CatalogPath, `"anchor"`, `"Anchor"`},
		{api.CatalogPath, `"item"`, `"items"`},
		{api.CatalogPath, `"href": "https`, `"href": "`},
		{api.SecurityPath, "Contact: mailto:", "Contact: "},
		{api.SecurityPath, "Expires: 2027", "Expires: 2029"},
		{api.SecurityPath, "Expires: 2027", "Expires: 2025"},
		{api.SecurityPath, "Preferred", "Expires: 2027-01-01T00:00:00Z\nPreferred"},
		{api.SecurityPath, "Canonical: https:", "Canonical: http:"},
		{api.RegistryPath, "k=ed25519", "k=rsa"},
		{api.RegistryPath, "p=11qY", "p="},
		{profile.AgentPath, `"protocol": "mcp"`, `"protocol": "a2a"`},
		{profile.AgentPath, `"organization"`, `"organisation"`},
		{profile.AgentPath, `"id": "search_channels"`, `"id": "get_channel"`},
		{api.LLMsPath, "# Miramundo", "Miramundo"},
		{api.LLMsPath, "> Every", "Every"},
		{api.LLMsPath, "- [", "- "},
		{profile.BundlePath + "index.md", `okf_version: "0.1"`, "title: Bundle"},
		{profile.BundlePath + "index.md", "* [API](api.md) - ", "* API "},
		{profile.BundlePath + "faq.md", "type: Reference", "type:"},
		{profile.BundlePath + "faq.md", "---\ntype", "type"},
	} {
		i := slices.IndexFunc(checkedDocuments, func(c checked) bool { return c.path == test.path })
		_, body := apitest.Do(t, h, "GET", test.path, "")
		broken := strings.Replace(body, test.from, test.to, 1)
		if broken == body {
			t.Errorf("%s does not have %q", test.path, test.from)
		} else if len(checkedDocuments[i].check(broken)) == 0 {
			t.Errorf("%s with %q in place of %q passes", test.path, test.to, test.from)
		}
	}
}

// A tree is a document in JSON, with what is wrong with it.
type tree struct {
	members  map[string]any
	problems []string
}

func parseTree(body string) *tree {
	x := &tree{}
	if err := json.Unmarshal([]byte(body), &x.members); err != nil {
		x.fail("%v", err)
	}
	return x
}

func (x *tree) fail(format string, args ...any) {
	x.problems = append(x.problems, fmt.Sprintf(format, args...))
}

// need reports the members of an object that are missing or empty.
func (x *tree) need(where string, object map[string]any, names ...string) {
	for _, name := range names {
		switch v := object[name].(type) {
		case nil:
			x.fail("%s has no %s", where, name)
		case string:
			if v == "" {
				x.fail("%s has an empty %s", where, name)
			}
		}
	}
}

// objects returns the objects of a list.
func objects(list any) (all []map[string]any) {
	items, _ := list.([]any)
	for _, item := range items {
		object, _ := item.(map[string]any)
		all = append(all, object)
	}
	return all
}

// isURI reports whether a value is an absolute address.
func isURI(v any) bool {
	text, _ := v.(string)
	u, err := url.Parse(text)
	return err == nil && u.Scheme != "" && (u.Host != "" || u.Opaque != "")
}

// propertyTypes are the types of properties that APIs.json 0.19 has.
var propertyTypes = regexp.MustCompile(`^(Swagger|OpenAPI|JSONSchema|GraphQLSchema|PostmanCollection|PostmanWorkspace|AsyncAPI|RAML|Blueprint|WADL|WSDL|` +
	`GettingStarted|Documentation|Authentication|Versioning|Signup|Login|TermsOfService|InterfaceLicense|PrivacyPolicy|DeprecationPolicy|` +
	`ServiceLevelAgreement|Security|SDKs|StatusPage|Pricing|RateLimits|Blog|BlogFeed|Forums|Support|ChangeLog|RoadMap|Contact|ErrorCodes|GitHubOrg|` +
	`GitHubRepo|Twitter|AlertsTwitterHandle|Webhooks|Integrations|OpenAIPluginManifest|X-[A-Za-z0-9\-]*)$`)

// apisMembers are the members that the schema of APIs.json 0.19 allows at the top.
var apisMembers = strings.Fields(`aid type position access name description url image created modified specificationVersion apis maintainers tags
	include common overlays network`)

// checkAPIs checks an APIs.json document by the text and the schema of version 0.19.
func checkAPIs(body string) []string {
	x := parseTree(body)
	top := x.members
	x.need("the document", top, "aid", "name", "description", "url", "apis", "maintainers", "tags", "created", "modified", "specificationVersion")
	for name := range top {
		if !slices.Contains(apisMembers, name) && !strings.HasPrefix(name, "X-") {
			x.fail("the member %s is not allowed", name)
		}
	}
	if top["type"] != "Index" || top["position"] != "Producing" || top["access"] != "3rd-Party" || top["specificationVersion"] != "0.19" {
		x.fail("type, position, access or version: %v, %v, %v, %v", top["type"], top["position"], top["access"], top["specificationVersion"])
	}
	if name, _ := top["name"].(string); len(name) < 3 || len(name) > 50 || !isURI(top["url"]) {
		x.fail("the name is %v and the address %v", top["name"], top["url"])
	}
	for _, m := range objects(top["maintainers"]) {
		x.need("a maintainer", m, "FN")
	}
	x.checkProperties("common", top["common"])
	for _, a := range objects(top["apis"]) {
		where := fmt.Sprint(a["name"])
		x.need(where, a, "name", "description", "image", "baseURL", "humanURL", "properties")
		x.checkProperties(where, a["properties"])
		for _, c := range objects(a["contact"]) {
			x.need("a contact", c, "FN")
		}
	}
	return x.problems
}

// checkProperties checks a list of properties of APIs.json.
func (x *tree) checkProperties(where string, list any) {
	for _, p := range objects(list) {
		kind, _ := p["type"].(string)
		description, _ := p["description"].(string)
		if !propertyTypes.MatchString(kind) || !isURI(p["url"]) || len(description) < 5 {
			x.fail("%s has the property %v", where, p)
		}
	}
}

// checkLinkset checks an API catalog: a linkset (RFC 9264) whose anchor is the catalog,
// with an item for each API (RFC 9727).
func checkLinkset(body string) []string {
	x := parseTree(body)
	contexts := objects(x.members["linkset"])
	if len(contexts) < 2 || len(x.members) != 1 || len(objects(contexts[0]["item"])) == 0 {
		x.fail("the linkset must have the items of the catalog, and the links of each")
	}
	for _, c := range contexts {
		if !isURI(c["anchor"]) {
			x.fail("the anchor %v is not an address", c["anchor"])
		}
		for relation, targets := range c {
			for _, target := range objects(targets) {
				if !isURI(target["href"]) {
					x.fail("the relation %s has the target %v", relation, target)
				}
			}
			if !slices.Contains([]string{"anchor", "item", "service-desc", "service-doc", "service-meta", "status"}, relation) {
				x.fail("the relation %s is not registered for catalogs", relation)
			}
		}
	}
	return x.problems
}

// checkSecurity checks security.txt (RFC 9116) at noon.
func checkSecurity(body string) []string {
	x := &tree{}
	count := map[string]int{}
	for line := range strings.Lines(body) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok {
			x.fail("the line %q has no field", line)
		}
		count[name]++
		switch name {
		case "Contact":
			if !regexp.MustCompile(`^(mailto:[^@]+@[^@]+|https://.+|tel:.+)$`).MatchString(value) {
				x.fail("the contact is %s", value)
			}
		case "Canonical":
			if !strings.HasPrefix(value, "https://") {
				x.fail("the address %s must be https", value)
			}
		case "Expires":
			at, err := time.Parse(time.RFC3339, value)
			if err != nil || !at.After(noon) || !at.Before(noon.AddDate(1, 0, 0)) {
				x.fail("it expires at %s, %v", value, err)
			}
		}
	}
	if count["Contact"] == 0 || count["Expires"] != 1 || count["Preferred-Languages"] > 1 {
		x.fail("it needs a contact, exactly one date of expiry and at most one line of languages: %v", count)
	}
	return x.problems
}

// checkRegistryProof checks the line that the MCP registry reads.
func checkRegistryProof(body string) []string {
	m := regexp.MustCompile(`^v=MCPv1; k=ed25519; p=(\S+)\n$`).FindStringSubmatch(body)
	if m == nil {
		return []string{"the line is " + body}
	}
	if key, err := base64.StdEncoding.DecodeString(m[1]); err != nil || len(key) != 32 {
		return []string{fmt.Sprintf("the key has %d bytes, %v", len(key), err)}
	}
	return nil
}

// checkCard checks an agent card: the members of the interface, and those of A2A that
// apply. Ids of skills differ.
func checkCard(body string) []string {
	x := parseTree(body)
	x.need("the card", x.members, "name", "description", "version", "url", "protocol", "provider", "interfaces", "skills", "capabilities", "defaultInputModes", "defaultOutputModes")
	provider, _ := x.members["provider"].(map[string]any)
	x.need("the provider", provider, "organization", "url")
	if x.members["protocol"] != "mcp" || x.members["protocolVersion"] != nil {
		x.fail("the protocol is %v, version %v", x.members["protocol"], x.members["protocolVersion"])
	}
	seen := map[any]bool{}
	for _, s := range objects(x.members["skills"]) {
		x.need("a skill", s, "id", "name", "description", "tags")
		if seen[s["id"]] {
			x.fail("two skills are called %v", s["id"])
		}
		seen[s["id"]] = true
	}
	for _, f := range objects(x.members["interfaces"]) {
		if !isURI(f["url"]) {
			x.fail("an interface has the address %v", f["url"])
		}
	}
	return x.problems
}

// checkTitle checks that a text begins with a title and a summary, as llms.txt does.
func checkTitle(body string) []string {
	if !regexp.MustCompile(`^# \S.*\n\n> \S.*\n\n`).MatchString(body) {
		return []string{"it must begin with a heading and a summary in a block quote"}
	}
	return nil
}

// checkLLMs checks the order of llms.txt: the title, the summary, text without headings,
// and then sections that are lists of links.
func checkLLMs(body string) []string {
	x := &tree{problems: checkTitle(body)}
	section := ""
	for line := range strings.Lines(body[strings.IndexByte(body, '\n')+1:]) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "## "):
			section = line
		case strings.HasPrefix(line, "#"):
			x.fail("only headings of the second level may follow the title: %s", line)
		case section != "" && line != "" && !regexp.MustCompile(`^- \[[^\]]+\]\(https://[^)]+\): \S`).MatchString(line):
			x.fail("the section %s has the line %s", section, line)
		}
	}
	if section == "" {
		x.fail("it has no sections")
	}
	return x.problems
}

// frontMatter returns the front matter of a Markdown file by its keys, and the rest.
func frontMatter(body string) (map[string]string, string) {
	rest, ok := strings.CutPrefix(body, "---\n")
	head, rest, closed := strings.Cut(rest, "\n---\n")
	if !ok || !closed {
		return nil, body
	}
	keys := map[string]string{}
	for line := range strings.SplitSeq(head, "\n") {
		name, value, _ := strings.Cut(line, ":")
		keys[name] = strings.TrimSpace(value)
	}
	return keys, rest
}

// checkConcept checks a file of a knowledge bundle (Open Knowledge Format 0.1).
func checkConcept(body string) []string {
	keys, rest := frontMatter(body)
	x := &tree{}
	for _, name := range []string{"type", "title", "description", "resource", "tags", "timestamp"} {
		if keys[name] == "" {
			x.fail("the front matter has no %s", name)
		}
	}
	if _, err := time.Parse(time.RFC3339, keys["timestamp"]); err != nil || !isURI(keys["resource"]) {
		x.fail("the time is %s and the address %s", keys["timestamp"], keys["resource"])
	}
	if !strings.Contains(rest, "\n# ") {
		x.fail("it has no headings")
	}
	return x.problems
}

// checkBundleIndex checks the index of a knowledge bundle: front matter with the version
// alone, and headings with lists of links.
func checkBundleIndex(body string) []string {
	keys, rest := frontMatter(body)
	x := &tree{}
	if len(keys) != 1 || keys["okf_version"] != `"0.1"` {
		x.fail("the front matter is %v", keys)
	}
	entries := regexp.MustCompile(`(?m)^\* \[[^\]]+\]\([a-z]+\.md\) - \S.*$`).FindAllString(rest, -1)
	if len(entries) != 3 {
		x.fail("it lists %q", entries)
	}
	return x.problems
}

// Package prose renders the documents about the service that language models read: the
// knowledge bundle (Open Knowledge Format v0.1), llms.txt and llms-full.txt.
//
// Their sentences are in the templates pages/*.md; every address, endpoint, limit and
// price in them comes from a [profile.Profile]. The documents are in English.
package prose

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/budget"
)

//go:embed pages/*.md
var files embed.FS

// revised is when the sentences of the templates last changed.
const revised = "2026-11-23T00:00:00Z"

// okfVersion is the version of the Open Knowledge Format that the bundle follows.
const okfVersion = "0.1"

// A concept is a file of the bundle, besides its index.
type concept struct {
	file, title, description, tags string
}

// concepts are the files of the bundle, in the order of its index. Their names are part
// of the contract.
var concepts = []concept{
	{"sobre.md", "About", "What the catalog is, where its data comes from, and its limits.", "tv, radio, catalog"},
	{"api.md", "API", "The HTTP routes, the credentials, the limits, and four calls from nothing to a library.", "api, http, mcp"},
	{"faq.md", "FAQ", "Short answers to common questions.", "help"},
}

// Bundle returns the files of the knowledge bundle by their names.
func Bundle(p *profile.Profile) map[string]string {
	var index strings.Builder
	fmt.Fprintf(&index, "---\nokf_version: %q\n---\n\n# %s\n\n%s\n\n", okfVersion, p.Name, profile.Summary)
	all := map[string]string{}
	for _, c := range concepts {
		fmt.Fprintf(&index, "* [%s](%s) - %s\n", c.title, c.file, c.description)
		all[c.file] = fmt.Sprintf("---\ntype: Reference\ntitle: %s\ndescription: %s\nresource: %s\ntags: [%s]\ntimestamp: %s\n---\n\n%s",
			c.title, c.description, p.URL(profile.BundlePath+c.file), c.tags, revised, body(p, c.file))
	}
	all[profile.BundleIndex] = index.String()
	return all
}

// LLMs returns llms.txt: the name, the summary, what to know first, and the links to
// everything else.
func LLMs(p *profile.Profile) string {
	var b strings.Builder
	b.WriteString(opening(p))
	for _, s := range []profile.Section{profile.API, profile.Reading, profile.Pages, profile.Optional} {
		fmt.Fprintf(&b, "\n## %s\n\n", s)
		for _, l := range p.Links() {
			if l.Section == s {
				fmt.Fprintf(&b, "- [%s](%s): %s\n", l.Title, l.URL, l.Note)
			}
		}
	}
	return b.String()
}

// LLMsFull returns llms-full.txt: the pages of the bundle in one text, followed by every
// endpoint with its description and its inputs.
func LLMsFull(p *profile.Profile) string {
	var b strings.Builder
	b.WriteString(opening(p))
	for _, c := range concepts {
		b.WriteString("\n" + body(p, c.file))
	}
	b.WriteString("\n# Every endpoint\n")
	for _, e := range public(p) {
		writeEndpoint(&b, e)
	}
	return b.String()
}

// public returns the endpoints that callers without the operator's token may call, sorted
// by path, without those that are retired.
func public(p *profile.Profile) []api.Endpoint {
	return slices.DeleteFunc(p.Sorted(), func(e api.Endpoint) bool { return e.Auth == api.Operator || e.Deprecated })
}

// opening returns the title, the summary, and how to begin.
func opening(p *profile.Profile) string { return body(p, "opening.md") }

// writeEndpoint writes an endpoint with everything that a caller must know to call it.
func writeEndpoint(b *strings.Builder, e api.Endpoint) {
	fmt.Fprintf(b, "\n## %s %s\n\n%s. %s\n\n", e.Method, profile.Path(e), e.Summary, e.Doc)
	fmt.Fprintf(b, "- Credential: %s\n", e.Auth)
	if usd := profile.LeastPrice(e); usd != "" {
		fmt.Fprintf(b, "- Price: from %s USD\n", usd)
	}
	if e.Tool {
		fmt.Fprintf(b, "- Tool: %s\n", e.Name)
	}
	for _, in := range e.Params() {
		fmt.Fprintf(b, "- %s `%s` (%s", in.In, in.Name, in.Type)
		if in.Required {
			b.WriteString(", required")
		}
		if in.Default != "" {
			fmt.Fprintf(b, ", default %s", in.Default)
		}
		if len(in.Enum) > 0 {
			fmt.Fprintf(b, ", one of %s", strings.Join(in.Enum, ", "))
		}
		b.WriteString(")")
		if in.Doc != "" {
			fmt.Fprintf(b, ": %s", in.Doc)
		}
		b.WriteString("\n")
	}
}

// A sheet is what the templates refer to.
type sheet struct {
	*profile.Profile
	limits map[string]int
}

// Limit returns the bound with a key as text; an error for a key without one.
func (s sheet) Limit(key string) (string, error) {
	n, ok := s.limits[key]
	if !ok {
		return "", fmt.Errorf("the limit %q is not known", key)
	}
	return strconv.Itoa(n), nil
}

// Link returns the address of the document with a key; empty when the installation does
// not have it.
func (s sheet) Link(key string) string {
	l, _ := s.Find(key)
	return l.URL
}

// Call returns the method and address of the endpoint with a name; empty without one.
func (s sheet) Call(name string) string {
	e, ok := s.Endpoint(name)
	if !ok {
		return ""
	}
	return e.Method + " " + s.URL(profile.Path(e))
}

// Summary returns the sentence about the service.
func (s sheet) Summary() string { return profile.Summary }

// Terms and WireNames return the glossary.
func (s sheet) Terms() []profile.Word     { return profile.Terms }
func (s sheet) WireNames() []profile.Word { return profile.WireNames }

// Public returns the endpoints that anyone may call.
func (s sheet) Public() []api.Endpoint { return public(s.Profile) }

// Writes returns how many writes a caller may make.
func (s sheet) Writes() string { return budget.Writes.Owner.String() }

// Path returns the path of an endpoint with its parameters written :name.
func (s sheet) Path(e api.Endpoint) string { return profile.Path(e) }

var pages = template.Must(template.New("").Option("missingkey=error").ParseFS(files, "pages/*.md"))

// body returns a page without front matter. It panics when the template refers to a
// fact that does not exist, which any test that renders the page finds.
func body(p *profile.Profile, file string) string {
	s := sheet{p, map[string]int{}}
	for _, l := range p.Limits() {
		s.limits[l.Key] = l.Max
	}
	var b strings.Builder
	if err := pages.ExecuteTemplate(&b, file, s); err != nil {
		panic(fmt.Sprintf("prose: %v", err))
	}
	return b.String()
}

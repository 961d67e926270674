// Package build serves the page of examples of how to use the API.
//
// The examples are whole programs, in _snippets a folder for each task: the page shows them as they
// are, with the address of the service in the place of that of the local stack, and
// `make test-snippets` runs what the page shows. Of ./... the go command leaves
// them out by the first letter of the folder: they are no part of the service.
package build

import (
	"context"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Endpoints are the page in every locale.
var Endpoints = page.Endpoints(site.Build, "Show examples of the API",
	"Returns the page of examples in curl, JavaScript, Python and Go: searching, keeping channels in a library, playing, and connecting an agent.", (*Server).build)

//go:embed _snippets
var files embed.FS

// local is the base URL in the files: where the local stack is unless it is asked for
// elsewhere.
const local = "http://127.0.0.1:8787"

// tasks are the parts of the page, in their order: the names of their folders and
// files, and the first parts of the keys of their texts.
var tasks = []string{"search", "library", "play"}

// languages are the languages of the examples by the extensions of their files. The
// first is the one that is shown at first.
var languages = []language{{"sh", "curl"}, {"mjs", "JavaScript"}, {"py", "Python"}, {"go", "Go"}}

type language struct{ Ext, Name string }

// A snippet is an example in one language.
type snippet struct {
	language
	File, Code string
}

// A task is one part of the page.
type task struct {
	Name     string
	Snippets []snippet
}

// A body is the body of the page.
type body struct {
	Languages []language
	Tasks     []task
	MCP       *snippet // nil where the service has no MCP server
}

// A Server serves the page.
type Server struct {
	pages *page.Renderer
	body  body
}

// New returns a server that renders the page with r for a service at a base URL with
// the endpoints of a table. It panics when an example is missing, which any test of the page finds.
func New(r *page.Renderer, base string, table []api.Endpoint) *Server {
	b := body{Languages: languages}
	for _, name := range tasks {
		t := task{Name: name}
		for _, l := range languages {
			t.Snippets = append(t.Snippets, read(base, name, l))
		}
		b.Tasks = append(b.Tasks, t)
	}
	if slices.ContainsFunc(table, func(e api.Endpoint) bool { return e.Path == api.MCPPath }) {
		config := read(base, "mcp", language{"json", "JSON"})
		b.MCP = &config
	}
	return &Server{r, b}
}

// read returns an example for the service at a base URL.
func read(base, name string, l language) snippet {
	file := name + "." + l.Ext
	data, err := files.ReadFile(path.Join("_snippets", name, file))
	if err != nil {
		panic(fmt.Sprintf("build: %v", err))
	}
	return snippet{l, file, strings.ReplaceAll(strings.TrimSpace(string(data)), local, base)}
}

func (s *Server) build(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	return s.pages.View(site.Build, l, s.body).Show()
}

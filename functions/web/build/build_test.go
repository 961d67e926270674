package build

import (
	"context"
	"html"
	"io/fs"
	"strings"
	"testing"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

type server struct{}

var mcp = api.Bind(func(*server, context.Context, struct{}) (api.NoContent, error) { return api.NoContent{}, nil },
	api.Endpoint{Method: "POST", Path: api.MCPPath, Auth: api.None, Name: "call_mcp", Summary: "Call the MCP server", Doc: "Answers a message."})

// TestBuild checks that the page shows every file in every locale, for the service and
// not for the local stack, and the configuration of MCP only where there is a server.
func TestBuild(t *testing.T) {
	names, err := fs.Glob(files, "_snippets/*/*")
	if err != nil || len(names) != len(tasks)*len(languages)+1 {
		t.Fatalf("the examples are %q, %v", names, err)
	}
	h := webtest.Handler(New(page.NewRenderer(webtest.Links), webtest.Base, []api.Endpoint{mcp}), Endpoints)
	without := webtest.Handler(New(page.NewRenderer(webtest.Links), webtest.Base, nil), Endpoints)
	for _, l := range i18n.Locales {
		body := html.UnescapeString(webtest.Body(t, h, site.Build.Path(l, "")))
		for _, name := range names {
			data, err := files.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.ReplaceAll(strings.TrimSpace(string(data)), local, webtest.Base); !strings.Contains(body, want) {
				t.Errorf("%s: the page lacks %s as it is", l, name)
			}
		}
		if strings.Contains(body, local) {
			t.Errorf("%s: the page names the local stack", l)
		}
		if body := webtest.Body(t, without, site.Build.Path(l, "")); strings.Contains(body, "mcp.json") {
			t.Errorf("%s: the page configures an MCP server that does not exist", l)
		}
	}
}

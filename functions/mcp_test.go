package functions

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"miramundo.dev/shared/api/tool"
)

// connectMCP returns a session of the SDK's own client with the MCP server of h, in a
// revision of the protocol.
func connectMCP(t testing.TB, h http.Handler, version string, headers http.Header) *mcp.ClientSession {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	transport := &mcp.StreamableClientTransport{
		Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: withHeaders{headers}}, DisableStandaloneSSE: true,
	}
	session, err := client.Connect(context.Background(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// withHeaders is a transport that adds headers to each request.
type withHeaders struct{ headers http.Header }

// RoundTrip sends r with the headers.
func (w withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range w.headers {
		r.Header[name] = values
	}
	return http.DefaultTransport.RoundTrip(r)
}

// revisions are one of each era, and the one that the client prefers.
var revisions = []string{"", "2026-07-28", "2025-11-25", "2025-03-26"}

// TestMCPClient calls tools by the client of the SDK in both eras of the protocol, and
// checks each result against the schema that the tool declares.
func TestMCPClient(t *testing.T) {
	h := mux(t, deps(t, openEmbedded(t), fixture))
	for _, version := range revisions {
		s := connectMCP(t, h, version, nil)
		if got := s.InitializeResult().ProtocolVersion; got != cmp.Or(version, revisions[1]) {
			t.Errorf("asked for %q, got %q", version, got)
		}
		schemas := outputSchemas(t, s)
		for name, arguments := range map[string]map[string]any{
			"search_channels": {"q": "beacon"},
			"get_channel":     {"id": "Beacon.uk", "fields": []string{"all"}},
			"list_countries":  {"limit": 2, "kind": "all"},
			"get_health":      nil,
			"create_guest":    nil,
		} {
			got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
			if err != nil || got.IsError {
				t.Errorf("%s of %q: %+v, %v", name, version, got, err)
				continue
			}
			if err := schemas[name].Validate(got.StructuredContent); err != nil {
				t.Errorf("%s of %q: %v", name, version, err)
			}
		}
	}
}

// TestMCPInstructions checks that the instructions name tools and arguments that exist.
func TestMCPInstructions(t *testing.T) {
	s := connectMCP(t, mux(t, deps(t, openEmbedded(t), fixture)), "", nil)
	known := map[string]bool{tool.GuestArgument: true}
	for one, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		known[one.Name] = true
	}
	names := regexp.MustCompile(`[a-z]+(_[a-z]+)+`).FindAllString(s.InitializeResult().Instructions, -1)
	if len(names) < 5 {
		t.Errorf("the instructions name %q, want the tools of a library", names)
	}
	for _, name := range names {
		if !known[name] {
			t.Errorf("the instructions name %s, which is not a tool", name)
		}
	}
}

// outputSchemas returns the schemas of the results of tools, by the names of the tools.
func outputSchemas(t testing.TB, s *mcp.ClientSession) map[string]*jsonschema.Resolved {
	t.Helper()
	schemas := map[string]*jsonschema.Resolved{}
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.OutputSchema == nil {
			continue
		}
		text, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		if schemas[tool.Name], err = schema.Resolve(nil); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
	}
	return schemas
}

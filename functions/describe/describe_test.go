package describe

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/price/quota"
)

// health is an endpoint of another function.
var health = api.Bind(func(*Server, context.Context, struct{}) (api.NoContent, error) { return api.NoContent{}, nil }, api.Endpoint{
	Name: "get_health", Tool: true, Method: "GET", Path: "/api/health", Auth: api.None, Summary: "How the service fares", Doc: "How the service fares.",
})

var minutes = quota.Options{FreeMinutes: 120, Comments: 20, Sells: true, Base: "https://m.example"}

// pass is a paid endpoint of another function.
var pass = api.Bind(func(*Server, context.Context, struct{}) (api.NoContent, error) { return api.NoContent{}, nil }, api.Endpoint{
	Name: "buy_pass", Method: "POST", Path: "/api/pass", Auth: api.None, Summary: "Buy a pass", Doc: "Buys a pass.", Prices: []price.Product{price.Network365, price.ChatPass},
})

// serve returns the function's handler, whose answers must be as it describes
// them.
func serve(t *testing.T) http.Handler {
	t.Helper()
	s := New(Options{Table: append(slices.Clone(Endpoints), health, pass), Build: "abc1234", BaseURL: "https://m.example", Quota: minutes})
	return apitest.Validating(t, request.Handler(request.Options{}, s, Endpoints), s.openapiDoc().Bytes())
}

func TestIndex(t *testing.T) {
	h := serve(t)
	answer, body := apitest.Do(t, h, "GET", "/api/", "")
	var got index
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if got.Name != config.Product || len(got.Locales) != 5 || got.Locales[0] != "pt" || got.MCP != nil {
		t.Errorf("index is %+v", got)
	}
	tool, least := "get_health", "0.10"
	want := []entry{
		{"GET", "/api/", "none", "https://m.example/api/", Endpoints[0].Doc, nil, nil},
		{"GET", "/api/health", "none", "https://m.example/api/health", health.Doc, nil, &tool},
		{"POST", "/api/pass", "none", "https://m.example/api/pass", pass.Doc, &least, nil},
	}
	underAPI := slices.DeleteFunc(slices.Clone(got.Endpoints), func(e entry) bool { return !strings.HasPrefix(e.Path, "/api/") })
	if diff := cmp.Diff(want, underAPI); diff != "" {
		t.Errorf("endpoints (-want +got):\n%s", diff)
	}
	if len(got.Endpoints) != len(Endpoints)+2 || !slices.IsSortedFunc(got.Endpoints, func(a, b entry) int { return strings.Compare(a.Path, b.Path) }) {
		t.Errorf("%d endpoints, which must be sorted by path", len(got.Endpoints))
	}
	var modes []string
	for _, m := range got.Auth {
		modes = append(modes, m.Mode)
	}
	if diff := cmp.Diff([]string{"none", "credit", "payment"}, modes); diff != "" {
		t.Errorf("only the credentials that some endpoint takes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(quota.Of(minutes), got.Quota); diff != "" {
		t.Errorf("quota (-want +got):\n%s", diff)
	}
	if len(got.Quickstart) > 0 {
		t.Errorf("the quickstart calls endpoints that the table does not have: %v", got.Quickstart)
	}
	if got.Docs["openapi"] != "https://m.example/openapi.json" || got.Docs["billing"] != "" {
		t.Errorf("docs must have the documents of the table and no others: %v", got.Docs)
	}
	tag := answer.Header.Get("Etag")
	if again, _ := apitest.Do(t, h, "GET", "/api/", "", "If-None-Match", tag); again.StatusCode != http.StatusNotModified {
		t.Errorf("the same version again answers %d", again.StatusCode)
	}
}

// TestPaths checks the notation of the interface.
func TestPaths(t *testing.T) {
	type in struct {
		ID   string `path:"id"`
		File string `path:"file"`
	}
	e := api.Bind(func(*Server, context.Context, in) (api.NoContent, error) { return api.NoContent{}, nil }, api.Endpoint{
		Method: "GET", Path: "/f/{id}/{file...}", Auth: api.Operator, Summary: "A file", Doc: "A file.",
	})
	if got, want := entryOf(&profile.Profile{Base: "https://m.example"}, e).Path, "/f/:id/:file"; got != want {
		t.Errorf("path is %q, want %q", got, want)
	}
}

func TestOpenAPI(t *testing.T) {
	h := serve(t)
	answer, plain := apitest.Do(t, h, "GET", "/openapi.json", "")
	if answer.Header.Get("Content-Encoding") != "" || !strings.Contains(plain, `"openapi": "3.1.0"`) {
		t.Errorf("document is %.100s", plain)
	}
	answer, packed := apitest.Do(t, h, "GET", "/openapi.json", "", "Accept-Encoding", "br")
	if answer.Header.Get("Content-Encoding") != "br" || packed != plain {
		t.Errorf("in brotli it comes in %q, as %d bytes", answer.Header.Get("Content-Encoding"), len(packed))
	}
}

// TestNoRegistryKey checks that a host without a key publishes none.
func TestNoRegistryKey(t *testing.T) {
	if answer, body := apitest.Do(t, serve(t), "GET", api.RegistryPath, ""); answer.StatusCode != http.StatusNotFound {
		t.Errorf("it answers %d: %s", answer.StatusCode, body)
	}
}

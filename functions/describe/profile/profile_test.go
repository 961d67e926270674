package profile

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/price/quota"
)

// server answers the endpoints of the tests.
type server struct{}

func (server) call(context.Context, struct{}) (api.NoContent, error) { return api.NoContent{}, nil }

type pageIn struct {
	Limit int `query:"limit" default:"20" minimum:"1" cap:"50"`
}

func (server) search(context.Context, pageIn) (api.NoContent, error) { return api.NoContent{}, nil }

// endpoint returns an endpoint of the tests.
func endpoint(e api.Endpoint) api.Endpoint {
	e.Summary, e.Doc = "S", "D."
	if e.Name == searchName {
		return api.Bind(server.search, e)
	}
	return api.Bind(server.call, e)
}

var small = &Profile{Name: "Mira", Base: "https://m.example", Quota: quota.Options{FreeMinutes: 120}, Table: []api.Endpoint{
	endpoint(api.Endpoint{Name: searchName, Tool: true, Method: "GET", Path: "/api/channels", Auth: api.None}),
	endpoint(api.Endpoint{Name: folderName, Tool: true, Method: "POST", Path: "/api/categories", Auth: api.Guest}),
	endpoint(api.Endpoint{Name: "get_channel", Method: "GET", Path: "/api/channels/{id}", Auth: api.None}),
	endpoint(api.Endpoint{Name: "buy", Method: "POST", Path: "/api/buy", Auth: api.None, Prices: []price.Product{price.Network365, price.ChatPass}}),
	endpoint(api.Endpoint{Name: "get_knowledge_file", Method: "GET", Path: "/okf/{file}", Auth: api.None, Produces: []string{"text/markdown"}}),
}}

// TestQuickstart checks that a step has the credential that its endpoint asks for, and
// that steps without an endpoint are left out.
func TestQuickstart(t *testing.T) {
	want := []Step{
		{
			Name: searchName, Does: steps[1].does, Method: "GET", URL: "https://m.example/api/channels?q=news&limit=1",
			Headers: map[string]string{}, Keep: map[string]string{"channel_id": "/items/0/id"},
		},
		{
			Name: folderName, Does: steps[2].does, Method: "POST", URL: "https://m.example/api/categories",
			Headers: map[string]string{"X-Guest-Token": "{guest_token}", "Content-Type": "application/json"},
			Body:    map[string]string{"name": "News"}, Keep: map[string]string{"group_id": "/group_id"},
		},
	}
	got := small.Quickstart()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	line := `curl -X POST -H 'X-Guest-Token: {guest_token}' -H 'Content-Type: application/json' -d '{"name":"News"}' 'https://m.example/api/categories'`
	if diff := cmp.Diff([]string{"curl 'https://m.example/api/channels?q=news&limit=1'", line}, []string{got[0].Curl(), got[1].Curl()}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLinks checks that a document is linked when the table serves it, and that every
// link has what the documents need.
func TestLinks(t *testing.T) {
	keys := map[string]bool{}
	for _, l := range small.Links() {
		if keys[l.Key] || l.Title == "" || l.Note == "" || l.Media == "" || l.Property == "" || l.Section == "" {
			t.Errorf("link %+v", l)
		}
		keys[l.Key] = true
	}
	if !keys["okf"] || !keys["ui"] || keys["openapi"] || keys["mcp"] {
		t.Errorf("the links are %v", keys)
	}
	if _, ok := small.Find("billing"); ok || small.MCP() != "" {
		t.Error("links to what the table does not have")
	}
	if l, _ := small.Find("okf"); l.Media != "text/markdown" || l.URL != "https://m.example/okf/index.md" {
		t.Errorf("the bundle is %+v", l)
	}
	l, ok := small.Find("about")
	if !ok || l.URL != "https://m.example/en/about" {
		t.Errorf("the page of sources is %+v", l)
	}
}

// TestLimits checks that the bounds come from the table and the settings.
func TestLimits(t *testing.T) {
	got := map[string]int{}
	for _, l := range small.Limits() {
		got[l.Key] = l.Max
	}
	if got["page"] != 50 || got["folders"] != 8 || got["minutes"] != 120 {
		t.Errorf("the limits are %v", got)
	}
	for _, l := range (&Profile{}).Limits() {
		if l.Key == "page" || l.Key == "minutes" {
			t.Errorf("a service without a search and a quota has the limit %+v", l)
		}
	}
}

func TestEndpoints(t *testing.T) {
	if got := LeastPrice(small.Table[3]); got != "0.10" || LeastPrice(small.Table[0]) != "" {
		t.Errorf("the least price is %q", got)
	}
	if got := Path(small.Table[2]); got != "/api/channels/:id" {
		t.Errorf("the path is %q", got)
	}
	if got := small.Tools(); len(got) != 2 || small.Sorted()[0].Path != "/api/buy" {
		t.Errorf("%d tools, first %s", len(got), small.Sorted()[0].Path)
	}
	var modes []string
	for _, m := range small.Modes() {
		modes = append(modes, m.Mode)
	}
	if diff := cmp.Diff([]string{"none", "guest", "credit", "payment"}, modes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

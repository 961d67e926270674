package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/tool"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/price"
)

type server struct{}

type item struct {
	ID   string `json:"id"`
	Name string `json:"name" description:"Name of the thing."`
	More *item  `json:"more"`
}

type page struct {
	Items []item `json:"items"`
	Total int    `json:"total"`
}

type list struct {
	Items []item `json:"items"`
}

type searchIn struct {
	Q      string `query:"q" description:"What to look for."`
	Kind   string `query:"kind" default:"tv" enum:"tv,radio" description:"Kind."`
	Exact  bool   `query:"exact" default:"0" description:"Whole words."`
	Limit  int    `query:"limit" default:"20" cap:"50" description:"Number of items."`
	Offset int    `query:"offset" description:"Items to skip."`
	Why    bool   `query:"why" default:"0" operator:"true" description:"Operators only: explains the order."`
}

type idIn struct {
	ID string `path:"id" description:"Id of the thing."`
}

func answer[In, Out any](server, context.Context, In) (out Out, err error) { return out, nil }

// table is a small API with one of each kind of tool.
var table = []api.Endpoint{
	api.Bind(answer[searchIn, page], api.Endpoint{
		Name: "search_things", Tool: true, Method: "GET", Path: "/things", Auth: api.None, Summary: "Search things",
		Doc: "Returns things. See GET /things/{id}.", Brief: "total items.id items.name",
	}),
	api.Bind(answer[idIn, item], api.Endpoint{
		Name: "get_thing", Tool: true, Method: "GET", Path: "/things/{id}", Auth: api.None, Speaker: true, Summary: "Get a thing", Doc: "Returns a thing.",
	}),
	api.Bind(answer[struct{}, list], api.Endpoint{
		Name: "list_kinds", Tool: true, Method: "GET", Path: "/kinds", Auth: api.None, Summary: "List kinds", Doc: "Returns every kind.",
	}),
	api.Bind(answer[idIn, item], api.Endpoint{
		Name: "delete_thing", Tool: true, Method: "DELETE", Path: "/things/{id}", Auth: api.Guest, Summary: "Delete a thing", Doc: "Deletes it.", Brief: "id",
	}),
	api.Bind(answer[struct{}, item], api.Endpoint{
		Name: "buy_thing", Tool: true, Method: "POST", Path: "/things", Auth: api.Guest, Summary: "Buy a thing", Doc: "Sells it.",
		Prices: []price.Product{price.ChatPass}, Repeatable: true,
	}),
	api.Bind(answer[struct{}, item], api.Endpoint{
		Name: "create_guest", Tool: true, Method: "POST", Path: "/api/guest", Auth: api.None, Summary: "Create a guest", Doc: "Returns a token.",
	}),
	api.Bind(answer[struct{}, item], api.Endpoint{
		Name: "hidden_thing", Method: "GET", Path: "/hidden", Auth: api.None, Summary: "Hidden", Doc: "No tool.",
	}),
}

// tools returns the tools of the table by their names.
func tools(t *testing.T) map[string]*tool.Tool {
	t.Helper()
	list, err := tool.New(table)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*tool.Tool{}
	for _, one := range list {
		all[one.Name] = one
	}
	return all
}

func TestHints(t *testing.T) {
	got := map[string]tool.Hints{}
	for name, one := range tools(t) {
		got[name] = one.Hints
	}
	want := map[string]tool.Hints{
		"search_things": {ReadOnly: true, Idempotent: true},
		"get_thing":     {ReadOnly: true, Idempotent: true},
		"list_kinds":    {ReadOnly: true, Idempotent: true},
		"delete_thing":  {Destructive: true, Idempotent: true},
		"buy_thing":     {Idempotent: true, OpenWorld: true},
		"create_guest":  {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDescriptions(t *testing.T) {
	all := tools(t)
	for name, part := range map[string]string{
		"search_things": "See get_thing.",
		"delete_thing":  "from create_guest, or an API key. The result has id.",
		"buy_thing":     `_meta["x402/payment"]`,
	} {
		if got := all[name].Description; !strings.Contains(got, part) {
			t.Errorf("%s is described as %q, without %q", name, got, part)
		}
	}
}

// TestSchemas checks what agents and clients validate by.
func TestSchemas(t *testing.T) {
	all := tools(t)
	for name, want := range map[string]string{
		"search_things": `{"type":"object","properties":{"q":{"description":"What to look for.","maxLength":256,"type":"string"},` +
			`"kind":{"default":"tv","description":"Kind.","enum":["tv","radio"],"type":"string"},` +
			`"exact":{"default":false,"description":"Whole words.","type":"boolean"},` +
			`"limit":{"default":10,"description":"Number of items.","maximum":50,"type":"integer"},` +
			`"offset":{"description":"Items to skip.","type":"integer"},` +
			`"fields":{"description":"Members of the result to return, by their names in the output schema, without items. Without it: id, name. [\"all\"] returns everything.","items":{"type":"string"},"maxItems":40,"type":"array"}},` +
			`"additionalProperties":false}`,
		"delete_thing": `{"type":"object","properties":{"id":{"description":"Id of the thing.","maxLength":256,"type":"string"},` +
			`"guest_token":{"description":"Token of the guest who calls, where the header X-Guest-Token cannot be set. It is a secret.","maxLength":256,"type":"string"}},` +
			`"required":["id"],"additionalProperties":false}`,
		"create_guest": `{"type":"object","properties":{},"additionalProperties":false}`,
	} {
		if diff := cmp.Diff(want, string(all[name].Input)); diff != "" {
			t.Errorf("arguments of %s (-want +got):\n%s", name, diff)
		}
	}
	if got := string(all["delete_thing"].Output); got != `{"properties":{"id":{"type":"string"}},"type":"object"}` {
		t.Errorf("the result of a change has the schema %s", got)
	}
	if got := string(all["search_things"].Output); strings.Contains(got, "required") || !strings.Contains(got, "$defs") {
		t.Errorf("the result of a search has the schema %s", got)
	}
	if got := all["buy_thing"].Output; got != nil {
		t.Errorf("a paid tool declares the result %s", got)
	}
}

func TestShape(t *testing.T) {
	const thing = `{"id":"1","name":"one","more":{"id":"2","name":"two","more":null}}`
	const things = `{"items":[` + thing + `,` + thing + `,` + thing + `],"total":3}`
	all := tools(t)
	for _, test := range []struct{ tool, arguments, result, want string }{
		{"search_things", ``, things, `{"items":[{"id":"1","name":"one"},{"id":"1","name":"one"},{"id":"1","name":"one"}],"total":3}`},
		{"search_things", `{"fields":["name"]}`, things, `{"items":[{"name":"one"},{"name":"one"},{"name":"one"}],"total":3}`},
		{"search_things", `{"fields":["items.more.name"]}`, `{"items":[` + thing + `],"total":1}`, `{"items":[{"more":{"name":"two"}}],"total":1}`},
		{"search_things", `{"fields":["all"]}`, things, things},
		{"get_thing", `{"id":"1"}`, thing, thing},
		{"get_thing", `{"id":"1","fields":["name"]}`, thing, `{"name":"one"}`},
		{"list_kinds", `{"limit":1,"offset":1,"fields":["id"]}`, things, `{"items":[{"id":"1"}],"total":3,"next_offset":2}`},
		{"list_kinds", `{"offset":9,"fields":["id"]}`, `{"items":[]}`, `{"items":[],"total":0,"next_offset":null}`},
		{"delete_thing", `{"id":"1"}`, thing, `{"id":"1"}`},
	} {
		call, err := all[test.tool].Call(json.RawMessage(test.arguments))
		if err != nil {
			t.Errorf("%s %s: %v", test.tool, test.arguments, err)
			continue
		}
		got, err := call.Shape(json.RawMessage(test.result))
		if err != nil || string(got) != test.want {
			t.Errorf("%s %s: %s, %v, want %s", test.tool, test.arguments, got, err, test.want)
		}
	}
}

// TestCall checks the arguments that reach the endpoint, and those that are refused.
func TestCall(t *testing.T) {
	all := tools(t)
	for _, test := range []struct{ tool, arguments, want, param, reason string }{
		{"search_things", `{"q":"a"}`, `{"limit":10,"q":"a"}`, "", ""},
		{"search_things", `{"q":"a","limit":3,"fields":["id"]}`, `{"limit":3,"q":"a"}`, "", ""},
		{"delete_thing", `{"id":"1","guest_token":"ipt_x"}`, `{"id":"1"}`, "", ""},
		{"list_kinds", `null`, `{}`, "", ""},
		{"search_things", `{"query":"a"}`, "", "query", "unknown"},
		{"search_things", `{"why":true}`, "", "why", "unknown"},
		{"search_things", `{"fields":["nothing"]}`, "", "fields", "not_listed"},
		{"search_things", `{"fields":"id"}`, "", "fields", "wrong_type"},
		{"list_kinds", `{"limit":0}`, "", "limit", "too_small"},
		{"list_kinds", `{"offset":-1}`, "", "offset", "too_small"},
		{"create_guest", `{"guest_token":"x"}`, "", "guest_token", "unknown"},
	} {
		call, err := all[test.tool].Call(json.RawMessage(test.arguments))
		if test.param == "" {
			if err != nil || string(call.Arguments) != test.want {
				t.Errorf("%s %s: %s, %v", test.tool, test.arguments, call.Arguments, err)
			}
			continue
		}
		f := fault.From(err)
		if !errors.Is(err, fault.ErrInvalid) || f.Fields["param"] != test.param || f.Fields["reason"] != test.reason {
			t.Errorf("%s %s: %v %v", test.tool, test.arguments, err, f.Fields)
		}
	}
}

func TestBriefMustBeMembers(t *testing.T) {
	e := table[1]
	e.Brief = "id nothing"
	if _, err := tool.New([]api.Endpoint{e}); err == nil || !strings.Contains(err.Error(), `"nothing"`) {
		t.Errorf("New = %v", err)
	}
}

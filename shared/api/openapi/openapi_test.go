package openapi_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/fault"
)

type server struct{}

type in struct {
	ID    string `path:"id" description:"Id." maxLength:"9"`
	Flag  bool   `query:"flag" default:"1" description:"Flag."`
	Limit int    `query:"limit" default:"20" minimum:"1" cap:"50" description:"Items."`
}

// A moment writes itself as text, as the times of documents do.
type moment struct{ time.Time }

func (m moment) MarshalText() ([]byte, error) { return m.AppendFormat(nil, time.RFC3339), nil }

type part struct {
	N int `json:"n" minimum:"0"`
}

type shared struct {
	Name string `json:"name"`
}

type out struct {
	shared
	Null    *int            `json:"null"`
	Absent  *part           `json:"absent,omitempty"`
	Part    *part           `json:"part"`
	List    []part          `json:"list" nullable:"false"`
	Enum    *string         `json:"enum" enum:"a,b"`
	At      moment          `json:"at"`
	Maybe   *moment         `json:"maybe"`
	By      map[string]part `json:"by" nullable:"false"`
	Hidden  string          `json:"-"`
	Nothing any             `json:"nothing"`
}

func (server) get(context.Context, in) (*out, error) { return nil, nil }

func (server) look(context.Context, struct{}) (api.NoContent, error) { return api.NoContent{}, nil }

type body struct {
	Name string   `json:"name" required:"true" minLength:"1" maxLength:"40" description:"Name."`
	Note *string  `json:"note" description:"Note."`
	Tags []string `json:"tags" maxItems:"6" maxLength:"8" description:"Tags."`
	On   bool     `json:"on" default:"1" description:"On."`
}

func (server) post(context.Context, body) (api.NoContent, error) { return api.NoContent{}, nil }

var table = []api.Endpoint{
	api.Bind(server.get, api.Endpoint{
		Name: "get_a", Deprecated: true,
		Method: "GET", Path: "/a/{id}", Auth: api.Guest, Summary: "Get an A", Doc: "Returns an A.",
		Faults: []*fault.Error{fault.New(fault.Limited, "slow_down"), fault.ErrNotFound},
	}),
	api.Bind(server.look, api.Endpoint{Name: "look", Method: "GET", Path: "/c/{word}/{rest...}", Auth: api.None, Summary: "C", Doc: "C.", Speaker: true}),
	api.Bind(server.post, api.Endpoint{Name: "post_b", Method: "POST", Path: "/b/{$}", Auth: api.Operator, Summary: "B", Doc: "B."}),
}

// A failed is the body of failures that have a member more.
type failed struct {
	openapi.Failure
	Part *part `json:"part,omitempty" description:"Part."`
}

var outExample = map[string]any{
	"name": "a", "null": nil, "part": nil, "list": []any{}, "enum": "a", "at": "2026-11-22T12:00:00Z", "maybe": nil, "by": map[string]any{}, "nothing": 1,
}

var examples = openapi.Examples{
	Calls: map[string]openapi.Call{
		"get_a":  {Params: map[string]string{"id": "x", "limit": "7"}, Answers: map[string]map[string]any{"200": {"application/json": outExample}}},
		"post_b": {Request: map[string]any{"application/json": map[string]any{"name": "a"}}},
	},
	Failures: map[string]map[string]any{"not_found": {"param": "id"}},
}

// document returns the description of the table, and a look into it.
func document(t *testing.T) (raw []byte, at func(path ...string) any) {
	t.Helper()
	raw, err := openapi.Document(openapi.Info{
		Title: "T", Description: "D", Version: "v", BaseURL: "https://t.example",
		Tags: map[string]string{"openapi_test": "Tests."}, Names: map[string]string{"openapi_test.part": "Part"},
		Members: map[string]string{"name": "Name.", "n": "Number."}, Failure: failed{}, Examples: examples,
	}, table)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		t.Fatal(err)
	}
	return raw, func(path ...string) any {
		t.Helper()
		v := tree
		for _, name := range path {
			m, _ := v.(map[string]any)
			v = m[name]
		}
		return v
	}
}

// TestValid holds the document to the standard.
func TestValid(t *testing.T) {
	raw, _ := document(t)
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		t.Error(err)
	}
}

func tree(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestDocument(t *testing.T) {
	_, at := document(t)
	for _, test := range []struct {
		path []string
		want string
	}{
		{[]string{"openapi"}, `"3.1.0"`},
		{[]string{"info", "version"}, `"v"`},
		{[]string{"servers"}, `[{"url":"https://t.example"}]`},
		{[]string{"paths", "/a/{id}", "get", "operationId"}, `"get_a"`},
		{[]string{"paths", "/a/{id}", "get", "deprecated"}, `true`},
		{[]string{"paths", "/b/", "post", "deprecated"}, `null`},
		{[]string{"paths", "/a/{id}", "get", "summary"}, `"Get an A"`},
		{[]string{"paths", "/a/{id}", "get", "description"}, `"Returns an A."`},
		{[]string{"paths", "/a/{id}", "get", "security"}, `[{"guest":[]},{"key":[]},{"bearer":[]},{"session":[]}]`},
		{[]string{"paths", "/c/{word}/{rest}", "get", "security"}, `[{},{"guest":[]},{"key":[]},{"bearer":[]},{"session":[]}]`},
		{[]string{"paths", "/c/{word}/{rest}", "get", "parameters"}, `[
			{"name":"word","in":"path","required":true,"description":"Any value; it is not read.","schema":{"type":"string","maxLength":256}},
			{"name":"rest","in":"path","required":true,"description":"Any value; it is not read.","schema":{"type":"string","maxLength":256}}]`},
		{[]string{"paths", "/b/", "post", "security"}, `[{"operator":[]}]`},
		{[]string{"paths", "/a/{id}", "get", "tags"}, `["openapi_test"]`},
		{[]string{"paths", "/a/{id}", "get", "parameters"}, `[
			{"name":"id","in":"path","required":true,"description":"Id.","example":"x","schema":{"type":"string","maxLength":9}},
			{"name":"flag","in":"query","description":"Flag.","schema":{"type":"string","enum":["0","1"],"default":"1"}},
			{"name":"limit","in":"query","description":"Items.","example":7,"schema":{"type":"integer","minimum":1,"default":20}}]`},
		{[]string{"paths", "/b/", "post", "requestBody"}, `{"required":true,"content":{"application/json":{"example":{"name":"a"},"schema":{
			"type":"object","required":["name"],"properties":{
				"name":{"type":"string","minLength":1,"maxLength":40,"description":"Name."},
				"note":{"type":["string","null"],"maxLength":4096,"description":"Note."},
				"tags":{"type":"array","maxItems":6,"items":{"type":"string","maxLength":8},"description":"Tags."},
				"on":{"type":"boolean","default":true,"description":"On."}}}}}}`},
		{[]string{"components", "schemas", "Openapi_testOut"}, `{"type":"object",
			"required":["name","null","part","list","enum","at","maybe","by","nothing"],"properties":{
			"name":{"type":"string","description":"Name."},
			"null":{"type":["null","integer"]},
			"absent":{"$ref":"#/components/schemas/Part"},
			"part":{"anyOf":[{"type":"null"},{"$ref":"#/components/schemas/Part"}]},
			"list":{"type":"array","items":{"$ref":"#/components/schemas/Part"}},
			"enum":{"type":["null","string"],"enum":["a","b",null]},
			"at":{"type":"string","format":"date-time"},
			"maybe":{"type":["string","null"],"format":"date-time"},
			"by":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Part"}},
			"nothing":{}}}`},
		{[]string{"components", "schemas", "Part"}, `{"type":"object","required":["n"],"properties":{"n":{"type":"integer","minimum":0,"description":"Number."}}}`},
		{[]string{"components", "schemas", "Error", "required"}, `["error","message"]`},
		{[]string{"components", "schemas", "Error", "properties", "part"}, `{"$ref":"#/components/schemas/Part","description":"Part."}`},
		{[]string{"components", "schemas", "Bound"}, `{"anyOf":[{"type":"number"},{"type":"string"},{"type":"array","items":{"type":"string"}}]}`},
		{[]string{"tags"}, `[{"name":"openapi_test","description":"Tests."}]`},
		{[]string{"paths", "/a/{id}", "get", "responses", "200", "content", "application/json", "example", "enum"}, `"a"`},
		{[]string{"paths", "/a/{id}", "get", "responses", "404", "content", "application/json", "examples", "not_found", "value"},
			`{"error":"not_found","param":"id","message":"There is nothing at this address."}`},
		{[]string{"paths", "/a/{id}", "get", "responses", "500"}, `{"$ref":"#/components/responses/Internal"}`}, // shared
		{[]string{"components", "responses", "Internal", "description"}, `"Internal Server Error: internal."`},
		{[]string{"components", "schemas", "Openapi_testMoment"}, `null`}, // described where it is used
	} {
		if diff := cmp.Diff(tree(t, test.want), at(test.path...)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.path, diff)
		}
	}
}

// TestStatuses checks that every way a call may end is described, and no other.
func TestStatuses(t *testing.T) {
	_, at := document(t)
	for _, test := range []struct {
		path, method string
		want         []string
	}{
		{"/a/{id}", "get", []string{"200", "400", "401", "403", "404", "410", "429", "500", "503"}},
		{"/b/", "post", []string{"204", "400", "401", "413", "415", "429", "500", "503"}},
	} {
		responses, _ := at("paths", test.path, test.method, "responses").(map[string]any)
		if len(responses) != len(test.want) {
			t.Errorf("%s has %d statuses, want %q", test.path, len(responses), test.want)
		}
		for _, status := range test.want {
			if responses[status] == nil {
				t.Errorf("%s has no %s", test.path, status)
			}
		}
	}
	for _, status := range []string{"429", "503"} {
		r, _ := at("paths", "/a/{id}", "get", "responses", status).(map[string]any)
		if ref, ok := r["$ref"].(string); ok {
			r, _ = at(strings.Split(ref[len("#/"):], "/")...).(map[string]any)
		}
		if headers, _ := r["headers"].(map[string]any); headers["Retry-After"] == nil {
			t.Errorf("%s has no header Retry-After: %v", status, r)
		}
	}
}

// A Clash holds two types of one name.
type Clash struct {
	Inner time.Location `json:"inner"`
	Other Location      `json:"other"`
}

// Location has the name of another type.
type Location struct {
	X int `json:"x"`
}

func (server) clash(context.Context, struct{}) (Clash, error) { return Clash{}, nil }

// TestClash checks that two types do not share a schema.
func TestClash(t *testing.T) {
	_, err := openapi.Document(openapi.Info{}, []api.Endpoint{
		api.Bind(server.clash, api.Endpoint{Name: "clash", Method: "GET", Path: "/c", Auth: api.None, Summary: "C", Doc: "C."}),
	})
	if err == nil || !strings.Contains(err.Error(), "both called Location") {
		t.Errorf("error is %v", err)
	}
}

// Month has the name of another type that is not a struct either.
type Month string

type months struct {
	One   time.Month `json:"one"`
	Other Month      `json:"other"`
}

func (server) months(context.Context, struct{}) (months, error) { return months{}, nil }

// TestNoClash checks that types without a schema of their own may share a name.
func TestNoClash(t *testing.T) {
	_, err := openapi.Document(openapi.Info{}, []api.Endpoint{
		api.Bind(server.months, api.Endpoint{Name: "months", Method: "GET", Path: "/m", Auth: api.None, Summary: "M", Doc: "M."}),
	})
	if err != nil {
		t.Error(err)
	}
}

// TestNames checks that the document needs a name for each operation, and another
// for each.
func TestNames(t *testing.T) {
	unnamed, twice := table[1], table[1]
	unnamed.Name, twice.Name, twice.Path = "", table[0].Name, "/d"
	for _, e := range []api.Endpoint{unnamed, twice} {
		if _, err := openapi.Document(openapi.Info{}, []api.Endpoint{table[0], e}); err == nil || !strings.Contains(err.Error(), "is empty or taken") {
			t.Errorf("%q: error is %v", e.Name, err)
		}
	}
}

type fileIn struct {
	Token string `path:"token" description:"Token."`
	File  string `path:"file" description:"File."`
}

// A list is a result with two media types.
type list struct{ api.Content }

// Schema returns the shape of the list in JSON.
func (list) Schema() any { return part{} }

func (server) file(context.Context, fileIn) (list, error) { return list{}, nil }

// TestFiles checks that each file of an endpoint is an operation with one media type
// and the parameters of its own path.
func TestFiles(t *testing.T) {
	e := api.Bind(server.file, api.Endpoint{
		Name: "get_file", Method: "GET", Path: "/f/{token}/{file}", Auth: api.None, Summary: "F", Doc: "F.", Produces: []string{"audio/x-mpegurl"},
		Files: []api.File{
			{Name: "get_all_m3u", Segment: "all.m3u", Media: "audio/x-mpegurl", Summary: "M", Doc: "M."},
			{Name: "get_one_json", Segment: "{one}.json", Wildcard: "Slug.", Media: "application/json", Summary: "J", Doc: "J."},
		},
	})
	at := describe(t, []api.Endpoint{e})
	const token = `{"name":"token","in":"path","required":true,"description":"Token.","schema":{"type":"string","maxLength":256}}`
	for _, test := range []struct {
		path []string
		want string
	}{
		{[]string{"paths", "/f/{token}/{file}"}, `null`},
		{[]string{"paths", "/f/{token}/all.m3u", "get", "operationId"}, `"get_all_m3u"`},
		{[]string{"paths", "/f/{token}/all.m3u", "get", "parameters"}, `[` + token + `]`},
		{[]string{"paths", "/f/{token}/all.m3u", "get", "responses", "200", "content"},
			`{"audio/x-mpegurl":{"schema":{"type":"string"}}}`},
		{[]string{"paths", "/f/{token}/{one}.json", "get", "summary"}, `"J"`},
		{[]string{"paths", "/f/{token}/{one}.json", "get", "parameters"},
			`[` + token + `,{"name":"one","in":"path","required":true,"description":"Slug.","schema":{"type":"string","maxLength":256}}]`},
		{[]string{"paths", "/f/{token}/{one}.json", "get", "responses", "200", "content"},
			`{"application/json":{"schema":{"$ref":"#/components/schemas/Openapi_testPart"}}}`},
	} {
		if diff := cmp.Diff(tree(t, test.want), at(test.path...)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.path, diff)
		}
	}
}

func (server) take(context.Context, struct {
	JSON []byte `body:"application/json" description:"A list."`
	Text []byte `body:"text/plain" description:"A text."`
}) (api.NoContent, error) {
	return api.NoContent{}, nil
}

// TestTakes checks that raw bodies have types.
func TestTakes(t *testing.T) {
	at := describe(t, []api.Endpoint{api.Bind(server.take, api.Endpoint{
		Name: "put_list", Method: "PUT", Path: "/l", Auth: api.None, Summary: "L", Doc: "L.", Takes: []any{part{}},
	})})
	want := tree(t, `{"required":true,"content":{
		"application/json":{"schema":{"description":"A list.","anyOf":[{"$ref":"#/components/schemas/Openapi_testPart"}]}},
		"text/plain":{"schema":{"description":"A text.","type":"string"}}}}`)
	if diff := cmp.Diff(want, at("paths", "/l", "put", "requestBody")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	at = describe(t, []api.Endpoint{api.Bind(server.take, api.Endpoint{Name: "put_any", Method: "PUT", Path: "/l", Auth: api.None, Summary: "L", Doc: "L."})})
	if got := at("paths", "/l", "put", "requestBody", "content", "application/json", "schema", "type"); got != "object" {
		t.Errorf("JSON without a shape has the type %v", got)
	}
}

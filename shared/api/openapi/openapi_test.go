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

// document returns the description of the table, and a look into it.
func document(t *testing.T) (raw []byte, at func(path ...string) any) {
	t.Helper()
	raw, err := openapi.Document(openapi.Info{Title: "T", Description: "D", Version: "v", BaseURL: "https://t.example"}, table)
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
		{[]string{"paths", "/a/{id}", "get", "security"}, `[{"guest":[]},{"key":[]},{"session":[]}]`},
		{[]string{"paths", "/c/{word}/{rest}", "get", "security"}, `[{},{"guest":[]},{"key":[]},{"session":[]}]`},
		{[]string{"paths", "/c/{word}/{rest}", "get", "parameters"}, `[
			{"name":"word","in":"path","required":true,"description":"Any value; it is not read.","schema":{"type":"string","maxLength":256}},
			{"name":"rest","in":"path","required":true,"description":"Any value; it is not read.","schema":{"type":"string","maxLength":256}}]`},
		{[]string{"paths", "/b/", "post", "security"}, `[{"operator":[]}]`},
		{[]string{"paths", "/a/{id}", "get", "tags"}, `["openapi_test"]`},
		{[]string{"paths", "/a/{id}", "get", "parameters"}, `[
			{"name":"id","in":"path","required":true,"description":"Id.","schema":{"type":"string","maxLength":9}},
			{"name":"flag","in":"query","description":"Flag.","schema":{"type":"string","enum":["0","1"],"default":"1"}},
			{"name":"limit","in":"query","description":"Items.","schema":{"type":"integer","minimum":1,"default":20}}]`},
		{[]string{"paths", "/b/", "post", "requestBody"}, `{"required":true,"content":{"application/json":{"schema":{
			"type":"object","required":["name"],"properties":{
				"name":{"type":"string","minLength":1,"maxLength":40,"description":"Name."},
				"note":{"type":["string","null"],"maxLength":4096,"description":"Note."},
				"tags":{"type":"array","maxItems":6,"items":{"type":"string","maxLength":8},"description":"Tags."},
				"on":{"type":"boolean","default":true,"description":"On."}}}}}}`},
		{[]string{"components", "schemas", "Openapi_testOut"}, `{"type":"object",
			"required":["name","null","part","list","enum","at","maybe","by","nothing"],"properties":{
			"name":{"type":"string"},
			"null":{"type":["null","integer"]},
			"absent":{"$ref":"#/components/schemas/Openapi_testPart"},
			"part":{"anyOf":[{"type":"null"},{"$ref":"#/components/schemas/Openapi_testPart"}]},
			"list":{"type":"array","items":{"$ref":"#/components/schemas/Openapi_testPart"}},
			"enum":{"type":["null","string"],"enum":["a","b",null]},
			"at":{"$ref":"#/components/schemas/Openapi_testMoment"},
			"maybe":{"anyOf":[{"type":"null"},{"$ref":"#/components/schemas/Openapi_testMoment"}]},
			"by":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Openapi_testPart"}},
			"nothing":{}}}`},
		{[]string{"components", "schemas", "Openapi_testMoment"}, `{"type":"string","format":"date-time"}`},
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
		{"/b/", "post", []string{"204", "400", "401", "413", "415", "500", "503"}},
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
	if at("paths", "/a/{id}", "get", "responses", "429", "headers", "Retry-After") == nil {
		t.Error("429 does not tell Retry-After")
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

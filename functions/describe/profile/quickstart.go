package profile

import (
	"encoding/json"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
)

// A Step is a call of the quickstart. A program can follow the steps literally: it sends
// Headers, and Body as JSON, with each {name} replaced by the value that an earlier step
// kept under that name.
type Step struct {
	Name    string            `json:"name" description:"Name of the operation in the OpenAPI document, and of the tool."`
	Does    string            `json:"does" description:"Purpose of the call."`
	Method  string            `json:"method"`
	URL     string            `json:"url" format:"uri"`
	Headers map[string]string `json:"headers" nullable:"false" description:"Headers to send. A {name} stands for a value that an earlier step kept."`
	Body    map[string]string `json:"body" description:"JSON object to send, with placeholders like those of the headers; null for a call without a body."`
	Keep    map[string]string `json:"keep" nullable:"false" description:"Values of the answer to keep for later steps: by name, each as a JSON Pointer (RFC 6901) into the answer."`
}

// Names of endpoints that the quickstart calls.
const (
	guestName  = "create_guest"
	searchName = "search_channels"
	folderName = "create_folder"
	itemName   = "add_item"
)

// step is a step without the facts that the table has.
type step struct {
	name  string // of the endpoint
	does  string
	query string
	body  map[string]string
	keep  map[string]string
}

// steps lead from nothing to a library that any player opens.
var steps = []step{
	{guestName, "Create a guest. Its token is the only key to its library.", "", nil, map[string]string{"guest_token": "/token"}},
	{searchName, "Search the catalog, and take the first channel found.", "?q=news&limit=1", nil, map[string]string{"channel_id": "/items/0/id"}},
	{folderName, "Create a folder. It gets a first sub-tab.", "", map[string]string{"name": "News"}, map[string]string{"group_id": "/group_id"}},
	{itemName, "Add the channel to the sub-tab. Open the feed in any player: its address is the credential.", "",
		map[string]string{"group_id": "{group_id}", "channel_id": "{channel_id}"}, map[string]string{"feed": "/feeds/m3u"}},
}

// Quickstart returns the calls from nothing to a library: those whose endpoints the
// table has.
func (p *Profile) Quickstart() []Step {
	all := []Step{}
	for _, s := range steps {
		e, ok := p.Endpoint(s.name)
		if !ok {
			continue
		}
		one := Step{
			Name: s.name, Does: s.does, Method: e.Method, URL: p.URL(openapi.Path(e)) + s.query, Headers: map[string]string{}, Body: s.body, Keep: s.keep,
		}
		if e.Auth == api.Guest {
			one.Headers["X-Guest-Token"] = "{guest_token}"
		}
		if s.body != nil {
			one.Headers["Content-Type"] = jsonMedia
		}
		all = append(all, one)
	}
	return all
}

// Curl returns the step as a command line.
func (s Step) Curl() string {
	line := []string{"curl"}
	if s.Method != "GET" {
		line = append(line, "-X "+s.Method)
	}
	for _, name := range []string{"X-Guest-Token", "Content-Type"} {
		if value, ok := s.Headers[name]; ok {
			line = append(line, "-H '"+name+": "+value+"'")
		}
	}
	if s.Body != nil {
		body, _ := json.Marshal(s.Body) // never fails: a map of texts
		line = append(line, "-d '"+string(body)+"'")
	}
	return strings.Join(append(line, "'"+s.URL+"'"), " ")
}

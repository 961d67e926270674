// Package tool derives the tools of an MCP server from the table of endpoints.
//
// A tool is an endpoint as an agent calls it: by its arguments alone. Its name, its
// texts, its hints and the schemas of its arguments and of its result are computed
// from the endpoint. What a tool has beside its endpoint makes it fit for the context
// window of a model: pages are shorter, results have only the members that an agent
// needs to decide, and the argument fields asks for others.
//
// [Tool.Call] turns the arguments of a tool into those of its endpoint, and
// [Call.Shape] the result of the endpoint into that of the tool. Running the endpoint
// is left to the caller (see [api.Gate.Invoke]).
package tool

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
)

// A Tool describes an endpoint to an agent. It does not change after New and may be
// used concurrently.
type Tool struct {
	Name        string
	Title       string
	Description string
	Hints       Hints
	Input       json.RawMessage // schema of the arguments, of the dialect 2020-12
	Output      json.RawMessage // schema of the result; nil when the tool declares none
	Endpoint    api.Endpoint

	known   map[string]bool // the names of arguments
	passed  map[string]bool // those of the endpoint
	members *members        // of the result; nil when it is not a JSON object
	brief   *selection      // what a result has unless the argument fields says otherwise
	list    listing         // how a list in the result is cut into pages
}

// Hints tell a client how careful it must be with a tool. They are those of the
// protocol.
type Hints struct {
	ReadOnly    bool // changes nothing
	Destructive bool // may change or delete what is there, and not only add to it
	Idempotent  bool // repeating a call with the same arguments changes nothing more
	OpenWorld   bool // acts on things outside of this service, such as by a payment
}

// New returns the tools of a table, in its order. It returns an error when the
// description of an endpoint cannot be computed or contradicts its result, which any
// test of the table finds.
func New(table []api.Endpoint) ([]*Tool, error) {
	words := wording(table)
	var tools []*Tool
	for _, e := range table {
		if !e.Tool {
			continue
		}
		t, err := newTool(e, words)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", e.Name, err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

func newTool(e api.Endpoint, words *phrases) (*Tool, error) {
	t := &Tool{Name: e.Name, Title: e.Summary, Description: words.describe(e), Hints: hintsOf(e), Endpoint: e}
	output, err := openapi.Result(e)
	if err != nil {
		return nil, err
	}
	if output != nil {
		t.members = membersOf(output)
		t.list = listingOf(e, t.members)
		if t.brief, err = t.members.selection(strings.Fields(e.Brief)); err != nil {
			return nil, err
		}
	}
	if !t.choosable() && !t.brief.all() {
		t.Description += " The result has " + list(t.brief.names("")) + "."
	}
	if t.Input, err = t.inputSchema(); err != nil {
		return nil, err
	}
	if output != nil && len(e.Prices) == 0 {
		t.Output, err = json.Marshal(t.outputSchema(output))
	}
	return t, err
}

// hintsOf derives the hints of e from its method, and from what it sells.
func hintsOf(e api.Endpoint) Hints {
	h := Hints{OpenWorld: len(e.Prices) > 0}
	switch e.Method {
	case http.MethodGet:
		h.ReadOnly, h.Idempotent = true, true
	case http.MethodPut, http.MethodPatch, http.MethodDelete:
		h.Destructive, h.Idempotent = true, true
	default:
		h.Idempotent = e.Repeatable
	}
	return h
}

// choosable reports whether the caller may choose the members of the result: those
// of what it reads. What a change answers with is fixed, since its schema would be
// large for members that nobody asks for.
func (t *Tool) choosable() bool { return t.members != nil && t.Hints.ReadOnly }

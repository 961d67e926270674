// Package spec writes the OpenAPI documents of the service: one of the public API, and
// one of the operator's endpoints.
//
// Operations, inputs and results come from the table of endpoints. This package adds
// what the table does not have: the introduction, the tags, the names of schemas, the
// members that mean the same everywhere, and examples, which a test of the API records
// (examples.json).
package spec

import (
	_ "embed" // of the examples
	"encoding/json"
	"slices"

	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/catalog"
)

// Options are the facts about a service that its documents have.
type Options struct {
	Name    string // of the service
	Summary string // one sentence
	Build   string // short id of the commit
	BaseURL string // of the service, without a trailing slash

	FirstCalls []profile.Step // that the introduction begins with
}

// Public returns the document of the endpoints of a table that anyone may call.
func Public(o Options, table []api.Endpoint) ([]byte, error) {
	return write(o, introduction(o.Summary, o.FirstCalls), slices.DeleteFunc(slices.Clone(table), isOperators))
}

// Operator returns the document of the endpoints of a table that need a token of the
// operator.
func Operator(o Options, table []api.Endpoint) ([]byte, error) {
	o.Name += ", operator"
	return write(o, operatorIntroduction, slices.DeleteFunc(slices.Clone(table), func(e api.Endpoint) bool { return !isOperators(e) }))
}

func isOperators(e api.Endpoint) bool { return e.Auth == api.Operator }

// write returns the document of a table.
func write(o Options, text string, table []api.Endpoint) ([]byte, error) {
	var examples openapi.Examples
	if err := json.Unmarshal(recorded, &examples); err != nil {
		return nil, err
	}
	return openapi.Document(openapi.Info{
		Title: o.Name, Description: text, Version: o.Build, BaseURL: o.BaseURL,
		Tags: tags, Names: schemaNames, Members: members, Enums: enums, Failure: failure{}, Examples: examples,
	}, table)
}

// recorded are the examples.
//
//go:embed examples.json
var recorded []byte

// A failure is the body of every failure, with the members that some codes add.
type failure struct {
	openapi.Failure
	RetryAfter   int                  `json:"retry_after,omitempty" description:"Seconds to wait before the next try, as in the header Retry-After."`
	Limit        int                  `json:"limit,omitempty" description:"Limit that was reached."`
	Max          int                  `json:"max,omitempty" description:"Largest number that the caller may have."`
	AttemptsLeft int                  `json:"attempts_left,omitempty" description:"Number of tries that a challenge still takes."`
	Until        string               `json:"until,omitempty" description:"Time at which the restriction ends."`
	Organization string               `json:"organization,omitempty" description:"Id of the organization that the caller acts for."`
	Gone         *catalog.GoneChannel `json:"gone,omitempty" description:"Fate of a channel that is known but not shown."`
}

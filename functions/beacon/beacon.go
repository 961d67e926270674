// Package beacon is the function that takes the errors that pages report of themselves.
//
// It keeps nothing in a database: reports are redacted, merged in memory by the minute,
// and logged. The network of a caller limits how many reports it may send, and is
// forgotten with the minute.
package beacon

import (
	"context"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/clienterror"
	"miramundo.dev/shared/identity"
)

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).report, api.Endpoint{
		Name:    "report_client_error",
		Method:  "POST",
		Path:    "/api/erro-cliente",
		Auth:    api.None,
		Summary: "Report an error of a page",
		Doc: "Takes an error that a page of the service noticed in itself. Credentials, addresses and numbers are redacted, and equal " +
			"reports of a minute are logged once. It always answers 204, also for reports that are ignored; agents need not call it.",
		SameOrigin: true,
		Lenient:    true,
	}),
}

// A Server merges reports.
type Server struct{ merger *clienterror.Merger }

// New returns a server that gives reports to m.
func New(m *clienterror.Merger) *Server { return &Server{m} }

type reportIn struct {
	Code    string `json:"code" minLength:"4" maxLength:"48" pattern:"^UI(-[A-Za-z0-9]+)+$" description:"Kind of the error, such as UI-JS-001, UI-PROMESSA-001, UI-RECURSO-001, UI-CSP-001 or UI-APP-001."`
	Phase   string `json:"phase" minLength:"1" maxLength:"32" pattern:"^[a-z][a-z0-9_-]*$" description:"Part of the page's life in which it happened, in lower case, such as load."`
	Path    string `json:"path,omitempty" description:"Path of the page; a query is cut off."`
	Message string `json:"message,omitempty" maxLength:"2000" description:"Message of the error."`
	Stack   string `json:"stack,omitempty" maxLength:"12000" description:"Its stack."`
	Source  string `json:"source,omitempty" description:"Address of the script; only its path is kept."`
	Line    int    `json:"line,omitempty" minimum:"0" description:"Line in the script."`
	Column  int    `json:"column,omitempty" minimum:"0" description:"Column in the line."`
	Visible bool   `json:"visivel,omitempty" description:"Whether the visitor saw the page."`
}

func (s *Server) report(ctx context.Context, in reportIn) (api.NoContent, error) {
	s.merger.Take(clienterror.Report(in), identity.Network(api.AddrOf(ctx)))
	return api.NoContent{}, nil
}

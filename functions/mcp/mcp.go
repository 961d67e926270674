// Package mcp is the function that serves the API as tools of the Model Context
// Protocol.
//
// One address answers both eras of the protocol without sessions: the revision
// 2026-07-28, in which each request says what it needs, and the earlier ones, which
// begin with initialize. The tools are derived from the table of endpoints (package
// tool) and run in this process, on servers of the functions that they belong to: a
// tool does what its endpoint does, for the caller that the headers of the request
// identify.
package mcp

import (
	"log/slog"
	"net/http"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/tool"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

// Paths of the endpoints.
const (
	path     = api.MCPPath
	cardPath = path + "/server-card"
)

// maxBody is the limit of a request body, in bytes: room for the arguments of any tool
// and a payment.
const maxBody = 128 << 10

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).post, api.Endpoint{
		Name:    "call_mcp",
		Method:  http.MethodPost,
		Path:    path,
		Auth:    api.None,
		Summary: "Send a message to the MCP server",
		Doc: "Takes one JSON-RPC 2.0 message of the Model Context Protocol (Streamable HTTP, without sessions) and answers it: tools/list, " +
			"tools/call and the other methods that the server card names. Tools are operations of this API; credentials and payments in " +
			"the usual headers count for them, cookies do not.",
		MaxBody:    maxBody,
		SameOrigin: true,
		Faults:     []*fault.Error{identity.ErrOrigin, ErrBusy},
		Answers: []api.Answer{
			{Status: http.StatusOK, Doc: "The JSON-RPC response to a request.", Body: rpcAnswer{}},
			{Status: http.StatusAccepted, Doc: "A notification was taken."},
			{Status: http.StatusBadRequest, Doc: "The body is not a message of the protocol, or its headers contradict it.", Body: rpcAnswer{}},
			{Status: http.StatusNotFound, Doc: "The method is unknown, in the revision 2026-07-28.", Body: rpcAnswer{}},
		},
	}),
	api.Bind((*Server).cardOrStream, api.Endpoint{
		Name:    "get_mcp_card",
		Method:  http.MethodGet,
		Path:    path,
		Auth:    api.None,
		Summary: "Get the MCP server card",
		Doc: "Returns the card of the MCP server: its name, version and address, the revisions of the protocol that it speaks, and the " +
			"names of its tools. To Accept: text/event-stream it answers 405, since the server opens no streams.",
		Cache:    api.Public(time.Hour),
		Produces: []string{cardType},
		Faults:   []*fault.Error{fault.ErrNoMethod},
	}),
	api.Bind((*Server).serverCard, api.Endpoint{
		Name:     "get_mcp_server_card",
		Method:   http.MethodGet,
		Path:     cardPath,
		Auth:     api.None,
		Summary:  "Get the server card at its reserved address",
		Doc:      "Returns the card of the MCP server, as GET " + path + " does, at the address that the protocol reserves for it.",
		Cache:    api.Public(time.Hour),
		Produces: []string{cardType},
	}),
}

// ErrBusy means that more calls wait than this process takes.
var ErrBusy = fault.New(fault.Unavailable, "unavailable").With("reason", string(fault.Busy)).With("retry_after", 1)

// A Group is endpoints of the table with the server that answers for them.
type Group struct {
	Server    any
	Endpoints []api.Endpoint
}

// Options are what a Server is made from.
type Options struct {
	Tools  []*tool.Tool // of the endpoints of the service; they are not changed
	Groups []Group      // which must contain every endpoint that is a tool
	Gate   *api.Gate    // identifies the callers of tools
	Pages  *identity.Pages
	Log    *slog.Logger // of the failures of tools; nil logs nothing
	Build  string       // short id of the commit
	Base   string       // address of the service, without a trailing slash
	Icon   string       // path of its icon of 192 pixels

	// Called is called once for each call of a tool, with its name. Nil does nothing.
	Called func(name string)
}

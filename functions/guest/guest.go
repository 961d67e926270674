// Package guest is the function that gives tokens to new guests. It also answers at
// the paths of the API keys of an earlier version, which are retired.
package guest

import (
	"context"
	"net/http"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

// ErrRetired answers at the paths of the retired API keys.
var ErrRetired = fault.New(fault.Gone, "api_keys_retired")

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).create, api.Endpoint{
		Name: "create_guest", Tool: true,
		Method:  "POST",
		Path:    "/api/guest",
		Auth:    api.None,
		Summary: "Create a guest",
		Doc: "Returns a new guest token, the only key to that guest's library, favorites, history and comments: it cannot be " +
			"recovered. Keep it and send it in X-Guest-Token. Reuse one: " +
			"a network that requests many gets 429.",
		Budget: budget.Guests,
		Faults: []*fault.Error{identity.ErrUnavailable},
	}),
	retired("create_guest_key", "POST", keysPath, "Create an API key (retired)"),
	retired("list_guest_keys", "GET", keysPath, "List the API keys (retired)"),
	retired("delete_guest_key", "DELETE", keysPath+api.ByID, "Delete an API key (retired)"),
}

// keysPath is where API keys once were.
const keysPath = "/api/keys"

// retired returns an endpoint of the retired API keys. It reads no input, so that
// every request gets the same answer.
func retired(name, method, path, summary string) api.Endpoint {
	return api.Bind((*Server).retired, api.Endpoint{
		Name:    name,
		Method:  method,
		Path:    path,
		Auth:    api.None,
		Summary: summary,
		Doc: "Always answers 410: these API keys are retired and cannot be created, listed or deleted. Use a guest token from POST " +
			"/api/guest.",
		Faults:     []*fault.Error{ErrRetired},
		Deprecated: true,
		Status:     http.StatusGone, // and no other
	})
}

// A Server gives tokens to guests.
type Server struct {
	guests *identity.Guests
}

// New returns a server that gives the tokens that guests issues.
func New(guests *identity.Guests) *Server { return &Server{guests} }

type created struct {
	Token string `json:"token" description:"Guest token, to be sent in X-Guest-Token or as a bearer token."`
}

func (s *Server) create(context.Context, struct{}) (created, error) {
	token, _, err := s.guests.Issue()
	return created{token}, err
}

func (s *Server) retired(context.Context, struct{}) (nothing, error) { return nothing{}, ErrRetired }

// Nothing is the result that a retired endpoint never has.
type nothing struct{}

// Reply fails as the endpoint does.
func (nothing) Reply(http.ResponseWriter, *http.Request) error { return ErrRetired }

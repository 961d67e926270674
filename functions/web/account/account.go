// Package account serves the pages on which visitors see and change their account:
// profile and sessions.
//
// Every form works without a script. What each change means is decided in the
// packages below shared/account; this package reads forms and renders the result.
package account

import (
	"slices"

	"miramundo.dev/functions/web/private"
)

// Endpoints are the pages of this package in every locale, with their forms.
var Endpoints = slices.Concat(profilePage.Endpoints(), sessionsPage.Endpoints())

// A Server serves the pages of this package.
type Server struct{ private *private.Renderer }

// New returns a server that renders its pages with r.
func New(r *private.Renderer) *Server { return &Server{r} }

// Private returns the renderer of the pages.
func (s *Server) Private() *private.Renderer { return s.private }

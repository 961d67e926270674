// Package account serves the pages on which visitors see and change their account:
// profile, sessions, API keys, export and deletion.
//
// Every form works without a script. What each change means is decided in the
// packages below shared/account; this package reads forms and renders the result.
package account

import (
	"slices"

	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/apikey"
	"miramundo.dev/shared/account/avatar"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/account/removal"
	"miramundo.dev/shared/account/throttle"
)

// Endpoints are the pages of this package in every locale, with their forms.
var Endpoints = slices.Concat(profilePage.Endpoints(), sessionsPage.Endpoints(), keysPage.Endpoints(), privacyPage.Endpoints())

// Options are what a Server needs.
type Options struct {
	Private  *private.Renderer
	Removals *removal.Removals
	Throttle *throttle.Throttle
}

// A Server serves the pages of this package.
type Server struct {
	o             Options
	photos        *avatar.Photos
	keys          *apikey.Keys
	organizations *organization.Organizations
}

// New returns a server that uses o.
func New(o Options) *Server {
	db, now := o.Private.DB, o.Private.Now
	learn := func(r *access.Record) { o.Private.Access.Learn(r) }
	return &Server{o, avatar.NewPhotos(db, o.Throttle, now), apikey.On(db, learn, now), organization.On(db, learn, now)}
}

// Private returns the renderer of the pages.
func (s *Server) Private() *private.Renderer { return s.o.Private }

// Package organization serves the pages on which visitors create, manage and join
// organizations.
package organization

import (
	"context"
	"slices"

	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/site"
)

// Endpoints are the pages of this package in every locale, with their forms.
var Endpoints = slices.Concat(listPage.Endpoints(), onePage.Endpoints(), invitationPage.Endpoints())

// Options are what a Server needs.
type Options struct {
	Private       *private.Renderer
	Organizations *organization.Organizations
	Post          *organization.Post
}

// A Server serves the pages.
type Server struct{ o Options }

// New returns a server that uses o.
func New(o Options) *Server { return &Server{o} }

// Private returns the renderer of the pages.
func (s *Server) Private() *private.Renderer { return s.o.Private }

var listPage = private.Page[*Server]{
	Page: site.Organizations, Subject: "the account's organizations",
	Doc:  "Returns the page that lists the organizations of the account and creates organizations.",
	Show: (*Server).list,
	Actions: map[string]private.Handler[*Server]{
		"create": (*Server).create,
	},
}

// A listBody is the body of the page of all organizations.
type listBody struct {
	*private.Visit
	Organizations []organization.Summary
	Max           int // how many an account belongs to at most
	Most          int // length of a name, in characters
}

// PathOf returns the path of the page of an organization.
func (b listBody) PathOf(id identity.Owner) string {
	return site.Organization.Path(b.Locale, string(id))
}

func (s *Server) list(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	all, err := s.o.Organizations.List(ctx, v.Speaker.Account)
	if err != nil {
		return nil, err
	}
	return v.Show(v.View(listBody{v, all, organization.MaxOrganizations, organization.MaxName}))
}

// create stores a new organization and leads to its page.
func (s *Server) create(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	made, err := s.o.Organizations.Create(ctx, v.Speaker.Account, v.Field("name"))
	if err != nil {
		return nil, err
	}
	return v.Go(site.Organization.Path(v.Locale, string(made.ID)), private.Query("done", "organization")), nil
}

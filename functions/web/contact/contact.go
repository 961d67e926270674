// Package contact serves the pages by which visitors get in touch with the operator:
// the contact form, and what is offered to partners and to producers.
//
// The two offers are those that the API returns, from packages partner and producer.
// The form is sent by a script, because the challenge that distinguishes a person from
// a program is one too; without a script the page names the operator's mail address.
package contact

import (
	"context"
	"slices"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/human"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/partner"
	"miramundo.dev/shared/producer"
	"miramundo.dev/shared/site"
)

// Endpoints are the pages of this package in every locale.
var Endpoints = slices.Concat(
	page.Endpoints(site.Contact, "Show the contact form", "Returns the page with the form by which visitors write to the operator. Programs use POST /api/contact.", (*Server).form),
	page.Endpoints(site.Partners, "Show the offers to partners", "Returns the page that presents sponsorship, partnership and advertising, as GET /api/partners does.", (*Server).partners),
	page.Endpoints(site.Producers, "Show the offers to producers", "Returns the page that presents what producers can ask for, as GET /api/producers does.", (*Server).producers),
)

// Options are what a Server needs.
type Options struct {
	Pages  *page.Renderer
	Widget human.Widget // zero where people cannot send the form
	Email  string       // of the operator; empty to show none
}

// A Server serves the pages of this package.
type Server struct{ o Options }

// New returns a server of the pages of this package.
func New(o Options) *Server { return &Server{o} }

type formIn struct {
	Kind string `query:"tipo" maxLength:"16" description:"Form of support that the form is about, as POST /api/contact takes it; an unknown one changes nothing."`
}

// A formBody is the body of the page of the form.
type formBody struct {
	Widget   human.Widget
	Email    string
	Kind     string // of the offers, that is chosen; empty for none
	Info     partner.Sponsoring
	Budgets  []string // ids, whose texts begin with contact.budget_
	Terms    []string // days
	Payments []string // ids, whose texts begin with contact.payment_
}

// The choices of the form, as POST /api/contact takes them.
var (
	budgets  = []string{"ate_100", "100_500", "500_2000", "2000_mais", "a_combinar"}
	terms    = []string{"30", "90", "365"}
	payments = []string{"usdc", "deposito", "a_combinar"}
)

// form shows the contact form.
func (s *Server) form(_ context.Context, l i18n.Locale, in formIn) (*page.Rendered, error) {
	info := partner.Of(l, config.Product, partner.Addresses{})
	if !slices.Contains(partner.Kinds, in.Kind) {
		in.Kind = ""
	}
	v := s.o.Pages.View(site.Contact, l, formBody{s.o.Widget, s.o.Email, in.Kind, info, budgets, terms, payments})
	v.Provider = s.o.Widget.Origin()
	return v.Show()
}

// An offer is the body of the pages of offers.
type offer[T any] struct {
	Info  T
	Email string
}

// partners shows the offers to partners.
func (s *Server) partners(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	info := partner.Of(l, config.Product, partner.Addresses{})
	v := s.o.Pages.View(site.Partners, l, offer[partner.Sponsoring]{info, s.o.Email})
	v.Title, v.Description = info.Title, info.Description
	return v.Show()
}

// producers shows the offers to producers.
func (s *Server) producers(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	info := producer.Of(l, producer.Addresses{})
	v := s.o.Pages.View(site.Producers, l, offer[producer.Offering]{info, s.o.Email})
	v.Title, v.Description = info.Title, info.Description
	return v.Show()
}

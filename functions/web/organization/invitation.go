package organization

import (
	"context"
	"errors"
	"net/url"

	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/site"
)

var invitationPage = private.Page[*Server]{
	Page: site.Invitation, Subject: "an invitation to an organization", Open: true,
	Doc: "Returns the page that the link of an invitation leads to. Opening it changes nothing: its only button joins the organization, " +
		"or leads visitors who are signed out to the sign-in page and back.",
	Show: (*Server).offer,
	Actions: map[string]private.Handler[*Server]{
		"join": (*Server).join,
	},
}

// An offerBody is the body of the page.
type offerBody struct {
	*private.Visit
	Offer organization.Offer // zero when the invitation is over
	Link  string             // its token
	Over  string             // the sentence about an invitation that cannot be accepted; empty for others
}

// OtherAddress returns the path of the sign-in page for another address, and back.
func (b offerBody) OtherAddress() string {
	return site.SignIn.Path(b.Locale, "") + "?" + url.Values{"to": {wayBack(b.Visit, b.Link)}, "again": {"1"}}.Encode()
}

// wayBack returns the path of the page with the token of an invitation.
func wayBack(v *private.Visit, link string) string {
	return v.Path() + "?" + private.Query(organization.TokenParam, link).Encode()
}

// offer renders the page. An invitation that is over is shown as such with status 404.
func (s *Server) offer(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	b := offerBody{Visit: v, Link: v.Token}
	if b.Link == "" {
		b.Link = v.Field("link")
	}
	var err error
	b.Offer, err = s.o.Organizations.Offer(ctx, b.Link)
	if errors.Is(err, organization.ErrNoInvitation) {
		v.Fail("join", err)
		b.Over = v.Wrong("join")
	} else if err != nil {
		return nil, err
	}
	return v.Show(v.View(b))
}

// join makes the visitor a member, or leads to the sign-in page first.
func (s *Server) join(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	link := v.Field("link")
	if !v.SignedIn() {
		return v.Go(site.SignIn.Path(v.Locale, ""), private.Query("to", wayBack(v, link))), nil
	}
	joined, err := s.o.Organizations.Accept(ctx, v.Speaker.Account, link)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return v.Go(site.Organization.Path(v.Locale, string(joined.ID)), private.Query("done", "joined")), nil
}

package organization

import (
	"context"
	"errors"
	"strings"

	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/account/removal"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
)

var onePage = private.Page[*Server]{
	Page: site.Organization, Subject: "an organization",
	Doc: "Returns the page of an organization that the account is a member of: its members, their roles and the pending invitations. " +
		"Owners and administrators change them there, and owners the organization itself.",
	Show: (*Server).one,
	Actions: map[string]private.Handler[*Server]{
		"rename":   (*Server).rename,
		"switch":   (*Server).setEnabled,
		"invite":   (*Server).invite,
		"withdraw": (*Server).withdraw,
		"role":     (*Server).setRole,
		"remove":   (*Server).remove,
		"leave":    (*Server).leave,
		"delete":   (*Server).delete,
	},
}

// errTyped means that the text typed to confirm a deletion is not the organization's
// name.
var errTyped = fault.New(fault.Invalid, "invalid_organization_name").With("reason", "not_equal").With("param", "typed")

// An oneBody is the body of the page of one organization.
type oneBody struct {
	*private.Visit
	*organization.View
	People  []person
	Invited []invited
	Roles   []access.Role // that the visitor may invite to
	Most    int           // length of a name, in characters
	Owner   bool          // whether the visitor is an owner
}

// A person is a member as the page shows it.
type person struct {
	organization.Person
	Roles     []access.Role // that the visitor may give the member; empty for none
	Self      bool          // whether it is the visitor
	Removable bool          // whether the visitor may remove it
}

// An invited is a pending invitation as the page shows it.
type invited struct {
	organization.Invitation
	Until private.Moment
}

// one renders the page of an organization for its members. For any other visitor the
// page is not found.
func (s *Server) one(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	a, err := v.Account(ctx)
	if err != nil {
		return nil, err
	}
	shown, err := s.o.Organizations.View(ctx, a.ID, id(v))
	if errors.Is(err, organization.ErrForbidden) {
		return nil, fault.ErrNotFound
	} else if err != nil {
		return nil, err
	}
	b := oneBody{Visit: v, View: shown, Most: organization.MaxName, Owner: shown.Role == access.Owner}
	for _, p := range shown.Members {
		b.People = append(b.People, b.personOf(p))
	}
	for _, i := range shown.Invitations {
		b.Invited = append(b.Invited, invited{i, v.Day(a.Profile, i.EndsAt.Time)})
	}
	switch shown.Role {
	case access.Owner:
		b.Roles = []access.Role{access.Member, access.Administrator}
	case access.Administrator:
		b.Roles = []access.Role{access.Member}
	}
	view := v.View(b)
	view.Title = shown.Name
	return v.Show(view)
}

// id returns the id of the organization that the page is about.
func id(v *private.Visit) identity.Owner { return identity.Owner(v.ID) }

// personOf returns a member with what the visitor may do with it.
func (b *oneBody) personOf(p organization.Person) person {
	shown := person{Person: p, Self: p.Account == b.Speaker.Account}
	if b.Owner {
		shown.Roles = []access.Role{access.Member, access.Administrator, access.Owner}
	}
	shown.Removable = !shown.Self && (b.Owner || b.Role == access.Administrator && p.Role == access.Member)
	return shown
}

func (s *Server) rename(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	return done(v, "renamed", s.o.Organizations.Rename(ctx, v.Speaker.Account, id(v), v.Field("name")))
}

// done returns the answer to an action: the page with a notice, or the failure.
func done(v *private.Visit, notice string, err error) (*private.Answer, error) {
	if err != nil {
		return nil, err
	}
	return v.Finish(notice), nil
}

// setEnabled switches the product on or off.
func (s *Server) setEnabled(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	on := v.Field("on") == "1"
	notice := "switched_off"
	if on {
		notice = "switched_on"
	}
	return done(v, notice, s.o.Organizations.SetEnabled(ctx, v.Speaker.Account, id(v), on))
}

func (s *Server) invite(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	role := access.Role(v.Field("role"))
	return done(v, "invited", s.o.Post.Invite(ctx, v.Speaker.Account, id(v), v.Field("email"), role, v.Locale))
}

func (s *Server) withdraw(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	return done(v, "withdrawn", s.o.Organizations.Withdraw(ctx, v.Speaker.Account, id(v), v.Field("invitation")))
}

func (s *Server) setRole(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	return done(v, "role", s.o.Organizations.SetRole(ctx, v.Speaker.Account, id(v), identity.Owner(v.Field("member")), access.Role(v.Field("role"))))
}

func (s *Server) remove(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	return done(v, "removed", s.o.Organizations.Remove(ctx, v.Speaker.Account, id(v), identity.Owner(v.Field("member"))))
}

// leave removes the visitor from the organization.
func (s *Server) leave(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	if err := s.o.Organizations.Remove(ctx, v.Speaker.Account, id(v), v.Speaker.Account); err != nil {
		return nil, err
	}
	return v.Go(site.Organizations.Path(v.Locale, ""), private.Query("done", "left")), nil
}

// delete deletes the organization when the visitor has typed its name. What it owns
// is deleted afterwards by a job.
func (s *Server) delete(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	shown, err := s.o.Organizations.View(ctx, v.Speaker.Account, id(v))
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(v.Field("typed"), shown.Name) {
		return nil, errTyped
	}
	err = s.o.Organizations.Delete(ctx, v.Speaker, id(v), func(tx store.Tx) error {
		return removal.Queue(tx, id(v), s.o.Private.Now())
	})
	if err != nil {
		return nil, err
	}
	return v.Go(site.Organizations.Path(v.Locale, ""), private.Query("done", "organization_deleted")), nil
}

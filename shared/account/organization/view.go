package organization

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// A Summary is an organization as one of its members sees it in a list.
type Summary struct {
	ID      identity.Owner
	Name    string
	Role    access.Role // of the member
	Enabled bool        // the product is on
}

// List returns the organizations of an account, in the order in which it joined
// them, by two reads.
func (s *Organizations) List(ctx context.Context, account identity.Owner) ([]Summary, error) {
	all, err := s.of(ctx, account)
	if err != nil {
		return nil, err
	}
	list := make([]Summary, 0, len(all))
	for _, o := range all {
		list = append(list, o.summary(account))
	}
	return list, nil
}

// LastOwnerOf returns the organizations that nobody but an account owns. While there
// are some, the account should not be deleted: another owner is to be appointed
// first, or the organization deleted.
func (s *Organizations) LastOwnerOf(ctx context.Context, account identity.Owner) ([]Summary, error) {
	all, err := s.of(ctx, account)
	if err != nil {
		return nil, err
	}
	var list []Summary
	for _, o := range all {
		if o.IsLastOwner(account) {
			list = append(list, o.summary(account))
		}
	}
	return list, nil
}

func (o *Organization) summary(account identity.Owner) Summary {
	m, _ := o.member(account)
	return Summary{ID: o.ID, Name: o.Name, Role: m.Role, Enabled: !o.Disabled}
}

// of returns the organizations that an account is a member of.
func (s *Organizations) of(ctx context.Context, account identity.Owner) ([]*Organization, error) {
	var r access.Record
	if err := s.db.Get(ctx, access.Path(account), &r); errors.Is(err, store.ErrNotFound) {
		return nil, identity.ErrEnded
	} else if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	paths := make([]store.Path, len(r.Memberships))
	for i, m := range r.Memberships {
		paths[i] = Path(m.Organization)
	}
	docs, err := s.db.GetAll(ctx, paths)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	var list []*Organization
	for _, doc := range docs {
		if doc.Decode == nil { // deleted since the first read
			continue
		}
		o := new(Organization)
		if err := doc.Decode(o); err != nil {
			return nil, err
		}
		if _, ok := o.member(account); ok {
			list = append(list, o)
		}
	}
	return list, nil
}

// A View is an organization as one of its members sees it.
type View struct {
	Summary
	CreatedAt   time.Time
	Members     []Person
	Invitations []Invitation // that are pending, without their hashes; only for members who manage the organization
}

// A Person is a member, with what is shown of its account.
type Person struct {
	Member
	Name  string
	Email string // only for members who manage the organization, and of the member itself
}

// View returns an organization as a member sees it, by two reads. It returns
// ErrForbidden for anybody else.
func (s *Organizations) View(ctx context.Context, by, id identity.Owner) (*View, error) {
	o, err := get(getter{ctx, s.db}, id)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	role, err := o.RoleOf(by)
	if err != nil {
		return nil, err
	}
	people, err := s.people(ctx, o)
	if err != nil {
		return nil, err
	}
	v := &View{Summary: o.summary(by), CreatedAt: o.CreatedAt.Time, Members: people}
	if !role.Manages() {
		for i := range people {
			if people[i].Account != by {
				people[i].Email = ""
			}
		}
		return v, nil
	}
	now := s.now()
	for _, i := range o.Invitations {
		if i.pending(now) {
			i.Hash = ""
			v.Invitations = append(v.Invitations, i)
		}
	}
	return v, nil
}

// people returns the members of o with their names and addresses.
func (s *Organizations) people(ctx context.Context, o *Organization) ([]Person, error) {
	paths := make([]store.Path, len(o.Members))
	for i, m := range o.Members {
		paths[i] = account.Path(m.Account)
	}
	docs, err := s.db.GetAll(ctx, paths)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	people := make([]Person, len(o.Members))
	for i, doc := range docs {
		people[i].Member = o.Members[i]
		var a account.Account
		if doc.Decode == nil {
			continue
		}
		if err := doc.Decode(&a); err != nil {
			return nil, err
		}
		people[i].Name, people[i].Email = a.Profile.Name, a.Email
	}
	return people, nil
}

// A getter reads documents outside of a transaction.
type getter struct {
	ctx context.Context
	db  store.DB
}

// Get decodes the document at p.
func (g getter) Get(p store.Path, doc any) error { return g.db.Get(g.ctx, p, doc) }

// An Offer is an invitation as the person who opens its link sees it.
type Offer struct {
	ID    identity.Owner // of the organization
	Name  string
	Role  access.Role
	Email string // that was invited
}

// Offer returns the invitation of a token, by one read and without using it up. It
// returns ErrNoInvitation for a token that is not valid any more.
func (s *Organizations) Offer(ctx context.Context, token string) (Offer, error) {
	id, secret, err := splitToken(token)
	if err != nil {
		return Offer{}, err
	}
	o, err := get(getter{ctx, s.db}, id)
	if errors.Is(err, ErrForbidden) { // the organization does not exist any more
		return Offer{}, ErrNoInvitation
	} else if err != nil {
		return Offer{}, fault.OrUnavailable(err)
	}
	i, err := o.invitation(secret, s.now())
	if err != nil {
		return Offer{}, err
	}
	return Offer{ID: id, Name: o.Name, Role: o.Invitations[i].Role, Email: o.Invitations[i].Email}, nil
}

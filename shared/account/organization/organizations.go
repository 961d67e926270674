package organization

import (
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// ErrSecondFactor means that the caller must sign in with a second factor first.
var ErrSecondFactor = fault.New(fault.Forbidden, "organization_mfa_required")

// Organizations stores organizations. Its methods may be called concurrently. Each
// changes an organization and the access records that follow from it in one
// transaction, and checks the caller's role in it. They return ErrForbidden for an
// organization that does not exist.
type Organizations struct {
	db    store.DB
	learn func(*access.Record) // is called with each record that was written
	now   func() time.Time
}

// On returns the organizations in db. learn, such as the method of an
// [access.Checker], makes this process see each written access record at once; it
// may be nil.
func On(db store.DB, learn func(*access.Record), now func() time.Time) *Organizations {
	if learn == nil {
		learn = func(*access.Record) {}
	}
	return &Organizations{db, learn, now}
}

// Create stores a new organization that an account owns.
func (s *Organizations) Create(ctx context.Context, founder identity.Owner, name string) (*Organization, error) {
	o, err := New(name, founder, s.now())
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, func(store.Tx) (before, after *Organization, err error) {
		created := *o
		return &Organization{ID: o.ID}, &created, nil
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

// Rename gives an organization another name.
func (s *Organizations) Rename(ctx context.Context, by, id identity.Owner, name string) error {
	return s.change(ctx, id, func(_ store.Tx, o *Organization) error { return o.Rename(by, name) })
}

// SetEnabled switches the product of an organization on or off.
func (s *Organizations) SetEnabled(ctx context.Context, by, id identity.Owner, enabled bool) error {
	return s.change(ctx, id, func(_ store.Tx, o *Organization) error { return o.SetEnabled(by, enabled) })
}

// SetRole gives a member another role.
func (s *Organizations) SetRole(ctx context.Context, by, id, member identity.Owner, role access.Role) error {
	return s.change(ctx, id, func(_ store.Tx, o *Organization) error { return o.SetRole(by, member, role) })
}

// Remove removes a member; one that removes itself leaves.
func (s *Organizations) Remove(ctx context.Context, by, id, member identity.Owner) error {
	return s.change(ctx, id, func(_ store.Tx, o *Organization) error { return o.Remove(by, member) })
}

// An Invited is a new invitation, as the mail to the invited address needs it.
type Invited struct {
	Token        string // see [Organizations.Accept]; stored nowhere
	Organization string // name
	Inviter      *account.Account
	Invitation   Invitation
}

// Invite stores an invitation, and returns what its mail needs. It returns
// ErrAlreadyMember when the account of the address is a member. Otherwise it does
// not depend on whether the address has an account.
func (s *Organizations) Invite(ctx context.Context, by, id identity.Owner, to Address, role access.Role) (in Invited, err error) {
	return in, s.change(ctx, id, func(tx store.Tx, o *Organization) error {
		if in.Token, in.Invitation, err = o.Invite(by, to, role, s.now()); err != nil {
			return err
		}
		in.Organization = o.Name
		invited, found, err := account.Find(tx, to.Key)
		if _, ok := o.member(invited); err == nil && found && ok {
			err = ErrAlreadyMember
		}
		if err != nil {
			return err
		}
		in.Inviter, err = account.Get(tx, by)
		return err
	})
}

// Withdraw ends an invitation.
func (s *Organizations) Withdraw(ctx context.Context, by, id identity.Owner, invitation string) error {
	return s.change(ctx, id, func(_ store.Tx, o *Organization) error { return o.Withdraw(by, invitation) })
}

// Accept makes an account a member by the token of an invitation to its address, and
// returns the organization. It returns ErrNoInvitation for a token that is not valid
// any more, and ErrWrongAddress when another address was invited.
func (s *Organizations) Accept(ctx context.Context, by identity.Owner, token string) (joined *Organization, err error) {
	id, secret, err := splitToken(token)
	if err != nil {
		return nil, err
	}
	err = s.change(ctx, id, func(tx store.Tx, o *Organization) error {
		a, err := account.Get(tx, by)
		if err != nil {
			return err
		}
		joined = o
		return o.Accept(secret, by, a.EmailKey, s.now())
	})
	switch {
	case errors.Is(err, ErrForbidden): // the organization does not exist any more
		return nil, ErrNoInvitation
	case err != nil:
		return nil, err
	}
	return joined, nil
}

// Delete deletes an organization with its members, invitations and keys. The caller
// must be an owner whose sign-in is recent, and who has proved a second factor if
// the account has one. Else it returns ErrForbidden, identity.ErrReauth or
// ErrSecondFactor. Also is called in the transaction after its reads, to schedule
// the deletion of what the organization owns, which stays.
func (s *Organizations) Delete(ctx context.Context, by identity.Speaker, id identity.Owner, also func(store.Tx) error) error {
	if err := access.CheckRecent(by, s.now()); err != nil {
		return err
	}
	return s.write(ctx, func(tx store.Tx) (before, after *Organization, err error) {
		if before, err = get(tx, id); err != nil {
			return nil, nil, err
		}
		a, err := account.Get(tx, by.Account)
		if err != nil {
			return nil, nil, err
		}
		if err := before.CheckOwner(a.ID); err != nil {
			return nil, nil, err
		}
		if a.NeedsFactor() && !by.SecondFactor {
			return nil, nil, ErrSecondFactor
		}
		return before, &Organization{ID: id}, nil
	}, also)
}

// Abandon takes an account that is about to be deleted out of its organizations, one
// after the other. An organization without members is deleted, and also is called
// with it in the same transaction, as Delete does. When Abandon fails, calling it
// again goes on where it was.
func (s *Organizations) Abandon(ctx context.Context, account identity.Owner, also func(tx store.Tx, id identity.Owner) error) error {
	var r access.Record
	if err := s.db.Get(ctx, access.Path(account), &r); errors.Is(err, store.ErrNotFound) {
		return nil
	} else if err != nil {
		return fault.OrUnavailable(err)
	}
	for _, m := range r.Memberships {
		left := true
		err := s.write(ctx, func(tx store.Tx) (before, after *Organization, err error) {
			before, after, err = pair(tx, m.Organization)
			if err == nil {
				left = after.Abandon(account)
			}
			return before, after, err
		}, func(tx store.Tx) error {
			if left {
				return nil
			}
			return also(tx, m.Organization)
		})
		if err != nil && !errors.Is(err, ErrForbidden) { // deleted meanwhile
			return err
		}
	}
	return nil
}

// change applies f to a stored organization. When f fails, nothing is stored.
func (s *Organizations) change(ctx context.Context, id identity.Owner, f func(store.Tx, *Organization) error) error {
	return s.write(ctx, func(tx store.Tx) (before, after *Organization, err error) {
		before, after, err = pair(tx, id)
		if err == nil {
			err = f(tx, after)
		}
		return before, after, err
	})
}

// pair returns a stored organization twice: as it is, and to be changed.
func pair(tx store.Tx, id identity.Owner) (before, after *Organization, err error) {
	if before, err = get(tx, id); err != nil {
		return nil, nil, err
	}
	changed := *before
	changed.Members, changed.Invitations = slices.Clone(before.Members), slices.Clone(before.Invitations)
	return before, &changed, nil
}

// get returns a stored organization, or ErrForbidden when there is none.
func get(from account.Getter, id identity.Owner) (*Organization, error) {
	if identity.KindOf(id) != identity.Organization {
		return nil, ErrForbidden
	}
	var o Organization
	if err := from.Get(Path(id), &o); errors.Is(err, store.ErrNotFound) {
		return nil, ErrForbidden
	} else if err != nil {
		return nil, err
	}
	return &o, nil
}

// write stores the difference between two states of an organization, which read
// returns in the transaction, in all documents that it concerns. Further writes of
// the same transaction are in also.
func (s *Organizations) write(ctx context.Context, read func(store.Tx) (before, after *Organization, err error), also ...func(store.Tx) error) error {
	var written []*access.Record
	err := s.db.Update(ctx, func(tx store.Tx) error {
		before, after, err := read(tx)
		if err != nil {
			return err
		}
		if written, err = records(tx, before, after); err != nil {
			return err
		}
		for _, f := range also {
			if err := f(tx); err != nil {
				return err
			}
		}
		return put(tx, after, written)
	})
	if err != nil {
		return fault.OrUnavailable(err)
	}
	for _, r := range written {
		s.learn(r)
	}
	return nil
}

// records returns the access records that a change concerns, as they are after it.
// An account that is deleted has none, and cannot join.
func records(tx store.Tx, before, after *Organization) ([]*access.Record, error) {
	all, err := access.GetAll(tx.GetAll, concerned(before, after))
	if err != nil {
		return nil, err
	}
	kept := all[:0]
	for _, r := range all {
		if _, joins := after.member(r.Owner); r.Revision == 0 && r.Owner != after.ID {
			if joins {
				return nil, identity.ErrEnded
			}
			continue
		}
		if err := copyTo(r, before, after); err != nil {
			return nil, err
		}
		kept = append(kept, r)
	}
	return kept, nil
}

// put stores an organization and access records. An organization without members is
// deleted, with its own record.
func put(tx store.Tx, o *Organization, list []*access.Record) error {
	var errs []error
	for _, r := range list {
		if r.Owner == o.ID && len(o.Members) == 0 {
			r.Revision++
			errs = append(errs, tx.Delete(access.Path(r.Owner)))
			continue
		}
		errs = append(errs, access.Put(tx, r))
	}
	if len(o.Members) == 0 {
		return errors.Join(append(errs, tx.Delete(Path(o.ID)))...)
	}
	o.Revision++
	return errors.Join(append(errs, tx.Set(Path(o.ID), o))...)
}

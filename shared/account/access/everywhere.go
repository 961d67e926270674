package access

import (
	"context"
	"errors"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// An account that signs out everywhere, or that is about to be deleted, loses all the
// credentials that it ever got: its sessions, its API keys, and the keys that it made
// for organizations, whose secrets it knows. They are in the record of the account
// and in those of its organizations, so all of these change in one transaction.

// ErrNoSession means that the account has no session with an id.
var ErrNoSession = fault.New(fault.NotFound, "session_not_found")

// EndEverywhere ends the sessions of the account of r, except the one with an id,
// which may be empty, and stops the keys that the account made. It reads the records
// of its organizations and stores nothing: it returns the records that changed, r
// among them, for [PutAll].
func EndEverywhere(from Getter, r *Record, except string) ([]*Record, error) {
	changed := []*Record{r}
	r.EndSessions(except)
	r.StopKeys("")
	for _, m := range r.Memberships {
		o, err := Get(from, m.Organization)
		if err != nil {
			return nil, err
		}
		if o.hasKeyOf(r.Owner) {
			o.StopKeys(r.Owner)
			changed = append(changed, o)
		}
	}
	return changed, nil
}

// hasKeyOf reports whether a live key of r was made by an account.
func (r *Record) hasKeyOf(maker identity.Owner) bool {
	for i := range r.Keys {
		if k := &r.Keys[i]; k.Active() && k.Maker == maker {
			return true
		}
	}
	return false
}

// EndReplaced ends the session that a browser has had until it signs in to the account
// next, when it is a session of another account. It returns the changed record, for
// [Put] after the reads of the transaction, or nil when nothing changed.
// [Record.Open] ends a session of the same account.
func EndReplaced(from Getter, cookie string, next identity.Owner) (*Record, error) {
	owner, ok := AccountOf(cookie)
	if !ok || owner == next {
		return nil, nil
	}
	r, err := Get(from, owner)
	if err != nil || !r.EndCookie(cookie) {
		return nil, err
	}
	return r, nil
}

// PutAll stores records in a transaction that has read them.
func PutAll(tx store.Tx, records []*Record) error {
	for _, r := range records {
		if err := Put(tx, r); err != nil {
			return err
		}
	}
	return nil
}

// SignOutEverywhere applies EndEverywhere to the stored record of an account. The
// records that changed are known to this process at once, and to others within five
// seconds. It returns identity.ErrEnded when the account is deleted.
func (c *Checker) SignOutEverywhere(ctx context.Context, account identity.Owner, except string) error {
	var changed []*Record
	err := c.db.Update(ctx, func(tx store.Tx) error {
		r, err := Get(tx, account)
		if err != nil {
			return err
		}
		if r.Revision == 0 {
			return identity.ErrEnded
		}
		if changed, err = EndEverywhere(tx, r, except); err != nil {
			return err
		}
		return PutAll(tx, changed)
	})
	if errors.Is(err, identity.ErrEnded) {
		return err
	}
	if err != nil {
		return fault.OrUnavailable(err)
	}
	for _, r := range changed {
		c.Learn(r)
	}
	return nil
}

// EndSession ends the session of an account with an id. It returns ErrNoSession when the
// account has no session with that id, and identity.ErrEnded when the account is deleted.
func (c *Checker) EndSession(ctx context.Context, account identity.Owner, id string) error {
	r, err := Update(ctx, c.db, account, func(r *Record) error {
		if !r.EndSession(id) {
			return ErrNoSession
		}
		return nil
	})
	if err != nil {
		return fault.OrUnavailable(err)
	}
	c.Learn(r)
	return nil
}

// Package apikey lists, creates and revokes the API keys of an account and of the
// organizations that it manages.
//
// The keys are in the access records of their owners (see package access), so this
// package has no documents of its own. Each call reads the record of the calling
// account, whose memberships say for which organizations it may act: they change in
// the same transaction as the organizations.
package apikey

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// Faults of calls.
var (
	ErrName         = fault.New(fault.Invalid, "invalid_key_name") // with a reason
	ErrOrganization = fault.New(fault.Invalid, "invalid_organization")
	ErrID           = fault.New(fault.Invalid, "invalid_key_id")
)

// Keys keeps the API keys in a database. Its methods may be called concurrently.
type Keys struct {
	db    store.DB
	learn func(*access.Record) // is called with each record that was written
	now   func() time.Time
}

// On returns the keys in db. learn, such as the method of an [access.Checker], makes
// this process see each written access record at once; it may be nil.
func On(db store.DB, learn func(*access.Record), now func() time.Time) *Keys {
	if learn == nil {
		learn = func(*access.Record) {}
	}
	return &Keys{db, learn, now}
}

// A Key is an API key with its owner: an account or an organization.
type Key struct {
	access.Key
	Owner identity.Owner
}

// List returns the keys of an account and of the organizations that it manages, the
// newest of each owner first, by two reads. Among them are the last twenty of each
// owner that are not accepted any more.
func (k *Keys) List(ctx context.Context, account identity.Owner) ([]Key, error) {
	records, err := managed(outside{ctx, k.db}, account)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	var list []Key
	for _, r := range records {
		for _, key := range slices.Backward(r.Keys) {
			list = append(list, Key{key, r.Owner})
		}
	}
	return list, nil
}

// A reader reads documents, such as a transaction.
type reader interface {
	access.Getter
	GetAll(ps []store.Path) ([]store.Doc, error)
}

// managed returns the records whose keys an account manages, its own first. It
// returns identity.ErrEnded for an account that is deleted.
func managed(from reader, account identity.Owner) ([]*access.Record, error) {
	own, err := access.Get(from, account)
	if err != nil {
		return nil, err
	}
	if own.Revision == 0 {
		return nil, identity.ErrEnded
	}
	var organizations []identity.Owner
	for _, m := range own.Memberships {
		if m.Role.Manages() {
			organizations = append(organizations, m.Organization)
		}
	}
	records, err := access.GetAll(from.GetAll, organizations)
	return append([]*access.Record{own}, records...), err
}

// An outside reads documents outside of a transaction.
type outside struct {
	ctx context.Context
	db  store.DB
}

// Get decodes the document at p.
func (o outside) Get(p store.Path, doc any) error { return o.db.Get(o.ctx, p, doc) }

// GetAll returns the documents at ps.
func (o outside) GetAll(ps []store.Path) ([]store.Doc, error) { return o.db.GetAll(o.ctx, ps) }

// Create adds a key with a name for the caller's account, or for an organization
// when that is not empty, and returns it with its secret, which is stored nowhere.
//
// The caller's sign-in must be recent. For an organization it must have proved a
// second factor, and be an owner or administrator of one with the product switched
// on. Create returns ErrName, ErrOrganization, identity.ErrReauth,
// organization.ErrForbidden, organization.ErrSecondFactor or access.ErrKeyLimit.
func (k *Keys) Create(ctx context.Context, caller identity.Speaker, name string, owner identity.Owner) (secret string, key Key, err error) {
	name, err = checkName(name)
	if err != nil {
		return "", key, err
	}
	if owner != "" && identity.KindOf(owner) != identity.Organization {
		return "", key, ErrOrganization
	}
	if err := access.CheckRecent(caller, k.now()); err != nil {
		return "", key, err
	}
	var written *access.Record
	err = k.db.Update(ctx, func(tx store.Tx) error {
		if written, err = admit(tx, caller, owner); err != nil {
			return err
		}
		key.Owner = written.Owner
		if secret, key.Key, err = written.AddKey(name, caller.Account, k.now()); err != nil {
			return err
		}
		return access.Put(tx, written)
	})
	if err != nil {
		return "", Key{}, fault.OrUnavailable(err)
	}
	k.learn(written)
	return secret, key, nil
}

// checkName returns a name without the spaces around it, or ErrName.
func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	reason := account.NameProblem(name)
	if name == "" {
		reason = "empty"
	}
	if reason != "" {
		return "", ErrName.With("reason", reason).With("bound", access.MaxKeyName)
	}
	return name, nil
}

// admit reads the record that a caller may add a key to: that of its account, or of
// an organization. The session must still be there, since another instance may have
// ended it within the last seconds.
func admit(tx store.Tx, caller identity.Speaker, owner identity.Owner) (*access.Record, error) {
	own, err := access.Get(tx, caller.Account)
	if err != nil {
		return nil, err
	}
	if _, ok := own.Session(caller.Session); !ok {
		return nil, identity.ErrEnded
	}
	if owner == "" {
		return own, nil
	}
	m, ok := own.Membership(owner)
	switch {
	case !ok || m.Disabled || !m.Role.Manages():
		return nil, organization.ErrForbidden
	case !caller.SecondFactor:
		return nil, organization.ErrSecondFactor
	}
	return access.Get(tx, owner)
}

// Revoke ends the key with an id; a second time changes nothing. It returns ErrID
// for text that is not an id, and access.ErrNoKey when the caller's account manages
// no such key.
func (k *Keys) Revoke(ctx context.Context, account identity.Owner, id string) error {
	if !access.IsKeyID(id) {
		return ErrID
	}
	var written *access.Record
	err := k.db.Update(ctx, func(tx store.Tx) error {
		records, err := managed(tx, account)
		if err != nil {
			return err
		}
		for _, r := range records {
			err := r.RevokeKey(id, k.now())
			if errors.Is(err, access.ErrNoKey) {
				continue
			}
			written = r
			return access.Put(tx, r)
		}
		return access.ErrNoKey
	})
	if err != nil {
		return fault.OrUnavailable(err)
	}
	k.learn(written)
	return nil
}

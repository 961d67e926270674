// Package account stores accounts: a person's address, profile and the means by
// which the person signs in.
//
//	accounts/{account}        an Account
//	emails/{sha256(key)}      the account of an e-mail address
//
// Both are written in one transaction, so that an address leads to one account and
// an account to the address that it has. What an account owns, such as a library,
// is where a guest's is, under the account's id.
//
// The packages below this one are the parts of signing in:
//
//	access/        sessions, API keys and memberships: what a request shows
//	password/      hashes of passwords, and which are too weak
//	factor/        the second factor: one-time codes of an app, recovery codes
//	passkey/       passkeys
//	challenge/     proofs that are pending
//	throttle/      how often somebody may try
//	signin/        the ways from an address to a session
//	organization/  organizations and their members
//	apikey/        API keys of accounts and organizations
//	claim/         moving what a guest owns to an account
//	devicelink/    letting a signed-in device sign in another
//
// And those of keeping and leaving an account:
//
//	avatar/        the photo
//	export/        everything that an account has, as one archive
//	removal/       deleting an account and what it owns
package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"miramundo.dev/shared/account/factor"
	"miramundo.dev/shared/account/passkey"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// Faults of accounts.
var (
	ErrTaken   = fault.New(fault.Conflict, "email_taken")      // another account has the address
	ErrChanged = fault.New(fault.Conflict, "revision_changed") // the profile was changed meanwhile; its field revision is the current one
)

// An Account is what is stored of one account. It is stored in this form: fields may
// be added, but none may change its name or meaning.
type Account struct {
	ID        identity.Owner `json:"id"`
	Email     string         `json:"email"`     // verified, as it is shown
	EmailKey  string         `json:"email_key"` // the same, as addresses are compared
	Profile   Profile        `json:"profile"`
	CreatedAt store.Time     `json:"created_at"`
	DeleteAt  store.Time     `json:"delete_at"` // when the account is to be deleted; zero when it is not
	Avatar    bool           `json:"avatar,omitempty"`

	Password string                `json:"password,omitempty"` // hash, in PHC form; empty without a password
	Passkeys []passkey.Credential  `json:"passkeys,omitempty"`
	TOTP     *factor.Authenticator `json:"totp,omitempty"`     // nil without an authenticator app
	Recovery []string              `json:"recovery,omitempty"` // hashes of the recovery codes that were not used
	TwoStep  bool                  `json:"two_step,omitempty"` // a passkey is asked for after a code by mail or a password
}

// NeedsFactor reports whether signing in takes a second factor after a code by mail or
// a password.
func (a *Account) NeedsFactor() bool { return a.TOTP != nil || a.TwoStep && len(a.Passkeys) > 0 }

// Path returns where an account is.
func Path(id identity.Owner) store.Path { return store.Path("accounts").Join(string(id)) }

// emailPath returns where the account of an address is named.
func emailPath(key string) store.Path {
	sum := sha256.Sum256([]byte(key))
	return store.Path("emails").Join(hex.EncodeToString(sum[:]))
}

// An email is the document that leads from an address to its account.
type email struct {
	Account identity.Owner `json:"account"`
}

// A Getter reads documents, such as a transaction.
type Getter interface {
	Get(p store.Path, doc any) error
}

// Find returns the account of an address, by its key, and whether the address has one.
func Find(from Getter, key string) (identity.Owner, bool, error) {
	var e email
	err := from.Get(emailPath(key), &e)
	if errors.Is(err, store.ErrNotFound) {
		return "", false, nil
	}
	return e.Account, err == nil, err
}

// Lookup returns the account of an address by one read, as Find does.
func Lookup(ctx context.Context, db store.DB, key string) (identity.Owner, bool, error) {
	return Find(getter{ctx, db}, key)
}

// Get returns an account, or identity.ErrEnded when it is deleted.
func Get(from Getter, id identity.Owner) (*Account, error) {
	var a Account
	if err := from.Get(Path(id), &a); errors.Is(err, store.ErrNotFound) {
		return nil, identity.ErrEnded
	} else if err != nil {
		return nil, err
	}
	return &a, nil
}

// Load returns an account by one read, as Get does.
func Load(ctx context.Context, db store.DB, id identity.Owner) (*Account, error) {
	return Get(getter{ctx, db}, id)
}

// Create stores a new account in a transaction that has found none for its address.
func Create(tx store.Tx, a *Account) error {
	return errors.Join(tx.Create(emailPath(a.EmailKey), email{a.ID}), tx.Create(Path(a.ID), a))
}

// Put stores an account in a transaction that has read it.
func Put(tx store.Tx, a *Account) error { return tx.Set(Path(a.ID), a) }

// Rename gives a another address in a transaction, which must have found no account
// for it, and stores a.
func Rename(tx store.Tx, a *Account, shown, key string) error {
	if key == a.EmailKey {
		a.Email = shown
		return Put(tx, a)
	}
	old := a.EmailKey
	a.Email, a.EmailKey = shown, key
	return errors.Join(tx.Delete(emailPath(old)), tx.Create(emailPath(key), email{a.ID}), Put(tx, a))
}

// Remove deletes an account and frees its address, in a transaction that has read
// it. What the account owns stays.
func Remove(tx store.Tx, a *Account) error {
	return errors.Join(tx.Delete(Path(a.ID)), tx.Delete(emailPath(a.EmailKey)))
}

// Update applies change to a stored account and returns the result. It returns
// identity.ErrEnded when the account is deleted. When change fails, nothing is
// stored. change must not change the address.
func Update(ctx context.Context, db store.DB, id identity.Owner, change func(*Account) error) (*Account, error) {
	var stored *Account
	err := db.Update(ctx, func(tx store.Tx) error {
		a, err := Get(tx, id)
		if err != nil {
			return err
		}
		if err := change(a); err != nil {
			return err
		}
		stored = a
		return Put(tx, a)
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// New returns an account that is not stored, with the address as it is shown and as
// it is compared.
func New(shown, key string, p Profile, now time.Time) *Account {
	p.Revision = 1
	return &Account{
		ID: identity.NewOwner(identity.Person), Email: shown, EmailKey: key, Profile: p, CreatedAt: store.At(now),
	}
}

// A getter reads documents outside of a transaction.
type getter struct {
	ctx context.Context
	db  store.DB
}

// Get decodes the document at p.
func (g getter) Get(p store.Path, doc any) error { return g.db.Get(g.ctx, p, doc) }

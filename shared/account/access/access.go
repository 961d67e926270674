// Package access stores the credentials by which accounts and organizations are
// recognized: the sessions of browsers and the API keys of programs.
//
//	access/{owner}    a Record
//
// All of them are in one document for each owner. So a request with a credential
// reads one document, which [Checker] keeps for at most five seconds; and whatever
// ends several of them, such as a new password, is one write after which none of
// them is accepted anywhere for longer than that.
//
// A credential is the owner's id and 256 random bits, of which the document holds
// the SHA-256 hash alone: what a copy of the database shows opens nothing.
package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// A Record is everything by which an owner is recognized.
type Record struct {
	Owner       identity.Owner `json:"owner"`
	Revision    int64          `json:"revision"`              // counts the writes; 0 means that nothing is stored
	Sessions    []Session      `json:"sessions,omitempty"`    // of an account
	Keys        []Key          `json:"keys,omitempty"`        // newest last
	Memberships []Membership   `json:"memberships,omitempty"` // of an account
	Disabled    bool           `json:"disabled,omitempty"`    // of an organization: the product is switched off
}

// A Membership is a copy of what an organization says of one of its members, kept
// here so that no request reads the organization.
type Membership struct {
	Organization identity.Owner `json:"organization"`
	Role         Role           `json:"role"`
	Disabled     bool           `json:"disabled,omitempty"` // the organization has the product switched off
}

// A Role is what a member of an organization may do.
type Role string

// The roles. Each may do what the one before it may.
const (
	Member        Role = "member"        // reads what the organization has
	Administrator Role = "administrator" // changes it, makes keys, invites and removes members
	Owner         Role = "owner"         // appoints owners and administrators, switches the product, deletes the organization
)

// Manages reports whether r may change what the organization has.
func (r Role) Manages() bool { return r == Administrator || r == Owner }

// Path returns where the record of an owner is.
func Path(owner identity.Owner) store.Path { return store.Path("access").Join(string(owner)) }

// A Getter reads documents, such as a transaction.
type Getter interface {
	Get(p store.Path, doc any) error
}

// Get returns the record of an owner: an empty one, at revision 0, when none is
// stored.
func Get(from Getter, owner identity.Owner) (*Record, error) {
	r := &Record{Owner: owner}
	if err := from.Get(Path(owner), r); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	return r, nil
}

// GetAll returns the records of owners in their order, as Get does, by one call of
// getAll, such as the method of a transaction.
func GetAll(getAll func([]store.Path) ([]store.Doc, error), owners []identity.Owner) ([]*Record, error) {
	paths := make([]store.Path, len(owners))
	for i, o := range owners {
		paths[i] = Path(o)
	}
	docs, err := getAll(paths)
	if err != nil {
		return nil, err
	}
	records := make([]*Record, len(owners))
	for i, doc := range docs {
		records[i] = &Record{Owner: owners[i]}
		if doc.Decode == nil {
			continue
		}
		if err := doc.Decode(records[i]); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// Load returns the record of an owner by one read, as Get does.
func Load(ctx context.Context, db store.DB, owner identity.Owner) (*Record, error) {
	return Get(getter{ctx, db}, owner)
}

// Put stores r in a transaction that has read it.
func Put(tx store.Tx, r *Record) error {
	r.Revision++
	return tx.Set(Path(r.Owner), r)
}

// Update applies change to the stored record of an owner and returns the result. It
// returns identity.ErrEnded when none is stored: the account or organization is
// deleted. When change fails, nothing is stored.
func Update(ctx context.Context, db store.DB, owner identity.Owner, change func(*Record) error) (*Record, error) {
	var stored *Record
	err := db.Update(ctx, func(tx store.Tx) error {
		r, err := Get(tx, owner)
		if err != nil {
			return err
		}
		if r.Revision == 0 {
			return identity.ErrEnded
		}
		if err := change(r); err != nil {
			return err
		}
		stored = r
		return Put(tx, r)
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// Membership returns what r says of an organization, and whether its account is a
// member.
func (r *Record) Membership(organization identity.Owner) (Membership, bool) {
	i := slices.IndexFunc(r.Memberships, func(m Membership) bool { return m.Organization == organization })
	if i < 0 {
		return Membership{}, false
	}
	return r.Memberships[i], true
}

// secretLen is the length of a secret: 32 random bytes in base64url.
const secretLen = 43

func newSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// idLen is the length of the ids of sessions and keys, which are not secret: 80
// random bits in base 32.
const idLen = 16

func newID() string { return strings.ToLower(rand.Text())[:idLen] }

// hashOf returns the hash of a secret, as records hold it.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// same compares two hashes in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// split returns the owner and the secret of a credential: the owner's id, a dot and
// the secret.
func split(credential, prefix string) (owner identity.Owner, secret string, ok bool) {
	id, secret, ok := strings.Cut(credential, ".")
	owner = identity.Owner(prefix + id)
	if !ok || len(secret) != secretLen || identity.KindOf(owner) == identity.Unknown || identity.KindOf(owner) == identity.Guest {
		return "", "", false
	}
	return owner, secret, true
}

// used reports whether a credential that was last used at t is to be marked as used
// at now. That costs a write, so it happens once an hour.
func used(t store.Time, now time.Time) bool { return now.Sub(t.Time) >= time.Hour }

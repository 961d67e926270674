// Package moderation stores what limits an owner's speech, and what an owner does not
// want to read. The chat and the comments check it; package act changes it for the
// operator.
//
//	mutes/{owner}                  a Mute: the owner may not write until it ends
//	owners/{owner}/kept/hidden     Hidden: the owners whose texts this owner does not see
package moderation

import (
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// ErrMuted refuses the text of an owner that the operator muted. Its field "until" is
// when that ends, in RFC 3339.
var ErrMuted = fault.New(fault.Forbidden, "muted")

// A Mute keeps an owner from writing. It ends by itself.
type Mute struct {
	Reason   string     `json:"reason"`
	Since    store.Time `json:"since"`
	ExpireAt store.Time `json:"expire_at"` // when it ends
}

// MutePath returns where the mute of an owner is.
func MutePath(owner identity.Owner) store.Path { return store.Path("mutes").Join(string(owner)) }

// Check returns ErrMuted when the mute that was read at MutePath is in force. A
// transaction reads that document beside its own.
func Check(doc store.Doc, now time.Time) error {
	if doc.Decode == nil {
		return nil
	}
	var m Mute
	if err := doc.Decode(&m); err != nil {
		return err
	}
	if !now.Before(m.ExpireAt.Time) {
		return nil
	}
	return ErrMuted.With("until", m.ExpireAt.UTC().Format(time.RFC3339))
}

// MaxHidden is how many owners an owner can hide.
const MaxHidden = 200

// Hidden are the owners whose texts an owner does not see, the newest last.
type Hidden struct {
	Owners []HiddenOwner `json:"owners"`
}

// A HiddenOwner is an owner in a list of hidden ones, with the name that its texts
// showed when it was hidden.
type HiddenOwner struct {
	Owner identity.Owner `json:"owner"`
	Name  string         `json:"name"`
	Since store.Time     `json:"since"`
}

// HiddenPath returns where the owners that an owner hides are.
func HiddenPath(owner identity.Owner) store.Path {
	return store.Path("owners").Join(string(owner), "kept", "hidden")
}

// HiddenBy returns the owners that an owner hides, by one read.
func HiddenBy(ctx context.Context, db store.DB, owner identity.Owner) (h Hidden, err error) {
	if err = db.Get(ctx, HiddenPath(owner), &h); errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return h, err
}

// Has reports whether h hides an owner.
func (h Hidden) Has(owner identity.Owner) bool {
	return slices.ContainsFunc(h.Owners, func(o HiddenOwner) bool { return o.Owner == owner })
}

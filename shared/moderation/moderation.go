// Package moderation stores what limits an owner's speech, and what an owner does not
// want to read. The chat and the comments check it; package act changes it for the
// operator.
//
//	mutes/{owner}                  a Mute: the owner may not write until it ends
//	mutes/network_{name}           a Mute of all callers of a network on one day
//	owners/{owner}/kept/hidden     Hidden: the owners whose texts this owner does not see
package moderation

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// ErrMuted refuses the text of an owner or a network that the operator muted. Its field "until" is
// when that ends, in RFC 3339.
var ErrMuted = fault.New(fault.Forbidden, "muted")

const mutes = store.Path("mutes")

// A Mute keeps an owner or a network from writing. It ends by itself.
type Mute struct {
	Reason   string     `json:"reason"`
	Since    store.Time `json:"since"`
	ExpireAt store.Time `json:"expire_at"` // when it ends
}

// MutePath returns where the mute of an owner is.
func MutePath(owner identity.Owner) store.Path { return mutes.Join(string(owner)) }

// NetworkMutePath returns where the mute of a network is, by its name of the day: see
// [identity.People.WiderNetwork]. It has no effect after that day.
func NetworkMutePath(name string) store.Path { return mutes.Join("network_" + name) }

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

// keyLen is the length of the keys and ids that stand for owners, in hexadecimal digits.
const keyLen = 20

// AuthorKey returns a name by which texts of the same owner can be recognized, without
// its id. The operator sees it.
func AuthorKey(owner identity.Owner) string { return keyOf("author", string(owner)) }

// keyOf returns a digest of values for a purpose. Owners of guests and accounts are
// random, so that they cannot be found by trying.
func keyOf(purpose string, values ...string) string {
	h := sha256.New()
	h.Write([]byte(purpose))
	for _, v := range values {
		h.Write([]byte("\x00" + v))
	}
	return hex.EncodeToString(h.Sum(nil))[:keyLen]
}

// A Move gives the mute and the hidden owners of a guest to the account that claims it,
// within a transaction. The mute stays in force for the guest too, whose token still
// works.
type Move struct {
	Found bool // there is something to write

	from, to identity.Owner
	mute     *Mute
	hidden   *Hidden // of the account, with those of the guest
	left     Hidden  // of the guest, for which the account has no room
}

// ReadMove reads the mute and the hidden owners of the guest, and where there is one of
// them those of the account: two reads, or four.
func ReadMove(tx store.Tx, from, to identity.Owner) (*Move, error) {
	m := &Move{from: from, to: to}
	muted, hidden, err := readBoth(tx, from)
	if err != nil || muted.ExpireAt.IsZero() && len(hidden.Owners) == 0 {
		return m, err
	}
	has, kept, err := readBoth(tx, to)
	if err != nil {
		return nil, err
	}
	if muted.ExpireAt.After(has.ExpireAt.Time) {
		m.mute = &muted
	}
	if len(hidden.Owners) > 0 {
		m.left = kept.take(hidden, to)
		m.hidden = &kept
	}
	m.Found = m.mute != nil || m.hidden != nil
	return m, nil
}

// readBoth reads the mute of an owner and the owners that it hides.
func readBoth(tx store.Tx, owner identity.Owner) (mute Mute, hidden Hidden, err error) {
	docs, err := tx.GetAll([]store.Path{MutePath(owner), HiddenPath(owner)})
	if err != nil {
		return mute, hidden, err
	}
	if docs[0].Decode != nil {
		err = docs[0].Decode(&mute)
	}
	if docs[1].Decode != nil {
		err = errors.Join(err, docs[1].Decode(&hidden))
	}
	return mute, hidden, err
}

// Write stores what moves.
func (m *Move) Write(tx store.Tx) error {
	var errs []error
	if m.mute != nil {
		errs = append(errs, tx.Set(MutePath(m.to), m.mute))
	}
	if m.hidden != nil {
		errs = append(errs, tx.Set(HiddenPath(m.to), m.hidden), m.left.Put(tx, m.from))
	}
	return errors.Join(errs...)
}

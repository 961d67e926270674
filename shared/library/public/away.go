package public

import (
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// A Leave changes whether the publication of an owner is unseen because the account is to
// be deleted.
type Leave struct{ pub *Publication } // nil changes nothing

// ReadLeave reads the publication of an owner, by one read or two, to be unseen from now on
// (away), or to be seen again.
func ReadLeave(tx store.Tx, owner identity.Owner, away bool) (Leave, error) {
	e, err := begin(tx, owner, time.Time{})
	if err != nil || e.pub == nil || e.pub.Away == away {
		return Leave{}, err
	}
	e.pub.Away = away
	return Leave{e.pub}, nil
}

// Write stores what changes.
func (l Leave) Write(tx store.Tx) error {
	if l.pub == nil {
		return nil
	}
	return tx.Set(path(l.pub.ID), l.pub)
}

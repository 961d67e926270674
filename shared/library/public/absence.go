package public

import (
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// An Absence is the publication of an owner whose account is to be deleted, within a
// transaction. Nobody sees it until the owner is back.
type Absence struct{ pub *Publication } // nil for none

// ReadAbsence reads the publication of an owner, by one read or two.
func ReadAbsence(tx store.Tx, owner identity.Owner) (Absence, error) {
	e, err := begin(tx, owner, time.Time{}) // no name expires: they are not written
	if err != nil {
		return Absence{}, err
	}
	return Absence{e.pub}, nil
}

// Begin stores that nobody sees the publication.
func (a Absence) Begin(tx store.Tx) error { return a.set(tx, true) }

// End stores that it is seen again, unless the operator hides it.
func (a Absence) End(tx store.Tx) error { return a.set(tx, false) }

func (a Absence) set(tx store.Tx, away bool) error {
	if a.pub == nil || a.pub.Away == away {
		return nil
	}
	a.pub.Away = away
	return tx.Set(path(a.pub.ID), a.pub)
}

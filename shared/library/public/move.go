package public

import (
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// A Move gives the publication of a guest to the account that claims it, within a
// transaction, with the names that are reserved for the guest. The publication of an
// account stays, and one without any folder that moves is of no use to the account: that of
// the guest then stays with the guest.
type Move struct {
	Moved, Left int // publications

	from, to *edit
}

// ReadMove reads the publications of two owners and decides whether that of the first
// moves: by one read, or up to four.
//
// moves reports whether a folder, by its id, moves from the guest to the account.
func ReadMove(tx store.Tx, from, to identity.Owner, now time.Time, moves func(folder string) bool) (*Move, error) {
	m := &Move{}
	var err error
	if m.from, err = begin(tx, from, now); err != nil || m.from.pub == nil && len(m.from.own.Left) == 0 {
		return m, err
	}
	if m.to, err = begin(tx, to, now); err != nil {
		return nil, err
	}
	switch {
	case !m.from.pub.exists():
	case m.to.pub.exists(), m.from.was != "" && !slices.ContainsFunc(m.from.pub.Folders, moves):
		m.Left = 1
	default:
		m.Moved = 1
	}
	return m, nil
}

// exists reports whether p is published, or hidden.
func (p *Publication) exists() bool { return p != nil && (p.Name != "" || p.Hidden != nil) }

// Write stores what moves.
func (m *Move) Write(tx store.Tx) error {
	if m.to == nil || m.Moved == 0 && len(m.from.own.Left) == 0 {
		return nil
	}
	var errs []error
	owner := m.to.owner
	for _, l := range m.from.own.Left {
		m.to.reserve(l.Name, l.Until)
		errs = append(errs, tx.Set(claimPath(l.Name), claim{Owner: owner, ExpireAt: &l.Until}))
	}
	m.from.own.Left = nil
	if m.Moved == 1 {
		if m.to.pub != nil {
			errs = append(errs, tx.Delete(path(m.to.pub.ID))) // which was withdrawn
		}
		p := m.from.pub
		p.Owner = owner
		m.to.own.ID, m.from.own.ID = p.ID, ""
		errs = append(errs, tx.Set(path(p.ID), p))
		if p.Name != "" {
			errs = append(errs, tx.Set(claimPath(p.Name), claim{Publication: p.ID, Owner: owner}))
		}
	}
	if m.from.own.ID == "" {
		errs = append(errs, tx.Delete(OwnPath(m.from.owner)))
	} else {
		errs = append(errs, tx.Set(OwnPath(m.from.owner), m.from.own))
	}
	return errors.Join(append(errs, m.to.free(MaxLeft), tx.Set(OwnPath(owner), m.to.own))...)
}

package public

import (
	"errors"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// A Move gives the publication of a guest to the account that claims it, within a
// transaction. The publication of an account stays: that of the guest then stays with
// the guest. Reserved names move with the publication.
type Move struct {
	Moved, Left int // publications

	from, to *edit
}

// ReadMove reads the publications of two owners and decides whether that of the first
// moves: by one read, or up to four.
func ReadMove(tx store.Tx, from, to identity.Owner, now time.Time) (*Move, error) {
	m := &Move{}
	var err error
	if m.from, err = begin(tx, from, now); err != nil || m.from.pub == nil {
		return m, err
	}
	if m.to, err = begin(tx, to, now); err != nil {
		return nil, err
	}
	if m.to.pub != nil {
		m.Left = 1
	} else {
		m.Moved = 1
	}
	return m, nil
}

// Write stores what moves.
func (m *Move) Write(tx store.Tx) error {
	if m.Moved == 0 {
		return nil
	}
	p, to := m.from.pub, m.to.owner
	p.Owner = to
	errs := []error{
		tx.Set(path(p.ID), p), tx.Delete(OwnPath(m.from.owner)),
		tx.Set(OwnPath(to), own{ID: p.ID, Left: append(m.to.own.Left, m.from.own.Left...)}),
	}
	if p.Name != "" {
		errs = append(errs, tx.Set(claimPath(p.Name), claim{Publication: p.ID, Owner: to}))
	}
	for _, l := range m.from.own.Left {
		errs = append(errs, tx.Set(claimPath(l.Name), claim{Owner: to, ExpireAt: &l.Until}))
	}
	return errors.Join(errs...)
}

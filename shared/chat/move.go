package chat

import (
	"context"
	"errors"
	"slices"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// A PaceMove adds the pace of a guest to that of the account that claims it, within a
// transaction, so that claiming does not lift a limit. Messages stay as they are.
type PaceMove struct {
	Found bool // the guest has a pace

	from, to identity.Owner
	pace     pace
}

// ReadPaceMove reads the paces of both.
func ReadPaceMove(tx store.Tx, from, to identity.Owner) (*PaceMove, error) {
	m := &PaceMove{from: from, to: to}
	docs, err := tx.GetAll([]store.Path{pacePath(from), pacePath(to)})
	if err != nil || docs[0].Decode == nil {
		return m, err
	}
	var guest pace
	if err := docs[0].Decode(&guest); err != nil {
		return nil, err
	}
	if docs[1].Decode != nil {
		if err := docs[1].Decode(&m.pace); err != nil {
			return nil, err
		}
	}
	m.Found = true
	if guest.Next.After(m.pace.Next.Time) {
		m.pace.Next = guest.Next
	}
	m.pace.Texts = append(m.pace.Texts, guest.Texts...)
	slices.SortStableFunc(m.pace.Texts, func(a, b said) int { return a.At.Compare(b.At.Time) })
	m.pace.Texts = m.pace.Texts[max(0, len(m.pace.Texts)-maxTexts):]
	for _, place := range guest.Rooms { // the messages still name the guest
		m.pace.note(place.Channel, place.Owner, place.At.Time)
	}
	return m, nil
}

// Write stores the pace of the account, and deletes that of the guest.
func (m *PaceMove) Write(tx store.Tx) error {
	if !m.Found {
		return nil
	}
	return errors.Join(tx.Set(pacePath(m.to), m.pace), tx.Delete(pacePath(m.from)))
}

// RemovePace deletes the pace of an owner that is deleted. Its messages expire by
// themselves.
func RemovePace(ctx context.Context, db store.DB, owner identity.Owner) error {
	return db.Delete(ctx, pacePath(owner))
}

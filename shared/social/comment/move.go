package comment

import (
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// When a guest signs in, its comments become those of the account. There can be any
// number of them, so they move in batches: [Of] finds the comments that are left, and
// each batch is a transaction of its own. The pace moves before the first batch: it
// exists while the guest has made comments since, so a guest without one has none.
// Names, texts and the public counts stay as they are.

// Batch is the number of comments that move in one transaction.
const Batch = 50

// Of returns the ids of at most Batch comments of an owner.
func Of(ctx context.Context, db store.DB, owner identity.Owner) (ids []string, err error) {
	q := ofOwner(owner)
	q.Limit = Batch
	for doc, err := range db.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, doc.ID)
	}
	return ids, nil
}

// A Move gives comments of one owner to another, within a transaction.
type Move struct {
	Moved int // comments that the other owner gets

	to   identity.Owner
	list []Comment
	pace Pace // of the other owner
}

// ReadMove reads comments by their ids and decides which of them move from one owner
// to another: those that the first still owns.
func ReadMove(tx store.Tx, ids []string, from, to identity.Owner) (*Move, error) {
	m := &Move{to: to}
	paths := []store.Path{PacePath(to)}
	for _, id := range ids {
		paths = append(paths, collection.Join(id))
	}
	docs, err := tx.GetAll(paths)
	if err != nil {
		return nil, err
	}
	if docs[0].Decode != nil {
		if err := docs[0].Decode(&m.pace); err != nil {
			return nil, err
		}
	}
	for _, doc := range docs[1:] {
		if doc.Decode == nil {
			continue // deleted meanwhile
		}
		c := Comment{ID: doc.ID}
		if err := doc.Decode(&c); err != nil {
			return nil, err
		}
		if c.Owner == from {
			m.list = append(m.list, c)
		}
	}
	m.Moved = len(m.list)
	return m, nil
}

// Write stores the comments that move as those of the other owner, who sees them as
// such from now on.
func (m *Move) Write(tx store.Tx, now time.Time) error {
	if m.Moved == 0 {
		return nil
	}
	for _, c := range m.list {
		c.Owner = m.to
		if err := tx.Set(c.path(), c); err != nil {
			return err
		}
	}
	m.pace.ChangedAt = store.At(now)
	return tx.Set(PacePath(m.to), m.pace)
}

// A PaceMove adds the pace of one owner to that of another, within a transaction.
type PaceMove struct {
	Found bool // the first owner has a pace, and so possibly comments

	from, to identity.Owner
	pace     Pace
}

// ReadPaceMove reads the paces of two owners.
func ReadPaceMove(tx store.Tx, from, to identity.Owner) (*PaceMove, error) {
	m := &PaceMove{from: from, to: to}
	var first Pace
	switch err := tx.Get(PacePath(from), &first); {
	case errors.Is(err, store.ErrNotFound):
		return m, nil
	case err != nil:
		return nil, err
	}
	m.Found = true
	if err := tx.Get(PacePath(to), &m.pace); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	m.pace.Made = append(m.pace.Made, first.Made...)
	slices.SortFunc(m.pace.Made, func(a, b store.Time) int { return a.Compare(b.Time) })
	m.pace.Texts = joined(m.pace.Texts, first.Texts)
	return m, nil
}

// Write stores the pace of the second owner, whose comments of the last hour then
// include those of the first, and deletes that of the first.
func (m *PaceMove) Write(tx store.Tx, now time.Time) error {
	if !m.Found {
		return nil
	}
	m.pace.ChangedAt = store.At(now)
	return errors.Join(tx.Set(PacePath(m.to), m.pace), tx.Delete(PacePath(m.from)))
}

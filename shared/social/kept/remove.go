package kept

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// An owner that is deleted leaves no list behind, and its favorites count no more.
// Each favorite is a fact of its own, so they are removed in batches: what is left
// after a batch is in the document, and repeating the call goes on there.

// removeBatch is how many favorites one transaction removes.
const removeBatch = 100

// RemoveFavorites deletes up to a hundred favorites of an owner, and the document with
// the last of them. It reports whether more are left, and returns the letters, which
// the caller must send.
func RemoveFavorites(ctx context.Context, db store.DB, owner identity.Owner, at time.Time) (more bool, letters []outbox.Letter, err error) {
	err = db.Update(ctx, func(tx store.Tx) error {
		more, letters = false, nil
		f, p := new(Favorites), FavoritesPath(owner)
		if err := tx.Get(p, f); errors.Is(err, store.ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		rest := max(0, len(f.Rows)-removeBatch)
		gone := f.Rows[rest:]
		f.Rows = f.Rows[:rest]
		if letters, err = keepAll(tx, gone, at); err != nil {
			return err
		}
		if more = rest > 0; more {
			return tx.Set(p, f)
		}
		return tx.Delete(p)
	})
	if err != nil {
		return false, nil, err
	}
	return more, letters, nil
}

// keepAll keeps the letters of favorites that are removed.
func keepAll(tx store.Tx, gone []Favorite, at time.Time) (letters []outbox.Letter, err error) {
	for _, r := range gone {
		l, err := outbox.Write(change(r.Channel, -1, at))
		if err != nil {
			return nil, err
		}
		if err := l.Keep(tx); err != nil {
			return nil, err
		}
		letters = append(letters, l)
	}
	return letters, nil
}

// RemoveHistory deletes the history of an owner.
func RemoveHistory(ctx context.Context, db store.DB, owner identity.Owner) error {
	return db.Delete(ctx, HistoryPath(owner))
}

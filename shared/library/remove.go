package library

import (
	"context"
	"errors"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// Remove deletes the library of an owner with the feed documents of all its tokens, so
// that its feeds are not found any more. Calling it again changes nothing.
func Remove(ctx context.Context, db store.DB, owner identity.Owner) error {
	return db.Update(ctx, func(tx store.Tx) error {
		var l Library
		if err := tx.Get(Path(owner), &l); errors.Is(err, store.ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		for _, token := range l.tokens() {
			if err := tx.Delete(feedPath(token)); err != nil {
				return err
			}
		}
		return tx.Delete(Path(owner))
	})
}

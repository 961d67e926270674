// Package kept stores the lists of channels that belong to one owner.
//
//	owners/{owner}/kept/history      History
//	owners/{owner}/kept/favorites    Favorites
//
// There is one document of each for an owner, by which the owner of an old guest
// token is recognized. It is deleted only when all its rows move to an account.
//
// A channel may get another id in the catalog, or disappear and come back. The
// lists keep the id that it had; callers pass a [Shown] to find the id of now.
package kept

import (
	"context"
	"errors"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// Shown returns the id that a channel has in the catalog now, given this id or an
// earlier one; false when the catalog does not have the channel.
type Shown func(id string) (now string, ok bool)

// name returns the id of a channel now, or the id that it had.
func (s Shown) name(id string) string {
	if now, ok := s(id); ok {
		return now
	}
	return id
}

// FavoritesPath returns where the favorites of an owner are.
func FavoritesPath(owner identity.Owner) store.Path { return path(owner, "favorites") }

// HistoryPath returns where the history of an owner is.
func HistoryPath(owner identity.Owner) store.Path { return path(owner, "history") }

func path(owner identity.Owner, list string) store.Path {
	return store.Path("owners").Join(string(owner), "kept", list)
}

// load reads the document at p into list, and leaves list as it is when there is
// no document.
func load(p store.Path, list any, get func(store.Path, any) error) error {
	err := get(p, list)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

func getter(ctx context.Context, db store.DB) func(store.Path, any) error {
	return func(p store.Path, doc any) error { return db.Get(ctx, p, doc) }
}

// toFront puts row at the front of rows, in place of row i; i is -1 for a row
// that is not there yet.
func toFront[T any](rows []T, i int, row T) []T {
	if i < 0 {
		rows = append(rows, row)
		i = len(rows) - 1
	}
	copy(rows[1:i+1], rows[:i])
	rows[0] = row
	return rows
}

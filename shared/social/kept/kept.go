// Package kept knows the lists of channels that belong to one person.
//
// It keeps these documents, one of each for an owner. They are never deleted,
// since an owner is known by having one:
//
//	owners/{owner}/kept/history      History
//	owners/{owner}/kept/favorites    Favorites
//
// A channel may be renamed in the catalog, or vanish and come back. What is
// kept stays as it was; who shows it says with [Shown] what it is called now.
package kept

import (
	"context"
	"errors"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// Shown returns the id of a channel in the catalog of the moment, by that or
// by one that it once had; false when the catalog does not have it.
type Shown func(id string) (now string, ok bool)

// name returns what a channel is called now, or else what it was called.
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

// load reads the document at p into list, which stays as it is when there is
// none.
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

package access

import (
	"context"
	"iter"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// ownersPage is how many records one query of Owners reads.
const ownersPage = 200

// Owners yields every account and organization that has a record, in the order of
// their ids, by one read for each. An error ends the sequence. One that is made
// meanwhile may be left out.
func Owners(ctx context.Context, db store.DB) iter.Seq2[identity.Owner, error] {
	return func(yield func(identity.Owner, error) bool) {
		q := store.Query{Collection: "access", Limit: ownersPage}
		for {
			found := 0
			for doc, err := range db.Query(ctx, q) {
				found++
				if !yield(identity.Owner(doc.ID), err) || err != nil {
					return
				}
				q.After = []any{doc.ID}
			}
			if found < ownersPage {
				return
			}
		}
	}
}

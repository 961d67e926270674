package comment

import (
	"context"
	"iter"
	"time"

	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// The comments of an owner that is deleted are deleted too, and count no more. There
// can be any number of them, so they are removed in batches, and repeating the call
// goes on with what is left. The pace goes last: it exists while comments may be left.

// ofOwner selects the comments of an owner.
func ofOwner(owner identity.Owner) store.Query {
	return store.Query{Collection: collection, Where: []store.Filter{{Field: "owner", Op: store.Eq, Value: string(owner)}}}
}

// RemoveAll deletes up to Batch comments of an owner, or its pace when it has no
// comments. It reports whether more may be left, and returns the letters, which the
// caller must send.
func RemoveAll(ctx context.Context, db store.DB, owner identity.Owner, at time.Time) (more bool, letters []outbox.Letter, err error) {
	ids, err := Of(ctx, db, owner)
	if err != nil {
		return false, nil, err
	}
	if len(ids) == 0 {
		return false, nil, db.Delete(ctx, PacePath(owner))
	}
	paths := make([]store.Path, len(ids))
	for i, id := range ids {
		paths[i] = collection.Join(id)
	}
	err = db.Update(ctx, func(tx store.Tx) error {
		docs, err := tx.GetAll(paths)
		if err != nil {
			return err
		}
		letters, err = removeDocs(tx, docs, owner, at)
		return err
	})
	if err != nil {
		return false, nil, err
	}
	return true, letters, nil
}

// removeDocs deletes those of some documents that are comments of an owner, and keeps
// their letters.
func removeDocs(tx store.Tx, docs []store.Doc, owner identity.Owner, at time.Time) (letters []outbox.Letter, err error) {
	for _, doc := range docs {
		c := Comment{ID: doc.ID}
		if doc.Decode == nil {
			continue // deleted meanwhile
		}
		if err := doc.Decode(&c); err != nil {
			return nil, err
		}
		if c.Owner != owner {
			continue
		}
		l, err := c.Delete(tx, at)
		if err != nil {
			return nil, err
		}
		letters = append(letters, l)
	}
	return letters, nil
}

// All yields the comments of an owner, in no order.
func All(ctx context.Context, db store.DB, owner identity.Owner) iter.Seq2[Comment, error] {
	return func(yield func(Comment, error) bool) {
		for doc, err := range db.Query(ctx, ofOwner(owner)) {
			c := Comment{ID: doc.ID}
			if err == nil {
				err = doc.Decode(&c)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

package firestore

import (
	"context"
	"iter"

	fs "cloud.google.com/go/firestore"

	"miramundo.dev/shared/store"
)

// Watch implements [store.DB].
func (db *DB) Watch(ctx context.Context, p store.Path) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		ref, err := db.ref(p)
		if err != nil {
			yield(store.Doc{}, err)
			return
		}
		if ctx.Err() != nil {
			return
		}
		snaps := ref.Snapshots(ctx)
		defer snaps.Stop()
		for {
			snap, err := snaps.Next()
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				yield(store.Doc{}, explain("watch "+string(p), err))
				return
			}
			if !yield(db.document(p, snap), nil) {
				return
			}
		}
	}
}

// WatchQuery implements [store.DB].
func (db *DB) WatchQuery(ctx context.Context, q store.Query) iter.Seq2[[]store.Doc, error] {
	return func(yield func([]store.Doc, error) bool) {
		if err := q.Check(); err != nil {
			yield(nil, err)
			return
		}
		if q.Empty() {
			if yield(nil, nil) {
				<-ctx.Done()
			}
			return
		}
		more, err := db.watch(ctx, q, limited(q, db.build(q)), yield)
		if more && upwardsOnly(q, err) {
			more, err = db.watch(ctx, q, db.upwards(q), yield)
		}
		if more && err != nil && ctx.Err() == nil {
			yield(nil, err)
		}
	}
}

func limited(q store.Query, query fs.Query) fs.Query {
	if q.Limit > 0 {
		return query.Limit(q.Limit)
	}
	return query
}

// watch yields the result of q whenever query has changed. It returns false
// when yield ended it.
func (db *DB) watch(ctx context.Context, q store.Query, query fs.Query, yield func([]store.Doc, error) bool) (bool, error) {
	if ctx.Err() != nil {
		return true, nil
	}
	snaps := query.Snapshots(ctx)
	defer snaps.Stop()
	for {
		snap, err := snaps.Next()
		if err != nil {
			return true, explain("watch "+string(q.Collection), err)
		}
		docs, err := db.current(ctx, q, snap)
		if err != nil {
			return true, err
		}
		if !yield(docs, nil) {
			return false, nil
		}
	}
}

// current returns the result of q. It queries again when the snapshot may
// differ from it: when the snapshot has the opposite order, or when expired
// documents took places within the limit.
func (db *DB) current(ctx context.Context, q store.Query, snap *fs.QuerySnapshot) ([]store.Doc, error) {
	snaps, err := snap.Documents.GetAll()
	if err != nil {
		return nil, err
	}
	docs := db.documents(q, snaps)
	turned := q.OrderBy == "" && q.Desc
	short := q.Limit > 0 && len(docs) < len(snaps)
	if !turned && !short {
		return docs, nil
	}
	docs = docs[:0]
	for d, err := range db.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}

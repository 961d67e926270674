package firestore

import (
	"context"
	"errors"
	"iter"
	"slices"

	fs "cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"miramundo.dev/shared/store"
)

// page is how many documents a query requests at once.
const page = 100

// Query implements [store.DB].
func (db *DB) Query(ctx context.Context, q store.Query) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		if err := q.Check(); err != nil {
			yield(store.Doc{}, err)
			return
		}
		if q.Empty() {
			return
		}
		left := q.Limit
		for next, last := db.build(q), false; !last; {
			var snaps []*fs.DocumentSnapshot
			var err error
			snaps, last, err = db.page(ctx, q, next, pageSize(left))
			if err != nil {
				yield(store.Doc{}, err)
				return
			}
			for _, d := range db.documents(q, snaps) {
				left--
				if !yield(d, nil) || left == 0 {
					return
				}
			}
			if !last {
				next = db.ordered(q).StartAfter(snaps[len(snaps)-1])
			}
		}
	}
}

// pageSize returns how many documents to request when left are wanted; 0 or
// less means all.
func pageSize(left int) int {
	if left > 0 {
		return min(page, left)
	}
	return page
}

// page returns up to size documents of next, and whether they are the last.
// For a database that cannot read ids in descending order, they are all of q.
func (db *DB) page(ctx context.Context, q store.Query, next fs.Query, size int) (snaps []*fs.DocumentSnapshot, last bool, err error) {
	read := func(query fs.Query) func(context.Context) error {
		return func(ctx context.Context) error {
			snaps, err = query.Documents(ctx).GetAll()
			return err
		}
	}
	what := "query " + string(q.Collection)
	err = call(ctx, what, callTime, read(next.Limit(size)))
	if upwardsOnly(q, err) {
		err = call(ctx, what, longTime, read(db.upwards(q)))
		slices.Reverse(snaps)
		return snaps, true, err
	}
	return snaps, len(snaps) < size, err
}

// upwardsOnly reports whether err is that of a database that cannot read ids
// in descending order, as the emulator cannot.
func upwardsOnly(q store.Query, err error) bool {
	return q.OrderBy == "" && q.Desc && status.Code(err) == codes.FailedPrecondition
}

// upwards returns q, which descends by id, in ascending order and without its
// limit.
func (db *DB) upwards(q store.Query) fs.Query {
	up := q
	up.Desc, up.After = false, nil
	query := db.ordered(up)
	if len(q.After) == 1 {
		query = query.EndBefore(q.After[0])
	}
	return query
}

// documents returns the existing documents of snaps.
func (db *DB) documents(q store.Query, snaps []*fs.DocumentSnapshot) []store.Doc {
	docs := make([]store.Doc, 0, len(snaps))
	for _, snap := range snaps {
		if d := db.document(q.Collection.Join(snap.Ref.ID), snap); d.Decode != nil {
			docs = append(docs, d)
		}
	}
	return docs
}

// build returns q without its limit.
func (db *DB) build(q store.Query) fs.Query {
	query := db.ordered(q)
	if len(q.After) == 0 {
		return query
	}
	after := slices.Clone(q.After)
	if len(after) == 2 {
		after[0] = value(q.OrderBy, after[0])
	}
	return query.StartAfter(after...)
}

// ordered returns q with its filters and order.
func (db *DB) ordered(q store.Query) fs.Query {
	dir := fs.Asc
	if q.Desc {
		dir = fs.Desc
	}
	query := db.filtered(q)
	if q.OrderBy != "" {
		query = query.OrderByPath(path(q.OrderBy), dir)
	}
	return query.OrderBy(fs.DocumentID, dir)
}

func (db *DB) filtered(q store.Query) fs.Query {
	query := db.client.Collection(string(q.Collection)).Query
	for _, f := range q.Where {
		query = query.WherePath(path(f.Field), string(f.Op), value(f.Field, f.Value))
	}
	return query
}

// path returns the path of a checked field.
func path(field string) fs.FieldPath {
	names, _ := store.Field(field)
	return names
}

// value returns v as encode stores it in field.
func value(field string, v any) any {
	t, ok := v.(store.Time)
	if !ok {
		return v
	}
	if field == expireAt {
		return store.At(t.Time).Time
	}
	text, _ := t.MarshalText() // has no error
	return string(text)
}

// Count implements [store.DB]. Expired documents that are not deleted yet are
// counted too, and subtracted, in one transaction.
func (db *DB) Count(ctx context.Context, q store.Query) (n int, err error) {
	if err := q.Check(); err != nil || q.Empty() {
		return 0, err
	}
	query := db.filtered(q)
	if q.OrderBy != "" {
		query = query.OrderByPath(path(q.OrderBy), fs.Asc)
	}
	expired := query.WherePath(fs.FieldPath{expireAt}, "<=", db.now())
	err = call(ctx, "count "+string(q.Collection), callTime, func(ctx context.Context) error {
		return db.client.RunTransaction(ctx, func(ctx context.Context, tx *fs.Transaction) error {
			all, err := count(ctx, tx, query)
			gone, err2 := count(ctx, tx, expired)
			n = all - gone
			return errors.Join(err, err2)
		}, fs.ReadOnly)
	})
	return n, err
}

func count(ctx context.Context, tx *fs.Transaction, query fs.Query) (int, error) {
	result, err := query.NewAggregationQuery().WithCount("n").Transaction(tx).Get(ctx)
	if err != nil {
		return 0, err
	}
	n, ok := result["n"].(*pb.Value)
	if !ok {
		return 0, errors.New("firestore: count without a number")
	}
	return int(n.GetIntegerValue()), nil
}

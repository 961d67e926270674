package firestore

import (
	"context"
	"errors"

	fs "cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"miramundo.dev/shared/store"
)

// A tx is a transaction. Its writes wait until its function has returned, so
// that Create can still read what it must not replace.
type tx struct {
	db      *DB
	t       *fs.Transaction
	writes  []func() error
	size    int // of the documents to write, in bytes
	there   map[store.Path]bool
	creates []store.Path // whose absence is still to be checked
	failed  error
}

var _ store.Tx = (*tx)(nil)

// Update implements [store.DB].
func (db *DB) Update(ctx context.Context, f func(store.Tx) error) error {
	var failure error // what f returned: not to be explained
	var panicked any
	run := func(_ context.Context, t *fs.Transaction) error {
		tx := &tx{db: db, t: t, there: map[store.Path]bool{}}
		panicked, failure = try(f, tx)
		if failure != nil {
			return failure
		}
		return tx.commit()
	}
	err := call(ctx, "update", updateTime, func(ctx context.Context) error {
		for { // also when f has met the contention in a read, and returned that
			err := db.client.RunTransaction(ctx, run)
			if status.Code(err) != codes.Aborted || ctx.Err() != nil {
				return err
			}
		}
	})
	switch {
	case panicked != nil:
		panic(panicked)
	case failure != nil && ctx.Err() == nil:
		return failure
	}
	return err
}

// try runs f, so that the transaction is rolled back, and its locks are gone,
// before a panic goes on.
func try(f func(store.Tx) error, tx *tx) (panicked any, err error) {
	defer func() {
		if panicked = recover(); panicked != nil {
			err = errors.New("firestore: a transaction's function panics")
		}
	}()
	return nil, f(tx)
}

// commit makes the writes. What is to be created must not be there.
func (t *tx) commit() error {
	if t.failed != nil {
		return t.failed
	}
	if len(t.creates) > 0 {
		docs, err := t.getAll(t.creates)
		if err != nil {
			return err
		}
		for _, d := range docs {
			if d.Decode != nil {
				return store.ErrExists
			}
		}
	}
	for _, write := range t.writes {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) wrote() bool { return len(t.writes) > 0 || t.failed != nil }

func (t *tx) Get(p store.Path, doc any) error {
	if t.wrote() {
		return store.ErrOrder
	}
	ref, err := t.db.ref(p)
	if err != nil {
		return err
	}
	snap, err := t.t.Get(ref)
	if status.Code(err) == codes.NotFound {
		return store.ErrNotFound
	}
	if err != nil {
		return err
	}
	return t.db.decode(snap, doc)
}

func (t *tx) GetAll(ps []store.Path) ([]store.Doc, error) {
	if t.wrote() {
		return nil, store.ErrOrder
	}
	return t.getAll(ps)
}

func (t *tx) getAll(ps []store.Path) ([]store.Doc, error) {
	refs, err := t.db.refs(ps)
	if err != nil || len(ps) == 0 {
		return nil, err
	}
	return t.db.getAll(t.t, ps, refs)
}

// fail makes the transaction fail with err, even if its function forgets it.
func (t *tx) fail(err error) error {
	if t.failed == nil {
		t.failed = err
	}
	return err
}

func (t *tx) Create(p store.Path, doc any) error {
	there, written := t.there[p]
	if there {
		return t.fail(store.ErrExists)
	}
	if err := t.Set(p, doc); err != nil {
		return err
	}
	if !written {
		t.creates = append(t.creates, p)
	}
	return nil
}

func (t *tx) Set(p store.Path, doc any) error {
	ref, err := t.db.ref(p)
	if err != nil {
		return t.fail(err)
	}
	fields, size, err := encode(doc)
	if err != nil {
		return t.fail(err)
	}
	if t.size += size; t.size > store.MaxUpdate {
		return t.fail(store.ErrTooLarge)
	}
	t.write(p, true, func() error { return t.t.Set(ref, fields) })
	return nil
}

// write keeps a write for later, after which a document is there or not.
func (t *tx) write(p store.Path, there bool, f func() error) {
	t.writes = append(t.writes, f)
	t.there[p] = there
}

func (t *tx) Delete(p store.Path) error {
	ref, err := t.db.ref(p)
	if err != nil {
		return t.fail(err)
	}
	t.write(p, false, func() error { return t.t.Delete(ref) })
	return nil
}

func (t *tx) Increment(p store.Path, add map[string]int64) error {
	ref, err := t.db.ref(p)
	if err == nil {
		err = store.CheckIncrement(add)
	}
	if err != nil {
		return t.fail(err)
	}
	if len(add) > 0 {
		t.write(p, true, func() error { return t.t.Set(ref, increments(add), fs.MergeAll) })
	}
	return nil
}

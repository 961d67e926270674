package firestore

import (
	"context"
	"errors"

	fs "cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"miramundo.dev/shared/store"
)

// A transaction may run several times, and Firestore requires all reads
// before the first write. So writes are queued while the function runs and
// are sent at the end, after checking that documents to be created do not
// exist.

// A tx is a transaction. Its writes are sent after its function has returned,
// because Firestore requires reads before writes and Create has to read.
type tx struct {
	db      *DB
	t       *fs.Transaction
	writes  []func() error
	size    int // of the documents to write, in bytes of JSON
	exists  map[store.Path]bool
	creates []store.Path // paths that must not have a document
	failed  error
}

var _ store.Tx = (*tx)(nil)

// Update implements [store.DB].
func (db *DB) Update(ctx context.Context, f func(store.Tx) error) error {
	var failure error // what f returned, to be returned unchanged
	var panicked any
	run := func(_ context.Context, t *fs.Transaction) error {
		tx := &tx{db: db, t: t, exists: map[store.Path]bool{}}
		panicked, failure = callSafely(f, tx)
		if failure != nil {
			return failure
		}
		return tx.commit()
	}
	err := call(ctx, "update", updateTime, func(ctx context.Context) error {
		for { // f may have returned the contention error of one of its reads
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

// callSafely runs f and recovers a panic, so that the transaction is rolled
// back and its locks are released before the panic continues.
func callSafely(f func(store.Tx) error, tx *tx) (panicked any, err error) {
	defer func() {
		if panicked = recover(); panicked != nil {
			err = errors.New("firestore: the function of a transaction panicked")
		}
	}()
	return nil, f(tx)
}

// commit checks that documents to be created do not exist, and makes the
// writes.
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

// fail makes the transaction fail with err, even if its function ignores the
// error.
func (t *tx) fail(err error) error {
	if t.failed == nil {
		t.failed = err
	}
	return err
}

func (t *tx) Create(p store.Path, doc any) error {
	there, written := t.exists[p]
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

// write queues a write, after which the document exists or not.
func (t *tx) write(p store.Path, there bool, f func() error) {
	t.writes = append(t.writes, f)
	t.exists[p] = there
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

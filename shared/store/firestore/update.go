package firestore

import (
	"context"
	"errors"
	"slices"

	fs "cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"miramundo.dev/shared/store"
)

// A transaction is optimistic. Its function reads without locks; then its writes are
// sent together, on the condition that every document that was read is still the same.
// When one has changed, the function runs again.
//
// So of the writers of one document one always succeeds, at once. With the locks that
// a transaction of Firestore takes when it reads, two writers that have both read wait
// for each other until the server ends one of them, on the emulator after two seconds:
// three writers of one document then did a tenth of the work of one.

// Update implements [store.DB].
func (db *DB) Update(ctx context.Context, f func(store.Tx) error) error {
	var last outcome
	mine := db.turns.turn()
	defer mine.end()
	err := retry(ctx, "update", isConflict, func(ctx context.Context) error {
		last = db.attemptInTurn(ctx, f, mine)
		return last.err
	})
	switch {
	case last.panicked != nil:
		panic(last.panicked)
	case err == nil && last.failure != nil && ctx.Err() != nil:
		return errors.Join(ctx.Err(), last.failure)
	case err == nil:
		return last.failure
	}
	return err
}

// attemptInTurn is attempt when the turn of the transaction has come, which keeps its
// turn until it ends.
func (db *DB) attemptInTurn(ctx context.Context, f func(store.Tx) error, mine *turn) outcome {
	for {
		o := db.attempt(ctx, f, mine)
		if !mine.missed() || o.panicked != nil {
			return o
		}
		if err := mine.wait(ctx); err != nil {
			return outcome{err: store.ErrBusy.Because(err)}
		}
	}
}

// An outcome is what became of one attempt.
type outcome struct {
	panicked any   // what the function panicked with
	failure  error // what it returned, to be returned unchanged
	err      error // why its reads are not of one moment, or its writes not made
}

// attempt runs f once, and sends its writes if it succeeds. After a failure it checks
// that the failure does not come from documents of several moments.
func (db *DB) attempt(ctx context.Context, f func(store.Tx) error, mine *turn) (o outcome) {
	t := newTx(db, mine, func(refs []*fs.DocumentRef) ([]*fs.DocumentSnapshot, error) { return db.client.GetAll(ctx, refs) })
	o.panicked, o.failure = callSafely(f, t)
	switch {
	case o.panicked != nil:
		return o
	case t.retry != nil:
		return outcome{err: t.retry}
	case o.failure == nil:
		o.failure = t.failed
	}
	if o.failure == nil {
		o.failure = t.checkCreates()
	}
	if o.failure != nil {
		t.writes = nil
	}
	if len(t.writes) > 0 || len(t.read) > 1 {
		o.err = db.client.RunTransaction(ctx, func(_ context.Context, ft *fs.Transaction) error { return t.send(ft) })
	}
	return o
}

// callSafely runs f and returns what it panics with.
func callSafely(f func(store.Tx) error, tx *tx) (panicked any, err error) {
	defer func() { panicked = recover() }()
	return nil, f(tx)
}

// isConflict reports whether an attempt gave way to another writer, so that the next
// may succeed.
func isConflict(err error) bool {
	if errors.Is(err, errChanged) {
		return true
	}
	switch status.Code(err) {
	case codes.Aborted, codes.FailedPrecondition, codes.NotFound, codes.AlreadyExists:
		return true
	}
	return false
}

// inParts reads documents by requests of a size that the server takes.
func inParts(refs []*fs.DocumentRef, get getter) (all []*fs.DocumentSnapshot, err error) {
	for part := range slices.Chunk(refs, getMax) {
		snaps, err := get(part)
		if err != nil {
			return nil, err
		}
		all = append(all, snaps...)
	}
	return all, nil
}

package storetest

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"

	"miramundo.dev/shared/store"
)

// ErrBroken is returned by every call on a broken database.
var ErrBroken = errors.New("storetest: the database does not answer")

// Broken returns a database whose every call fails with [ErrBroken].
func Broken() store.DB { return broken{ErrBroken} }

// A broken database fails every call with err.
type broken struct{ err error }

func (b broken) Get(context.Context, store.Path, any) error    { return b.err }
func (b broken) Create(context.Context, store.Path, any) error { return b.err }
func (b broken) Set(context.Context, store.Path, any) error    { return b.err }
func (b broken) Delete(context.Context, store.Path) error      { return b.err }
func (broken) Close() error                                    { return nil }

func (b broken) GetAll(context.Context, []store.Path) ([]store.Doc, error) { return nil, b.err }

func (b broken) Increment(context.Context, store.Path, map[string]int64) error { return b.err }

func (b broken) Update(context.Context, func(store.Tx) error) error { return b.err }

func (b broken) Count(context.Context, store.Query) (int, error) { return 0, b.err }

func (b broken) Query(context.Context, store.Query) iter.Seq2[store.Doc, error] {
	return failing[store.Doc](b.err)
}

func (b broken) Watch(context.Context, store.Path) iter.Seq2[store.Doc, error] {
	return failing[store.Doc](b.err)
}

func (b broken) WatchQuery(context.Context, store.Query) iter.Seq2[[]store.Doc, error] {
	return failing[[]store.Doc](b.err)
}

// failing returns a sequence of one error.
func failing[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}

// Switch is a database that tests can turn off and on, or let fail after some
// writes, as if the process had been killed there. It starts on.
type Switch struct {
	store.DB
	off  atomic.Pointer[error] // with which every call fails; nil while it is on
	left atomic.Int64          // writes until it fails; meaningless when not counting
	some atomic.Bool           // counting
}

// NewSwitch returns a switch in front of db.
func NewSwitch(db store.DB) *Switch { return &Switch{DB: db} }

// Off makes every call fail with [ErrBroken].
func (s *Switch) Off() { s.OffBecause(ErrBroken) }

// OffBecause makes every call fail with err.
func (s *Switch) OffBecause(err error) { s.off.Store(&err) }

// On makes the database answer again.
func (s *Switch) On() { s.off.Store(nil); s.some.Store(false) }

// OffAfter lets n more writes succeed, and then fails every call.
func (s *Switch) OffAfter(n int) {
	s.left.Store(int64(n))
	s.some.Store(true)
}

// db returns the database for a read.
func (s *Switch) db() store.DB {
	if err := s.off.Load(); err != nil {
		return broken{*err}
	}
	return s.DB
}

// written returns the database for a write, which it counts.
func (s *Switch) written() store.DB {
	if s.some.Load() && s.left.Add(-1) < 0 {
		s.Off()
	}
	return s.db()
}

// Get implements [store.DB].
func (s *Switch) Get(ctx context.Context, p store.Path, doc any) error {
	return s.db().Get(ctx, p, doc)
}

// GetAll implements [store.DB].
func (s *Switch) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	return s.db().GetAll(ctx, ps)
}

// Create implements [store.DB].
func (s *Switch) Create(ctx context.Context, p store.Path, doc any) error {
	return s.written().Create(ctx, p, doc)
}

// Set implements [store.DB].
func (s *Switch) Set(ctx context.Context, p store.Path, doc any) error {
	return s.written().Set(ctx, p, doc)
}

// Delete implements [store.DB].
func (s *Switch) Delete(ctx context.Context, p store.Path) error { return s.written().Delete(ctx, p) }

// Increment implements [store.DB].
func (s *Switch) Increment(ctx context.Context, p store.Path, add map[string]int64) error {
	return s.written().Increment(ctx, p, add)
}

// Update implements [store.DB]. A transaction counts as one write.
func (s *Switch) Update(ctx context.Context, f func(store.Tx) error) error {
	return s.written().Update(ctx, f)
}

// Query implements [store.DB].
func (s *Switch) Query(ctx context.Context, q store.Query) iter.Seq2[store.Doc, error] {
	return s.db().Query(ctx, q)
}

// Count implements [store.DB].
func (s *Switch) Count(ctx context.Context, q store.Query) (int, error) { return s.db().Count(ctx, q) }

// Watch implements [store.DB].
func (s *Switch) Watch(ctx context.Context, p store.Path) iter.Seq2[store.Doc, error] {
	return s.db().Watch(ctx, p)
}

// WatchQuery implements [store.DB].
func (s *Switch) WatchQuery(ctx context.Context, q store.Query) iter.Seq2[[]store.Doc, error] {
	return s.db().WatchQuery(ctx, q)
}

package storetest

import (
	"context"
	"errors"
	"iter"
	"sync"

	"miramundo.dev/shared/store"
)

// A Faulty is a database of which single calls fail, for tests that let each call of
// an operation fail in turn. A transaction is one call.
type Faulty struct {
	store.DB

	// Twice makes every transaction run its function once in vain before it runs it
	// for good, as a backend does after a conflict.
	Twice bool

	mu    sync.Mutex
	calls int  // since Fail
	at    int  // the call that fails; 0 when none does
	after bool // it fails after it was done, as when the answer is lost
}

// NewFaulty returns a database in front of db of which no call fails.
func NewFaulty(db store.DB) *Faulty { return &Faulty{DB: db} }

// Fail makes the n-th call from now on fail with [ErrBroken], counted from 1, and no
// other; 0 makes none fail. With done the call is done all the same.
func (f *Faulty) Fail(n int, done bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.at, f.after = 0, n, done
}

// Failed reports whether the call that Fail named was made.
func (f *Faulty) Failed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at > 0 && f.calls >= f.at
}

// call runs a call of the database, or lets it fail.
func (f *Faulty) call(run func() error) error {
	f.mu.Lock()
	f.calls++
	fails, after := f.calls == f.at, f.after
	f.mu.Unlock()
	if !fails {
		return run()
	}
	if after {
		if err := run(); err != nil {
			return err
		}
	}
	return ErrBroken
}

// Get implements [store.DB].
func (f *Faulty) Get(ctx context.Context, p store.Path, doc any) error {
	return f.call(func() error { return f.DB.Get(ctx, p, doc) })
}

// GetAll implements [store.DB].
func (f *Faulty) GetAll(ctx context.Context, ps []store.Path) (docs []store.Doc, err error) {
	return docs, f.call(func() error { docs, err = f.DB.GetAll(ctx, ps); return err })
}

// Create implements [store.DB].
func (f *Faulty) Create(ctx context.Context, p store.Path, doc any) error {
	return f.call(func() error { return f.DB.Create(ctx, p, doc) })
}

// Set implements [store.DB].
func (f *Faulty) Set(ctx context.Context, p store.Path, doc any) error {
	return f.call(func() error { return f.DB.Set(ctx, p, doc) })
}

// Delete implements [store.DB].
func (f *Faulty) Delete(ctx context.Context, p store.Path) error {
	return f.call(func() error { return f.DB.Delete(ctx, p) })
}

// Increment implements [store.DB].
func (f *Faulty) Increment(ctx context.Context, p store.Path, add map[string]int64) error {
	return f.call(func() error { return f.DB.Increment(ctx, p, add) })
}

// errInVain ends a transaction that is run in vain.
var errInVain = errors.New("storetest: the transaction runs again")

// Update implements [store.DB].
func (f *Faulty) Update(ctx context.Context, change func(store.Tx) error) error {
	return f.call(func() error {
		if f.Twice {
			err := f.DB.Update(ctx, func(tx store.Tx) error { return errors.Join(errInVain, change(tx)) })
			if !errors.Is(err, errInVain) {
				return err
			}
		}
		return f.DB.Update(ctx, change)
	})
}

// Query implements [store.DB].
func (f *Faulty) Query(ctx context.Context, q store.Query) iter.Seq2[store.Doc, error] {
	if err := f.call(func() error { return nil }); err != nil {
		return failing[store.Doc](err)
	}
	return f.DB.Query(ctx, q)
}

// Count implements [store.DB].
func (f *Faulty) Count(ctx context.Context, q store.Query) (n int, err error) {
	return n, f.call(func() error { n, err = f.DB.Count(ctx, q); return err })
}

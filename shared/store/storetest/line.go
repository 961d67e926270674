package storetest

import (
	"context"
	"iter"
	"sync"

	"miramundo.dev/shared/store"
)

// A Line is the connection to a database that can go quiet without an error,
// for tests of what is shown meanwhile. It starts working.
type Line struct {
	store.DB
	mu     sync.Mutex
	muted  bool          // guarded by mu
	frozen chan struct{} // closed when calls may go on; nil while the line works; guarded by mu
}

// NewLine returns a line to db.
func NewLine(db store.DB) *Line { return &Line{DB: db} }

// Mute drops every event of the watches from now on, as for a process that gets
// no processor between requests. Other calls work.
func (l *Line) Mute() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.muted = true
}

// Freeze drops the events of watches, and makes every other call wait until its
// context is done or Thaw is called, as when packets are lost on the way.
func (l *Line) Freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.muted, l.frozen = true, make(chan struct{})
}

// Thaw makes the line work again. An event that was dropped does not come again.
func (l *Line) Thaw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.frozen != nil {
		close(l.frozen)
	}
	l.muted, l.frozen = false, nil
}

// pass returns when a call may go on, or the error of ctx.
func (l *Line) pass(ctx context.Context) error {
	l.mu.Lock()
	frozen := l.frozen
	l.mu.Unlock()
	if frozen == nil {
		return nil
	}
	select {
	case <-frozen:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Line) isMuted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.muted
}

// Get implements [store.DB].
func (l *Line) Get(ctx context.Context, p store.Path, doc any) error {
	if err := l.pass(ctx); err != nil {
		return err
	}
	return l.DB.Get(ctx, p, doc)
}

// GetAll implements [store.DB].
func (l *Line) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	if err := l.pass(ctx); err != nil {
		return nil, err
	}
	return l.DB.GetAll(ctx, ps)
}

// Query implements [store.DB].
func (l *Line) Query(ctx context.Context, q store.Query) iter.Seq2[store.Doc, error] {
	if err := l.pass(ctx); err != nil {
		return func(yield func(store.Doc, error) bool) { yield(store.Doc{}, err) }
	}
	return l.DB.Query(ctx, q)
}

// Update implements [store.DB].
func (l *Line) Update(ctx context.Context, f func(store.Tx) error) error {
	if err := l.pass(ctx); err != nil {
		return err
	}
	return l.DB.Update(ctx, f)
}

// Watch implements [store.DB].
func (l *Line) Watch(ctx context.Context, p store.Path) iter.Seq2[store.Doc, error] {
	return heard(ctx, l, l.DB.Watch, p)
}

// WatchQuery implements [store.DB].
func (l *Line) WatchQuery(ctx context.Context, q store.Query) iter.Seq2[[]store.Doc, error] {
	return heard(ctx, l, l.DB.WatchQuery, q)
}

// heard is a watch of which the line drops events while it is muted. A watch
// that is opened on a frozen line waits.
func heard[Of, T any](ctx context.Context, l *Line, watch func(context.Context, Of) iter.Seq2[T, error], of Of) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if l.pass(ctx) != nil {
			return
		}
		for event, err := range watch(ctx, of) {
			if !l.isMuted() && !yield(event, err) {
				return
			}
		}
	}
}

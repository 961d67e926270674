package storetest

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"miramundo.dev/shared/store"
)

// A Recorder is a database that remembers every document that was written to it and
// every query that was made, for tests of what is stored, secret or indexed.
type Recorder struct {
	store.DB
	mu      sync.Mutex
	written map[string]Written // by path and body; guarded by mu
	queries []store.Query      // guarded by mu
}

// A Written is a document as it was written once.
type Written struct {
	Path store.Path
	JSON string
}

// NewRecorder returns a recorder in front of db.
func NewRecorder(db store.DB) *Recorder { return &Recorder{DB: db, written: map[string]Written{}} }

// Written returns every document that was written, each as often as it differed.
func (r *Recorder) Written() []Written {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.written))
}

// Queries returns every query that was made.
func (r *Recorder) Queries() []store.Query {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.queries)
}

// record remembers a document. One that cannot be stored is left out.
func (r *Recorder) record(p store.Path, doc any) {
	e, err := store.Encode(doc)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written[string(p)+"\n"+string(e.JSON)] = Written{p, string(e.JSON)}
}

func (r *Recorder) asked(q store.Query) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queries = append(r.queries, q)
}

// Create implements [store.DB].
func (r *Recorder) Create(ctx context.Context, p store.Path, doc any) error {
	r.record(p, doc)
	return r.DB.Create(ctx, p, doc)
}

// Set implements [store.DB].
func (r *Recorder) Set(ctx context.Context, p store.Path, doc any) error {
	r.record(p, doc)
	return r.DB.Set(ctx, p, doc)
}

// Increment implements [store.DB].
func (r *Recorder) Increment(ctx context.Context, p store.Path, add map[string]int64) error {
	r.record(p, add)
	return r.DB.Increment(ctx, p, add)
}

// Update implements [store.DB].
func (r *Recorder) Update(ctx context.Context, f func(store.Tx) error) error {
	return r.DB.Update(ctx, func(tx store.Tx) error { return f(recordedTx{tx, r}) })
}

// Query implements [store.DB].
func (r *Recorder) Query(ctx context.Context, q store.Query) iter.Seq2[store.Doc, error] {
	r.asked(q)
	return r.DB.Query(ctx, q)
}

// WatchQuery implements [store.DB].
func (r *Recorder) WatchQuery(ctx context.Context, q store.Query) iter.Seq2[[]store.Doc, error] {
	r.asked(q)
	return r.DB.WatchQuery(ctx, q)
}

// Count implements [store.DB].
func (r *Recorder) Count(ctx context.Context, q store.Query) (int, error) {
	r.asked(q)
	return r.DB.Count(ctx, q)
}

// A recordedTx is a transaction on a Recorder.
type recordedTx struct {
	store.Tx
	r *Recorder
}

// Create implements [store.Tx].
func (t recordedTx) Create(p store.Path, doc any) error {
	t.r.record(p, doc)
	return t.Tx.Create(p, doc)
}

// Set implements [store.Tx].
func (t recordedTx) Set(p store.Path, doc any) error {
	t.r.record(p, doc)
	return t.Tx.Set(p, doc)
}

// Increment implements [store.Tx].
func (t recordedTx) Increment(p store.Path, add map[string]int64) error {
	t.r.record(p, add)
	return t.Tx.Increment(p, add)
}

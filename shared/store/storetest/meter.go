package storetest

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"miramundo.dev/shared/store"
)

// Ops are operations on documents, as Firestore counts them.
type Ops struct {
	Reads, Writes int64
	Deletes       int64 // those of expired documents too, counted when they are made
}

// USD is what the operations cost at Firestore's list prices in one region:
// 0.03, 0.09 and 0.01 USD for 100,000 of each.
func (o Ops) USD() float64 {
	return (0.03*float64(o.Reads) + 0.09*float64(o.Writes) + 0.01*float64(o.Deletes)) / 100_000
}

// Less returns the operations since before.
func (o Ops) Less(before Ops) Ops {
	return Ops{o.Reads - before.Reads, o.Writes - before.Writes, o.Deletes - before.Deletes}
}

// A Meter is a database that counts what is done on it, for tests of what
// things cost.
type Meter struct {
	store.DB
	mu  sync.Mutex
	ops Ops // guarded by mu
}

// NewMeter returns a meter before db.
func NewMeter(db store.DB) *Meter { return &Meter{DB: db} }

// Ops returns what was counted so far. A transaction that was tried again
// counts as often.
func (m *Meter) Ops() Ops {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ops
}

// tallyKey is the context key of the Meter of [Meter.Within].
type tallyKey struct{}

// Within returns ctx, and a meter of what is done on m under it alone: not what
// runs beside it, such as the watches of a process.
func (m *Meter) Within(ctx context.Context) (context.Context, *Meter) {
	tally := NewMeter(m.DB)
	return context.WithValue(ctx, tallyKey{}, tally), tally
}

// add counts o, also for the meter in ctx.
func (m *Meter) add(ctx context.Context, o Ops) {
	m.mu.Lock()
	m.ops.Reads += o.Reads
	m.ops.Writes += o.Writes
	m.ops.Deletes += o.Deletes
	m.mu.Unlock()
	if tally, ok := ctx.Value(tallyKey{}).(*Meter); ok && tally != m {
		tally.add(context.Background(), o)
	}
}

// made are the operations that making doc takes, its end included.
func made(doc any) Ops {
	if e, err := store.Encode(doc); err == nil && !e.Expire.IsZero() {
		return Ops{Writes: 1, Deletes: 1}
	}
	return Ops{Writes: 1}
}

// Get implements [store.DB].
func (m *Meter) Get(ctx context.Context, p store.Path, doc any) error {
	m.add(ctx, Ops{Reads: 1})
	return m.DB.Get(ctx, p, doc)
}

// GetAll implements [store.DB].
func (m *Meter) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	m.add(ctx, Ops{Reads: int64(len(ps))})
	return m.DB.GetAll(ctx, ps)
}

// Create implements [store.DB].
func (m *Meter) Create(ctx context.Context, p store.Path, doc any) error {
	m.add(ctx, made(doc))
	return m.DB.Create(ctx, p, doc)
}

// Set implements [store.DB].
func (m *Meter) Set(ctx context.Context, p store.Path, doc any) error {
	m.add(ctx, Ops{Writes: 1})
	return m.DB.Set(ctx, p, doc)
}

// Delete implements [store.DB].
func (m *Meter) Delete(ctx context.Context, p store.Path) error {
	m.add(ctx, Ops{Deletes: 1})
	return m.DB.Delete(ctx, p)
}

// Increment implements [store.DB].
func (m *Meter) Increment(ctx context.Context, p store.Path, add map[string]int64) error {
	m.add(ctx, Ops{Writes: 1})
	return m.DB.Increment(ctx, p, add)
}

// Update implements [store.DB].
func (m *Meter) Update(ctx context.Context, f func(store.Tx) error) error {
	return m.DB.Update(ctx, func(tx store.Tx) error { return f(meteredTx{tx, m, ctx}) })
}

// Query implements [store.DB]. A query that finds nothing costs one read.
func (m *Meter) Query(ctx context.Context, q store.Query) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		found := int64(0)
		defer func() { m.add(ctx, Ops{Reads: max(found, 1)}) }()
		for doc, err := range m.DB.Query(ctx, q) {
			found++
			if !yield(doc, err) {
				return
			}
		}
	}
}

// WatchQuery implements [store.DB]. It costs a read for each document that it yields
// first, at least one, and then for each that is new or has changed.
func (m *Meter) WatchQuery(ctx context.Context, q store.Query) iter.Seq2[[]store.Doc, error] {
	return func(yield func([]store.Doc, error) bool) {
		var seen map[string]string
		for docs, err := range m.DB.WatchQuery(ctx, q) {
			now, reads := map[string]string{}, int64(0)
			for _, doc := range docs {
				var body map[string]any
				if doc.Decode(&body) == nil {
					now[doc.ID] = fmt.Sprint(body)
				}
				if before, ok := seen[doc.ID]; !ok || before != now[doc.ID] {
					reads++
				}
			}
			if seen == nil {
				reads = max(reads, 1)
			}
			seen = now
			m.add(ctx, Ops{Reads: reads})
			if !yield(docs, err) {
				return
			}
		}
	}
}

// Count implements [store.DB]. Up to 1,000 documents cost one read.
func (m *Meter) Count(ctx context.Context, q store.Query) (int, error) {
	n, err := m.DB.Count(ctx, q)
	m.add(ctx, Ops{Reads: int64(max(1, (n+999)/1000))})
	return n, err
}

// A meteredTx is a transaction on a Meter.
type meteredTx struct {
	store.Tx
	m   *Meter
	ctx context.Context // of the transaction
}

// Get implements [store.Tx].
func (t meteredTx) Get(p store.Path, doc any) error {
	t.m.add(t.ctx, Ops{Reads: 1})
	return t.Tx.Get(p, doc)
}

// GetAll implements [store.Tx].
func (t meteredTx) GetAll(ps []store.Path) ([]store.Doc, error) {
	t.m.add(t.ctx, Ops{Reads: int64(len(ps))})
	return t.Tx.GetAll(ps)
}

// Create implements [store.Tx].
func (t meteredTx) Create(p store.Path, doc any) error {
	t.m.add(t.ctx, made(doc))
	return t.Tx.Create(p, doc)
}

// Set implements [store.Tx].
func (t meteredTx) Set(p store.Path, doc any) error {
	t.m.add(t.ctx, Ops{Writes: 1})
	return t.Tx.Set(p, doc)
}

// Delete implements [store.Tx].
func (t meteredTx) Delete(p store.Path) error {
	t.m.add(t.ctx, Ops{Deletes: 1})
	return t.Tx.Delete(p)
}

// Increment implements [store.Tx].
func (t meteredTx) Increment(p store.Path, add map[string]int64) error {
	t.m.add(t.ctx, Ops{Writes: 1})
	return t.Tx.Increment(p, add)
}

package metrics

import (
	"context"
	"iter"

	"github.com/prometheus/client_golang/prometheus"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/store"
)

// background is the route of documents that no request asked for, such as those of jobs,
// watches and events.
const background = "background"

// documents counts documents as Firestore bills them.
type documents struct {
	documents *prometheus.CounterVec
	known     *memo[string, operations]
}

// operations are the counters of one route.
type operations struct{ read, write, delete prometheus.Counter }

func newDocuments() documents {
	return documents{
		documents: counters("store_documents_total",
			"Documents that were read, written or deleted, as Firestore bills them, by the route whose requests did so. What did no request is in the route "+background+".",
			"route", "method", "operation"),
		known: newMemo[string, operations](),
	}
}

// of returns the counters of the route whose request is in ctx.
func (d documents) of(ctx context.Context) operations {
	pattern := background
	if c, ok := ctx.Value(api.RequestKey).(interface{ Pattern() string }); ok {
		pattern = c.Pattern()
	}
	return d.known.get(pattern, d.operations)
}

func (d documents) operations(pattern string) operations {
	route, method := background, ""
	if pattern != background {
		route, method = routeOf(pattern), methodOf(pattern)
	}
	of := func(operation string) prometheus.Counter {
		return d.documents.WithLabelValues(route, method, operation)
	}
	return operations{of("read"), of("write"), of("delete")}
}

// DB returns db, whose documents are counted; db itself when m is nil.
func (m *Metrics) DB(db store.DB) store.DB {
	if m == nil || db == nil {
		return db
	}
	return counting{db, m.store}
}

// A counting is a database that counts documents.
type counting struct {
	store.DB
	documents documents
}

// Unwrap returns the database that has the documents.
func (d counting) Unwrap() store.DB { return d.DB }

// Get decodes the document at p into doc.
func (d counting) Get(ctx context.Context, p store.Path, doc any) error {
	d.documents.of(ctx).read.Inc()
	return d.DB.Get(ctx, p, doc)
}

// GetAll returns the documents at ps.
func (d counting) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	d.documents.of(ctx).read.Add(float64(len(ps)))
	return d.DB.GetAll(ctx, ps)
}

// Create stores doc at p.
func (d counting) Create(ctx context.Context, p store.Path, doc any) error {
	return add(d.documents.of(ctx).write, d.DB.Create(ctx, p, doc))
}

// Set stores doc at p.
func (d counting) Set(ctx context.Context, p store.Path, doc any) error {
	return add(d.documents.of(ctx).write, d.DB.Set(ctx, p, doc))
}

// Delete removes the document at p.
func (d counting) Delete(ctx context.Context, p store.Path) error {
	return add(d.documents.of(ctx).delete, d.DB.Delete(ctx, p))
}

// Increment adds to fields of the document at p.
func (d counting) Increment(ctx context.Context, p store.Path, fields map[string]int64) error {
	return add(d.documents.of(ctx).write, d.DB.Increment(ctx, p, fields))
}

// add counts a write that succeeded.
func add(c prometheus.Counter, err error) error {
	if err == nil {
		c.Inc()
	}
	return err
}

// Update runs f in a transaction. The reads of every attempt count, and the writes of the
// one that is kept.
func (d counting) Update(ctx context.Context, f func(store.Tx) error) error {
	counters := d.documents.of(ctx)
	var tx *countingTx
	err := d.DB.Update(ctx, func(inner store.Tx) error {
		tx = &countingTx{Tx: inner, read: counters.read}
		return f(tx)
	})
	if err == nil && tx != nil {
		counters.write.Add(float64(tx.writes))
		counters.delete.Add(float64(tx.deletes))
	}
	return err
}

// Query yields the documents that match q. A query costs one read at least.
func (d counting) Query(ctx context.Context, q store.Query) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		n := 0
		defer func() { d.documents.of(ctx).read.Add(float64(max(n, 1))) }()
		for doc, err := range d.DB.Query(ctx, q) {
			if err == nil {
				n++
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// countedAtOnce is how many documents are counted for the price of one read.
const countedAtOnce = 1000

// Count returns the number of documents that match q.
func (d counting) Count(ctx context.Context, q store.Query) (int, error) {
	n, err := d.DB.Count(ctx, q)
	d.documents.of(ctx).read.Add(float64(max((n+countedAtOnce-1)/countedAtOnce, 1)))
	return n, err
}

// Watch yields the document at p after each change, which costs one read each.
func (d counting) Watch(ctx context.Context, p store.Path) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		for doc, err := range d.DB.Watch(ctx, p) {
			if err == nil {
				d.documents.of(ctx).read.Inc()
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// WatchQuery yields the documents that match q after each change. All are counted at
// first, and then one for each change, although several may have changed at once.
func (d counting) WatchQuery(ctx context.Context, q store.Query) iter.Seq2[[]store.Doc, error] {
	return func(yield func([]store.Doc, error) bool) {
		first := true
		for docs, err := range d.DB.WatchQuery(ctx, q) {
			if n := 1; err == nil {
				if first {
					n, first = max(len(docs), 1), false
				}
				d.documents.of(ctx).read.Add(float64(n))
			}
			if !yield(docs, err) {
				return
			}
		}
	}
}

// A countingTx is one attempt of a transaction.
type countingTx struct {
	store.Tx
	read            prometheus.Counter
	writes, deletes int
}

func (t *countingTx) Get(p store.Path, doc any) error {
	t.read.Inc()
	return t.Tx.Get(p, doc)
}

func (t *countingTx) GetAll(ps []store.Path) ([]store.Doc, error) {
	t.read.Add(float64(len(ps)))
	return t.Tx.GetAll(ps)
}

func (t *countingTx) Create(p store.Path, doc any) error {
	t.writes++
	return t.Tx.Create(p, doc)
}

func (t *countingTx) Set(p store.Path, doc any) error {
	t.writes++
	return t.Tx.Set(p, doc)
}

func (t *countingTx) Delete(p store.Path) error {
	t.deletes++
	return t.Tx.Delete(p)
}

func (t *countingTx) Increment(p store.Path, fields map[string]int64) error {
	t.writes++
	return t.Tx.Increment(p, fields)
}

package embedded

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded/sqlite"
)

// A watch reads its documents again whenever they may have changed, and
// yields them when they differ. Writes of this process wake it at once;
// writes of other processes are found by polling the file's version.

const (
	pollInterval  = 250 * time.Millisecond // for writes of other processes
	sweepInterval = 10 * time.Minute
	sweepMax      = 500 // documents deleted in one transaction
)

// A hub wakes watches. The zero hub is ready to use.
type hub struct {
	mu       sync.Mutex
	watchers map[*watcher]struct{} // guarded by mu
}

// A watcher is one running watch: of a document or, with an empty id, of a
// collection.
type watcher struct {
	key  key
	wake chan struct{} // of capacity 1, since one pending signal is enough
}

func (h *hub) add(k key) *watcher {
	w := &watcher{key: k, wake: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers == nil {
		h.watchers = map[*watcher]struct{}{}
	}
	h.watchers[w] = struct{}{}
	return w
}

func (h *hub) remove(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, w)
}

// notify wakes the watches of changed documents.
func (h *hub) notify(changed []key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		if slices.ContainsFunc(changed, w.sees) {
			w.signal()
		}
	}
}

func (w *watcher) sees(k key) bool {
	return w.key.collection == k.collection && (w.key.id == "" || w.key.id == k.id)
}

func (w *watcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Watch implements [store.DB].
func (db *DB) Watch(ctx context.Context, p store.Path) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		k, err := keyOf(p)
		if err != nil {
			yield(store.Doc{}, err)
			return
		}
		read := func() ([]row, error) { return db.readOne(ctx, k) }
		err = db.watch(ctx, k, read, func(rows []row) bool {
			if len(rows) == 0 {
				return yield(document(p, nil), nil)
			}
			return yield(document(p, rows[0].body), nil)
		})
		if err != nil {
			yield(store.Doc{}, err)
		}
	}
}

// WatchQuery implements [store.DB].
func (db *DB) WatchQuery(ctx context.Context, q store.Query) iter.Seq2[[]store.Doc, error] {
	return func(yield func([]store.Doc, error) bool) {
		if err := q.Check(); err != nil {
			yield(nil, err)
			return
		}
		read := func() ([]row, error) { return db.rows(ctx, q) }
		err := db.watch(ctx, key{collection: string(q.Collection)}, read, func(rows []row) bool {
			docs := make([]store.Doc, len(rows))
			for i, r := range rows {
				docs[i] = document(q.Collection.Join(r.id), r.body)
			}
			return yield(docs, nil)
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// readOne returns the document at k, or none.
func (db *DB) readOne(ctx context.Context, k key) ([]row, error) {
	rows, err := db.file.Query(ctx, selectBody, k.collection, k.id, db.micros())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []row
	for rows.Next() {
		r := row{id: k.id}
		if err := rows.Scan(&r.body); err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, rows.Err()
}

// watch passes what read returns to yield, first at once and then whenever it
// has changed. It returns nil when yield or ctx ends it.
func (db *DB) watch(ctx context.Context, k key, read func() ([]row, error), yield func([]row) bool) error {
	w := db.hub.add(k)
	defer db.hub.remove(w)
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	var seen []row
	for first := true; ; first = false {
		version, err := db.file.Version(ctx)
		if err != nil {
			return ignoreIfDone(ctx, err)
		}
		rows, err := read()
		if err != nil {
			return ignoreIfDone(ctx, err)
		}
		if first || !slices.EqualFunc(seen, rows, row.equal) {
			if seen = rows; !yield(rows) {
				return nil
			}
		}
		if err := db.wait(ctx, w, poll.C, version); err != nil {
			return ignoreIfDone(ctx, err)
		}
	}
}

// wait returns when the documents may have changed since version.
func (db *DB) wait(ctx context.Context, w *watcher, poll <-chan time.Time, version int64) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.wake:
			return nil
		case <-poll:
			now, err := db.file.Version(ctx)
			if err != nil || now != version {
				return err
			}
		}
	}
}

func ignoreIfDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (r row) equal(other row) bool { return r.id == other.id && bytes.Equal(r.body, other.body) }

// sweepEvery deletes expired documents periodically, until ctx is done.
func (db *DB) sweepEvery(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		// A failed sweep is repeated later; reads hide expired documents anyway.
		_, _ = db.Sweep(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

const sweep = `
DELETE FROM documents WHERE rowid IN (SELECT rowid FROM documents WHERE expire <= ? LIMIT ?)`

// Sweep deletes expired documents and returns how many it deleted.
func (db *DB) Sweep(ctx context.Context) (total int, err error) {
	for n := int64(sweepMax); n == sweepMax; total += int(n) {
		err := db.file.Write(ctx, func(tx *sqlite.Tx) error {
			res, err := tx.Exec(sweep, db.micros(), sweepMax)
			if err != nil {
				return err
			}
			n, err = res.RowsAffected()
			return err
		})
		if err != nil {
			return total, errors.Join(errors.New("sweep expired documents"), err)
		}
	}
	return total, nil
}

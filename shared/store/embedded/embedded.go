// Package embedded implements [store.DB] in a SQLite file.
//
// All documents are rows of one table, by collection and id, with their body
// as JSON. Queries compare values that SQLite extracts from the body, with
// the types and the order of Firestore. Watches are notified by writes of
// this process and poll for writes of others.
package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded/sqlite"
)

const schema = `
CREATE TABLE IF NOT EXISTS documents (
	collection TEXT NOT NULL,
	id TEXT NOT NULL,
	expire INTEGER, -- of expire_at, in microseconds
	body TEXT NOT NULL,
	UNIQUE (collection, id))`

const schemaExpire = `
CREATE INDEX IF NOT EXISTS documents_expire ON documents(expire) WHERE expire IS NOT NULL`

// A DB stores documents in a file. See [store.DB].
type DB struct {
	file *sqlite.File
	now  func() time.Time
	hub  hub
	indexes
	stop context.CancelFunc // ends the background work
	once sync.Once          // for Close
}

var _ store.Local = (*DB)(nil)

// Open opens the database file at path, and creates it when it is missing.
func Open(path string) (*DB, error) {
	f, err := sqlite.Open(path)
	if err != nil {
		return nil, err
	}
	return On(f, time.Now)
}

// On returns a database in f. Its Close closes f; On closes f when it fails.
// The clock now decides which documents have expired.
func On(f *sqlite.File, now func() time.Time) (*DB, error) {
	ctx, stop := context.WithCancel(context.Background())
	db := &DB{file: f, now: now, stop: stop, indexes: indexes{scanMax: scanMax, created: map[string]bool{}}}
	err := f.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.Exec(schema)
		_, err2 := tx.Exec(schemaExpire)
		return errors.Join(err, err2)
	})
	if err != nil {
		stop()
		return nil, errors.Join(fmt.Errorf("documents: %w", err), f.Close())
	}
	go db.sweepEvery(ctx, sweepInterval)
	return db, nil
}

// Close stops the background work and closes the file.
func (db *DB) Close() (err error) {
	db.once.Do(func() {
		db.stop()
		err = db.file.Close()
	})
	return err
}

const selectBody = `
SELECT body FROM documents
WHERE collection = ? AND id = ? AND (expire IS NULL OR expire > ?)`

// Get implements [store.DB].
func (db *DB) Get(ctx context.Context, p store.Path, doc any) error {
	coll, id, err := p.Split()
	if err != nil {
		return err
	}
	var body []byte
	err = db.file.Scan(ctx, selectBody, []any{string(coll), id, db.micros()}, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return store.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("get %s: %w", p, err)
	}
	return store.Decode(body, doc)
}

const selectAll = `
SELECT d.body FROM json_each(?1) AS k
LEFT JOIN documents AS d
ON d.collection = k.value->>0 AND d.id = k.value->>1 AND (d.expire IS NULL OR d.expire > ?2)
ORDER BY k.key`

// GetAll implements [store.DB].
func (db *DB) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	keys, err := keyList(ps)
	if err != nil {
		return nil, err
	}
	rows, err := db.file.Query(ctx, selectAll, keys, db.micros())
	if err != nil {
		return nil, fmt.Errorf("get %d documents: %w", len(ps), err)
	}
	return scanAll(rows, ps)
}

// keyList returns ps as a JSON list of pairs of collection and id, for
// json_each.
func keyList(ps []store.Path) (string, error) {
	keys := make([][2]string, len(ps))
	for i, p := range ps {
		coll, id, err := p.Split()
		if err != nil {
			return "", err
		}
		keys[i] = [2]string{string(coll), id}
	}
	b, err := json.Marshal(keys)
	return string(b), err
}

// scanAll reads a row of selectAll for each of ps.
func scanAll(rows *sql.Rows, ps []store.Path) (docs []store.Doc, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	docs = make([]store.Doc, 0, len(ps))
	for rows.Next() {
		var body []byte
		if err := rows.Scan(&body); err != nil {
			return nil, err
		}
		docs = append(docs, document(ps[len(docs)], body))
	}
	return docs, rows.Err()
}

// document returns the document at p, a valid path; a nil body is a missing
// document.
func document(p store.Path, body []byte) store.Doc {
	_, id, _ := p.Split()
	d := store.Doc{Path: p, ID: id}
	if body != nil {
		d.Decode = func(doc any) error { return store.Decode(body, doc) }
	}
	return d
}

// Create implements [store.DB].
func (db *DB) Create(ctx context.Context, p store.Path, doc any) error {
	return db.write(ctx, p, doc, (*tx).create)
}

// Set implements [store.DB].
func (db *DB) Set(ctx context.Context, p store.Path, doc any) error {
	return db.write(ctx, p, doc, (*tx).set)
}

// write encodes doc before it waits for its turn to write.
func (db *DB) write(ctx context.Context, p store.Path, doc any, put func(*tx, key, store.Encoded) error) error {
	k, err := keyOf(p)
	if err != nil {
		return err
	}
	e, err := store.Encode(doc)
	if err != nil {
		return err
	}
	return db.update(ctx, func(tx *tx) error { return put(tx, k, e) })
}

// Delete implements [store.DB].
func (db *DB) Delete(ctx context.Context, p store.Path) error {
	return db.update(ctx, func(tx *tx) error { return tx.Delete(p) })
}

// Increment implements [store.DB].
func (db *DB) Increment(ctx context.Context, p store.Path, add map[string]int64) error {
	return db.update(ctx, func(tx *tx) error { return tx.Increment(p, add) })
}

// Update implements [store.DB].
func (db *DB) Update(ctx context.Context, f func(store.Tx) error) error {
	return db.update(ctx, func(tx *tx) error { return f(tx) })
}

// update runs f in a transaction, and notifies the watches of what it
// changed.
func (db *DB) update(ctx context.Context, f func(*tx) error) error {
	return db.file.Write(ctx, func(w *sqlite.Tx) error {
		t := &tx{w: w, now: db.micros()}
		if err := f(t); err != nil {
			return err
		}
		if t.failed != nil {
			return t.failed
		}
		w.After(func() { db.hub.notify(t.changed) })
		return nil
	})
}

// Problem implements [store.Local].
func (db *DB) Problem() error { return db.file.Problem() }

// CopyInto implements [store.Local]. The copy holds the events too.
func (db *DB) CopyInto(ctx context.Context, path string) error { return db.file.CopyInto(ctx, path) }

// Check implements [store.Local].
func (db *DB) Check(ctx context.Context) error { return db.file.Check(ctx) }

// micros returns the current time in the unit of the column expire.
func (db *DB) micros() int64 { return db.now().UnixMicro() }

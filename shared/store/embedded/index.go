package embedded

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded/sqlite"
)

const (
	scanMax  = 500
	indexMax = 24 // indexes, each of which costs every write a little
)

// indexes are the fields that have an index. They are made when a query first
// asks for a field of a collection that is not small: a small installation
// needs none, and nobody has to declare them.
type indexes struct {
	scanMax int // documents of a collection that are read through without an index

	mu   sync.Mutex
	made map[string]bool // by field; guarded by mu
}

// index makes the indexes that q needs.
func (db *DB) index(ctx context.Context, q store.Query) error {
	for _, f := range q.Where {
		if err := db.indexField(ctx, q.Collection, f.Field); err != nil {
			return err
		}
	}
	if q.OrderBy == "" {
		return nil
	}
	return db.indexField(ctx, q.Collection, q.OrderBy)
}

// indexField makes the index of a field, unless it is there or not needed.
func (db *DB) indexField(ctx context.Context, collection store.Path, field string) error {
	if !db.wants(field) {
		return nil
	}
	var n int
	err := db.file.Scan(ctx, "SELECT count(*) FROM (SELECT 1 FROM documents WHERE collection = ? LIMIT ?)",
		[]any{string(collection), db.scanMax + 1}, &n)
	if err != nil || n <= db.scanMax {
		return err
	}
	if err := db.file.Write(ctx, func(tx *sqlite.Tx) error { return makeIndex(tx, field) }); err != nil {
		return fmt.Errorf("index of %s: %w", field, err)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.made[field] = true
	return nil
}

// wants tells whether a field may still get an index.
func (x *indexes) wants(field string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return !x.made[field] && len(x.made) < indexMax
}

// makeIndex makes the index of a checked field. Its name tells fields apart
// that differ in case alone.
func makeIndex(tx *sqlite.Tx, field string) error {
	has, rank, value := fieldSQL(field)
	name := fmt.Sprintf("documents_field_%x", sha256.Sum256([]byte(field)))
	_, err := tx.Exec("CREATE INDEX IF NOT EXISTS " + name + " ON documents (collection, " + rank + ", " + value + ", id) WHERE " + has)
	return err
}

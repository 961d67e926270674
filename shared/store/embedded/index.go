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
	scanMax  = 500 // documents of a collection that are scanned without an index
	indexMax = 24  // indexes; each slows down every write a little
)

// indexes records which fields have an index. An index is created when a
// query first uses a field in a collection that is not small, so that nobody
// has to declare indexes and a small installation has none.
type indexes struct {
	scanMax int // see the constant; tests lower it

	mu      sync.Mutex
	created map[string]bool // by field; guarded by mu
}

// index creates the indexes that q needs.
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

// indexField creates the index of a field if it is missing and worth it.
func (db *DB) indexField(ctx context.Context, collection store.Path, field string) error {
	if !db.mayIndex(field) {
		return nil
	}
	var n int
	err := db.file.Scan(ctx, "SELECT count(*) FROM (SELECT 1 FROM documents WHERE collection = ? LIMIT ?)",
		[]any{string(collection), db.scanMax + 1}, &n)
	if err != nil || n <= db.scanMax {
		return err
	}
	if err := db.file.Write(ctx, func(tx *sqlite.Tx) error { return createIndex(tx, field) }); err != nil {
		return fmt.Errorf("index of %s: %w", field, err)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.created[field] = true
	return nil
}

// mayIndex reports whether a field may still get an index.
func (x *indexes) mayIndex(field string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return !x.created[field] && len(x.created) < indexMax
}

// createIndex creates the index of a checked field. Its name is a hash,
// because SQLite ignores case in names and fields do not.
func createIndex(tx *sqlite.Tx, field string) error {
	has, rank, value := fieldSQL(field)
	name := fmt.Sprintf("documents_field_%x", sha256.Sum256([]byte(field)))
	_, err := tx.Exec("CREATE INDEX IF NOT EXISTS " + name + " ON documents (collection, " + rank + ", " + value + ", id) WHERE " + has)
	return err
}

package embedded

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"math"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded/sqlite"
)

// A key is a valid path, split into collection and id.
type key struct {
	collection, id string
}

func keyOf(p store.Path) (key, error) {
	coll, id, err := p.Split()
	return key{string(coll), id}, err
}

// A tx is a write transaction. The file has one writer at a time, so
// transactions are serializable without retries.
type tx struct {
	w       *sqlite.Tx
	now     int64 // microseconds
	changed []key
	wrote   bool
	size    int   // of the documents written, in bytes
	failed  error // the first failed write, after which the transaction is rolled back
}

var _ store.Tx = (*tx)(nil)

func (t *tx) Get(p store.Path, doc any) error {
	if t.wrote {
		return store.ErrOrder
	}
	k, err := keyOf(p)
	if err != nil {
		return err
	}
	body, err := t.body(selectBody, k.collection, k.id, t.now)
	if err != nil {
		return err
	}
	if body == nil {
		return store.ErrNotFound
	}
	return store.Decode(body, doc)
}

func (t *tx) GetAll(ps []store.Path) ([]store.Doc, error) {
	if t.wrote {
		return nil, store.ErrOrder
	}
	keys, err := keyList(ps)
	if err != nil {
		return nil, err
	}
	rows, err := t.w.Query(selectAll, keys, t.now)
	if err != nil {
		return nil, err
	}
	return scanAll(rows, ps)
}

// body returns the body that query finds, or nil.
func (t *tx) body(query string, args ...any) (body []byte, err error) {
	err = t.w.QueryRow(query, args...).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return body, err
}

func (t *tx) Create(p store.Path, doc any) error { return t.put(p, doc, (*tx).create) }

func (t *tx) Set(p store.Path, doc any) error { return t.put(p, doc, (*tx).set) }

func (t *tx) put(p store.Path, doc any, put func(*tx, key, store.Encoded) error) error {
	k, err := keyOf(p)
	if err != nil {
		return t.fail(err)
	}
	e, err := store.Encode(doc)
	if err != nil {
		return t.fail(err)
	}
	if t.size += len(e.JSON); t.size > store.MaxUpdate {
		return t.fail(store.ErrTooLarge)
	}
	return put(t, k, e)
}

// fail makes the transaction fail with err, even if its function ignores the
// error.
func (t *tx) fail(err error) error {
	if t.failed == nil {
		t.failed = err
	}
	return err
}

const upsert = `
INSERT INTO documents (collection, id, expire, body) VALUES (?, ?, ?, ?)
ON CONFLICT (collection, id) DO UPDATE SET expire = excluded.expire, body = excluded.body`

// insert replaces a document only if it has expired.
const insert = upsert + ` WHERE documents.expire <= ?`

func (t *tx) create(k key, e store.Encoded) error {
	n, err := t.exec(k, insert, k.collection, k.id, expire(e), string(e.JSON), t.now)
	if err == nil && n == 0 {
		return t.fail(store.ErrExists)
	}
	return err
}

func (t *tx) set(k key, e store.Encoded) error {
	_, err := t.exec(k, upsert, k.collection, k.id, expire(e), string(e.JSON))
	return err
}

func (t *tx) Delete(p store.Path) error {
	k, err := keyOf(p)
	if err != nil {
		return t.fail(err)
	}
	_, err = t.exec(k, "DELETE FROM documents WHERE collection = ? AND id = ?", k.collection, k.id)
	return err
}

// exec runs a write of the document at k and returns the number of changed
// rows. After a failure it writes nothing: SQLite may have ended the
// transaction already, and would commit later statements by themselves.
func (t *tx) exec(k key, query string, args ...any) (int64, error) {
	t.wrote = true
	if t.failed != nil {
		return 0, t.failed
	}
	res, err := t.w.Exec(query, args...)
	if err != nil {
		return 0, t.fail(err)
	}
	t.changed = append(t.changed, k)
	return res.RowsAffected()
}

// expire returns the value of the column expire.
func expire(e store.Encoded) any {
	if e.Expire.IsZero() {
		return nil
	}
	return e.Expire.UnixMicro()
}

func (t *tx) Increment(p store.Path, add map[string]int64) error {
	k, err := keyOf(p)
	if err == nil {
		err = store.CheckIncrement(add)
	}
	if err != nil || len(add) == 0 {
		return t.fail(err)
	}
	body, err := t.body("SELECT body FROM documents WHERE collection = ? AND id = ?", k.collection, k.id)
	if err != nil {
		return t.fail(err)
	}
	e, err := incremented(body, add)
	if err != nil {
		return t.fail(err)
	}
	return t.set(k, e)
}

// incremented returns the document body, or an empty document, with add
// added.
func incremented(body []byte, add map[string]int64) (store.Encoded, error) {
	doc := map[string]any{}
	if body != nil {
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		if err := d.Decode(&doc); err != nil {
			return store.Encoded{}, err
		}
	}
	for name, n := range add {
		names, err := store.Field(name)
		if err != nil {
			return store.Encoded{}, err
		}
		addToField(doc, names, n)
	}
	return store.Encode(doc)
}

// addToField adds n to the field of m at the path names.
func addToField(m map[string]any, names []string, n int64) {
	for ; len(names) > 1; names = names[1:] {
		inner, ok := m[names[0]].(map[string]any)
		if !ok {
			inner = map[string]any{}
			m[names[0]] = inner
		}
		m = inner
	}
	m[names[0]] = addSaturating(m[names[0]], n)
}

// addSaturating adds as Firestore does: integers saturate at the ends of
// int64, floats stay floats, and any other value counts as zero.
func addSaturating(old any, n int64) any {
	number, ok := old.(json.Number)
	if !ok {
		return n
	}
	i, err := number.Int64()
	switch {
	case err != nil:
		f, _ := number.Float64()
		return f + float64(n)
	case n > 0 && i > math.MaxInt64-n:
		return int64(math.MaxInt64)
	case n < 0 && i < math.MinInt64-n:
		return int64(math.MinInt64)
	}
	return i + n
}

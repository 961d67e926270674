package firestore

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"time"

	fs "cloud.google.com/go/firestore"

	"miramundo.dev/shared/store"
)

// expireAt is the only field that is not stored in its JSON type.
const expireAt = "expire_at"

// encode returns the fields of doc for Firestore, and its size in bytes of
// JSON.
func encode(doc any) (fields map[string]any, size int, err error) {
	e, err := store.Encode(doc)
	if err != nil {
		return nil, 0, err
	}
	d := json.NewDecoder(bytes.NewReader(e.JSON))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return nil, 0, store.ErrDocument.Because(err)
	}
	for name, v := range fields {
		fields[name] = exactNumbers(v)
	}
	if !e.Expire.IsZero() {
		fields[expireAt] = e.Expire
	}
	return fields, len(e.JSON), nil
}

// exactNumbers returns v with its numbers as int64 if they are integers, and
// as float64 otherwise.
func exactNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64() // valid, having been encoded
		return f
	case []any:
		for i := range v {
			v[i] = exactNumbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = exactNumbers(v[name])
		}
	}
	return v
}

// decode decodes a snapshot into doc. It returns ErrNotFound for a missing
// document.
func (db *DB) decode(snap *fs.DocumentSnapshot, doc any) error {
	fields := db.fields(snap)
	if fields == nil {
		return store.ErrNotFound
	}
	return decodeFields(fields, doc)
}

// fields returns the fields of a snapshot, or nil when the document is
// missing or expired.
func (db *DB) fields(snap *fs.DocumentSnapshot) map[string]any {
	if !snap.Exists() {
		return nil
	}
	fields := snap.Data()
	if at, ok := fields[expireAt].(time.Time); ok {
		if !at.After(db.now()) {
			return nil
		}
		fields[expireAt] = store.At(at)
	}
	return fields
}

func decodeFields(fields map[string]any, doc any) error {
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return store.Decode(body, doc)
}

// document returns the document of a snapshot at p.
func (db *DB) document(p store.Path, snap *fs.DocumentSnapshot) store.Doc {
	d := store.Doc{Path: p, ID: snap.Ref.ID}
	if fields := db.fields(snap); fields != nil {
		body := sync.OnceValues(func() ([]byte, error) { return json.Marshal(fields) })
		d.Decode = func(doc any) error {
			b, err := body()
			if err != nil {
				return err
			}
			return store.Decode(b, doc)
		}
	}
	return d
}

// increments returns the fields of a merge that adds.
func increments(add map[string]int64) map[string]any {
	root := map[string]any{}
	for name, n := range add {
		m := root
		names := strings.Split(name, ".")
		for _, s := range names[:len(names)-1] {
			inner, ok := m[s].(map[string]any)
			if !ok {
				inner = map[string]any{}
				m[s] = inner
			}
			m = inner
		}
		m[names[len(names)-1]] = fs.Increment(n)
	}
	return root
}

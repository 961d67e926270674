package firestore

import (
	"errors"
	"slices"

	fs "cloud.google.com/go/firestore"

	"miramundo.dev/shared/store"
)

// A tx collects what the function of a transaction reads and writes. The writes are
// sent after the function has returned; see [DB.Update].
type tx struct {
	db      *DB
	turn    *turn
	get     getter
	read    map[store.Path]*fs.DocumentSnapshot // every document that was read, as it was then
	writes  []write
	size    int // of the documents to write, in bytes of JSON
	exists  map[store.Path]bool
	creates []store.Path // paths that must not have a document
	failed  error        // a write that cannot be stored
	retry   error        // a read that gave way to another transaction
}

var _ store.Tx = (*tx)(nil)

// A getter reads documents outside of any transaction.
type getter func([]*fs.DocumentRef) ([]*fs.DocumentSnapshot, error)

// A write is one write of a transaction.
type write struct {
	path  store.Path
	plain func(*fs.Transaction) error // makes the write whatever the document is
	// checked makes the write, which fails when the document is not the one that was
	// read; nil for a write that cannot check that.
	checked func(*fs.Transaction, *fs.DocumentSnapshot) error
}

func newTx(db *DB, mine *turn, get getter) *tx {
	return &tx{db: db, turn: mine, get: get, read: map[store.Path]*fs.DocumentSnapshot{}, exists: map[store.Path]bool{}}
}

func (t *tx) wrote() bool { return len(t.writes) > 0 || t.failed != nil }

func (t *tx) Get(p store.Path, doc any) error {
	if t.wrote() {
		return store.ErrOrder
	}
	if err := t.fetch([]store.Path{p}); err != nil {
		return err
	}
	return t.db.decode(t.read[p], doc)
}

func (t *tx) GetAll(ps []store.Path) ([]store.Doc, error) {
	if t.wrote() {
		return nil, store.ErrOrder
	}
	if err := t.fetch(ps); err != nil {
		return nil, err
	}
	docs := make([]store.Doc, len(ps))
	for i, p := range ps {
		docs[i] = t.db.document(p, t.read[p])
	}
	return docs, nil
}

// fetch reads the documents at ps that were not read before.
func (t *tx) fetch(ps []store.Path) error {
	var missing []store.Path
	for _, p := range ps {
		if _, done := t.read[p]; !done {
			missing = append(missing, p)
		}
	}
	refs, err := t.db.refs(missing)
	if err != nil || len(refs) == 0 {
		return err
	}
	if err := t.need(missing...); err != nil {
		return err
	}
	snaps, err := inParts(refs, t.get)
	if err != nil {
		if isConflict(err) {
			t.retry = err
		}
		return err
	}
	for i, p := range missing {
		t.read[p] = snaps[i]
	}
	return nil
}

// need takes paths for this transaction. When another one has them, this run ends.
func (t *tx) need(ps ...store.Path) error {
	err := t.turn.need(ps...)
	if err != nil {
		t.retry = err
	}
	return err
}

// fail makes the transaction fail with err, even if its function ignores the
// error.
func (t *tx) fail(err error) error {
	if t.failed == nil {
		t.failed = err
	}
	return err
}

func (t *tx) Create(p store.Path, doc any) error {
	there, written := t.exists[p]
	if there {
		return t.fail(store.ErrExists)
	}
	if err := t.Set(p, doc); err != nil {
		return err
	}
	if !written {
		t.creates = append(t.creates, p)
	}
	return nil
}

func (t *tx) Set(p store.Path, doc any) error {
	ref, err := t.db.ref(p)
	if err != nil {
		return t.fail(err)
	}
	fields, size, err := encode(doc)
	if err != nil {
		return t.fail(err)
	}
	if t.size += size; t.size > store.MaxUpdate {
		return t.fail(store.ErrTooLarge)
	}
	w := write{path: p, plain: func(f *fs.Transaction) error { return f.Set(ref, fields) }}
	if len(fields) > 0 { // without a field there is nothing that a checked write could name
		w.checked = func(f *fs.Transaction, was *fs.DocumentSnapshot) error { return replace(f, was, ref, fields) }
	}
	t.write(w, true)
	return nil
}

// replace writes fields in place of the document that was read.
func replace(f *fs.Transaction, was *fs.DocumentSnapshot, ref *fs.DocumentRef, fields map[string]any) error {
	if !was.Exists() {
		return f.Create(ref, fields)
	}
	changes := make([]fs.Update, 0, len(fields))
	for name, value := range fields {
		changes = append(changes, fs.Update{FieldPath: fs.FieldPath{name}, Value: value})
	}
	for name := range was.Data() {
		if _, stays := fields[name]; !stays {
			changes = append(changes, fs.Update{FieldPath: fs.FieldPath{name}, Value: fs.Delete})
		}
	}
	return f.Update(ref, changes, fs.LastUpdateTime(was.UpdateTime))
}

// write queues a write, after which the document exists or not.
func (t *tx) write(w write, there bool) {
	_ = t.need(w.path) // an error ends the run, whatever the function does
	t.writes = append(t.writes, w)
	t.exists[w.path] = there
}

func (t *tx) Delete(p store.Path) error {
	ref, err := t.db.ref(p)
	if err != nil {
		return t.fail(err)
	}
	w := write{path: p, plain: func(f *fs.Transaction) error { return f.Delete(ref) }}
	if was := t.read[p]; was != nil && was.Exists() {
		w.checked = func(f *fs.Transaction, was *fs.DocumentSnapshot) error {
			return f.Delete(ref, fs.LastUpdateTime(was.UpdateTime))
		}
	}
	t.write(w, false)
	return nil
}

func (t *tx) Increment(p store.Path, add map[string]int64) error {
	ref, err := t.db.ref(p)
	if err == nil {
		err = store.CheckIncrement(add)
	}
	if err != nil {
		return t.fail(err)
	}
	if len(add) > 0 {
		t.write(write{path: p, plain: func(f *fs.Transaction) error { return f.Set(ref, increments(add), fs.MergeAll) }}, true)
	}
	return nil
}

// send makes the writes in f. A document that was read and is written is checked by
// its first write, which costs no further read; the others that were read are read
// again, which locks them until f ends.
func (t *tx) send(f *fs.Transaction) error {
	first := map[store.Path]int{} // the first write of each document
	checked := map[store.Path]bool{}
	for i, w := range slices.Backward(t.writes) {
		first[w.path] = i
		checked[w.path] = t.read[w.path] != nil && w.checked != nil
	}
	if err := t.verify(f, checked); err != nil {
		return err
	}
	for i, w := range t.writes {
		send := w.plain
		if first[w.path] == i && checked[w.path] {
			send = func(f *fs.Transaction) error { return w.checked(f, t.read[w.path]) }
		}
		if err := send(f); err != nil {
			return err
		}
	}
	return nil
}

// errChanged means that a document is not any more what was read.
var errChanged = errors.New("firestore: a document has changed since it was read")

// verify reads again what was read, unless it is checked otherwise, and returns
// errChanged when that has changed.
func (t *tx) verify(f *fs.Transaction, checked map[store.Path]bool) error {
	var paths []store.Path
	for p := range t.read {
		if !checked[p] {
			paths = append(paths, p)
		}
	}
	refs, err := t.db.refs(paths)
	if err != nil || len(refs) == 0 {
		return err
	}
	now, err := inParts(refs, f.GetAll)
	if err != nil {
		return err
	}
	for i, snap := range now {
		if !same(t.read[paths[i]], snap) {
			return errChanged
		}
	}
	return nil
}

// checkCreates reads the documents that are created and were not read, and returns
// ErrExists when there is one.
func (t *tx) checkCreates() error {
	if err := t.fetch(t.creates); err != nil {
		return err
	}
	for _, p := range t.creates {
		if t.db.fields(t.read[p]) != nil {
			return store.ErrExists
		}
	}
	return nil
}

// same reports whether two snapshots are of one state of a document.
func same(a, b *fs.DocumentSnapshot) bool {
	return a.Exists() == b.Exists() && a.UpdateTime.Equal(b.UpdateTime)
}

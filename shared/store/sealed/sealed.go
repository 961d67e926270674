// Package sealed stores texts that a document must show again, such as the secret in
// an address that its owner copies, so that a copy of the database does not show
// them.
//
// A document names such texts by [Document]. They are encrypted while the document
// is stored, bound to its path, and are plain in memory. Other documents pass
// unchanged. A secret that nobody has to be shown again is stored as a hash instead.
package sealed

import (
	"context"
	"iter"
	"strings"

	"miramundo.dev/shared/store"
)

// A Document has texts that are stored sealed.
type Document interface {
	// Secrets returns where these texts are. They must not contain a dot, by which
	// a sealed text is told from one that was stored plain before. A text that none
	// of the keys opens is read as "". A write replaces the texts for its duration,
	// so the document must not be used by others meanwhile.
	Secrets() []*string
}

// Keys seal and open texts; a [miramundo.dev/shared/keyring.Ring] is one.
type Keys interface {
	Seal(purpose string, plain, bound []byte) (string, error)
	Open(purpose, sealed string, bound []byte) ([]byte, error)
}

// purpose is the purpose of the keys.
const purpose = "text of a document"

// DB returns db, which seals the texts of documents by keys.
func DB(db store.DB, keys Keys) store.DB { return sealing{db, keys} }

// A sealing is a database that seals texts.
type sealing struct {
	store.DB
	keys Keys
}

// Unwrap returns the database that stores the sealed texts.
func (s sealing) Unwrap() store.DB { return s.DB }

// open opens the texts of a document that was read at p.
func open(keys Keys, p store.Path, doc any) {
	d, ok := doc.(Document)
	if !ok {
		return
	}
	for _, text := range d.Secrets() {
		if !strings.Contains(*text, ".") {
			continue
		}
		plain, err := keys.Open(purpose, *text, []byte(p))
		if err != nil { // the key is gone: the text opens nothing any more
			plain = nil
		}
		*text = string(plain)
	}
}

// seal replaces the texts of a document for p by sealed ones, and returns what undoes
// that.
func seal(keys Keys, p store.Path, doc any) (restore func(), err error) {
	d, ok := doc.(Document)
	if !ok {
		return func() {}, nil
	}
	texts := d.Secrets()
	plain := make([]string, len(texts))
	for i, text := range texts {
		plain[i] = *text
	}
	restore = func() {
		for i, text := range texts {
			*text = plain[i]
		}
	}
	for i, text := range texts {
		if plain[i] == "" {
			continue
		}
		if *text, err = keys.Seal(purpose, []byte(plain[i]), []byte(p)); err != nil {
			restore()
			return nil, err
		}
	}
	return restore, nil
}

// put writes a document by f with its texts sealed.
func put(keys Keys, p store.Path, doc any, f func() error) error {
	restore, err := seal(keys, p, doc)
	if err != nil {
		return err
	}
	defer restore()
	return f()
}

// opening returns doc, which opens texts as it is decoded.
func opening(keys Keys, doc store.Doc) store.Doc {
	if decode := doc.Decode; decode != nil {
		doc.Decode = func(v any) error {
			err := decode(v)
			if err == nil {
				open(keys, doc.Path, v)
			}
			return err
		}
	}
	return doc
}

// Get decodes the document at p into doc.
func (s sealing) Get(ctx context.Context, p store.Path, doc any) error {
	err := s.DB.Get(ctx, p, doc)
	if err == nil {
		open(s.keys, p, doc)
	}
	return err
}

// GetAll returns the documents at ps.
func (s sealing) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	docs, err := s.DB.GetAll(ctx, ps)
	return openAll(s.keys, docs), err
}

func openAll(keys Keys, docs []store.Doc) []store.Doc {
	for i := range docs {
		docs[i] = opening(keys, docs[i])
	}
	return docs
}

// Create stores doc at p.
func (s sealing) Create(ctx context.Context, p store.Path, doc any) error {
	return put(s.keys, p, doc, func() error { return s.DB.Create(ctx, p, doc) })
}

// Set stores doc at p.
func (s sealing) Set(ctx context.Context, p store.Path, doc any) error {
	return put(s.keys, p, doc, func() error { return s.DB.Set(ctx, p, doc) })
}

// Update runs f in a transaction.
func (s sealing) Update(ctx context.Context, f func(store.Tx) error) error {
	return s.DB.Update(ctx, func(tx store.Tx) error { return f(sealingTx{tx, s.keys}) })
}

// Query yields the documents that match q.
func (s sealing) Query(ctx context.Context, q store.Query) iter.Seq2[store.Doc, error] {
	return openEach(s.keys, s.DB.Query(ctx, q))
}

// Watch yields the document at p.
func (s sealing) Watch(ctx context.Context, p store.Path) iter.Seq2[store.Doc, error] {
	return openEach(s.keys, s.DB.Watch(ctx, p))
}

func openEach(keys Keys, docs iter.Seq2[store.Doc, error]) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		for doc, err := range docs {
			if !yield(opening(keys, doc), err) {
				return
			}
		}
	}
}

// WatchQuery yields all documents that match q.
func (s sealing) WatchQuery(ctx context.Context, q store.Query) iter.Seq2[[]store.Doc, error] {
	return func(yield func([]store.Doc, error) bool) {
		for docs, err := range s.DB.WatchQuery(ctx, q) {
			if !yield(openAll(s.keys, docs), err) {
				return
			}
		}
	}
}

// A sealingTx is a transaction that seals texts.
type sealingTx struct {
	store.Tx
	keys Keys
}

// Get decodes the document at p into doc.
func (t sealingTx) Get(p store.Path, doc any) error {
	err := t.Tx.Get(p, doc)
	if err == nil {
		open(t.keys, p, doc)
	}
	return err
}

// GetAll returns the documents at ps.
func (t sealingTx) GetAll(ps []store.Path) ([]store.Doc, error) {
	docs, err := t.Tx.GetAll(ps)
	return openAll(t.keys, docs), err
}

// Create stores doc at p.
func (t sealingTx) Create(p store.Path, doc any) error {
	return put(t.keys, p, doc, func() error { return t.Tx.Create(p, doc) })
}

// Set stores doc at p.
func (t sealingTx) Set(p store.Path, doc any) error {
	return put(t.keys, p, doc, func() error { return t.Tx.Set(p, doc) })
}

package sealed_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/sealed"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire"
	"miramundo.dev/shared/wire/wiretest"
)

// A note is a document with two texts that are sealed.
type note struct {
	Title  string   `json:"title"`
	Secret string   `json:"secret"`
	More   []string `json:"more"`
}

func (n *note) Secrets() []*string {
	all := []*string{&n.Secret}
	for i := range n.More {
		all = append(all, &n.More[i])
	}
	return all
}

// stored is the same document as the database has it.
type stored struct {
	Title, Secret string
	More          []string
}

const path store.Path = "notes/a"

var written = note{Title: "t", Secret: "open sesame", More: []string{"one", ""}}

// TestSuite checks that the database is otherwise what it was.
func TestSuite(t *testing.T) {
	keys := keyringtest.Ring("one:" + strings.Repeat("a", 32))
	storetest.Run(t, func(t *testing.T) store.DB {
		db, err := wire.OpenDocuments(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: filepath.Join(t.TempDir(), "data")})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return sealed.DB(db, keys)
	})
}

// TestSealed writes and reads a document in every way: the database never has its
// texts, and the document has them before and after.
func TestSealed(t *testing.T) {
	plain := wiretest.OpenDB(t)
	db := sealed.DB(plain, keyringtest.Ring("one:"+strings.Repeat("a", 32)))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for name, write := range map[string]func(*note) error{
		"Create":        func(n *note) error { return errors.Join(db.Delete(ctx, path), db.Create(ctx, path, n)) },
		"Set":           func(n *note) error { return db.Set(ctx, path, n) },
		"Set within Tx": func(n *note) error { return db.Update(ctx, func(tx store.Tx) error { return tx.Set(path, n) }) },
		"Create within Tx": func(n *note) error {
			return errors.Join(db.Delete(ctx, path), db.Update(ctx, func(tx store.Tx) error { return tx.Create(path, n) }))
		},
	} {
		n := note{written.Title, written.Secret, slices.Clone(written.More)}
		if err := write(&n); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(written, n); d != "" {
			t.Errorf("%s changed what it wrote (-want +got):\n%s", name, d)
		}
		var s stored
		if err := plain.Get(ctx, path, &s); err != nil || s.Title != "t" || !strings.Contains(s.Secret, ".") || strings.Contains(s.Secret, "sesame") || s.More[1] != "" {
			t.Errorf("%s stored %+v, %v", name, s, err)
		}
	}
	first := func(docs []store.Doc, err error) (n note, _ error) {
		if err != nil {
			return n, err
		}
		return n, docs[0].Decode(&n)
	}
	for name, read := range map[string]func() (note, error){
		"Get":    func() (n note, err error) { return n, db.Get(ctx, path, &n) },
		"GetAll": func() (note, error) { return first(db.GetAll(ctx, []store.Path{path})) },
		"Get within Tx": func() (n note, err error) {
			return n, db.Update(ctx, func(tx store.Tx) error { return tx.Get(path, &n) })
		},
		"GetAll within Tx": func() (n note, err error) {
			return n, db.Update(ctx, func(tx store.Tx) (err error) { n, err = first(tx.GetAll([]store.Path{path})); return err })
		},
		"Query": func() (n note, err error) {
			for doc, err := range db.Query(ctx, store.Query{Collection: "notes"}) {
				return first([]store.Doc{doc}, err)
			}
			return n, store.ErrNotFound
		},
		"Watch": func() (n note, err error) {
			for doc, err := range db.Watch(ctx, path) {
				return first([]store.Doc{doc}, err)
			}
			return n, store.ErrNotFound
		},
		"WatchQuery": func() (n note, err error) {
			for docs, err := range db.WatchQuery(ctx, store.Query{Collection: "notes"}) {
				return first(docs, err)
			}
			return n, store.ErrNotFound
		},
	} {
		n, err := read()
		if d := cmp.Diff(written, n); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
	}
}

// TestKeys checks which keys open a text, and that one which was moved to another
// document, or was never sealed, is read accordingly.
func TestKeys(t *testing.T) {
	one, two := "one:"+strings.Repeat("a", 32), "two:"+strings.Repeat("b", 32)
	db, ctx := wiretest.OpenDB(t), t.Context()
	n := written
	if err := sealed.DB(db, keyringtest.Ring(one)).Set(ctx, path, &n); err != nil {
		t.Fatal(err)
	}
	var s stored
	if err := db.Get(ctx, path, &s); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Set(ctx, "notes/b", s), db.Set(ctx, "notes/c", written)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, ring string
		at         store.Path
		want       string
	}{
		{"the key", one, path, "open sesame"},
		{"a newer key in front", two + "," + one, path, "open sesame"},
		{"the key in front", one + "," + two, path, "open sesame"},
		{"another key alone", two, path, ""},
		{"moved to another document", one, "notes/b", ""},
		{"stored plain", one, "notes/c", "open sesame"},
	} {
		var n note
		if err := sealed.DB(db, keyringtest.Ring(test.ring)).Get(ctx, test.at, &n); err != nil || n.Secret != test.want || n.Title != "t" {
			t.Errorf("%s: %+v, %v; want %q", test.name, n, err, test.want)
		}
	}
}

// TestNoKey checks that nothing is stored plain where no key is configured.
func TestNoKey(t *testing.T) {
	db, ctx := wiretest.OpenDB(t), t.Context()
	n := written
	if err := sealed.DB(db, (*keyring.Ring)(nil)).Set(ctx, path, &n); err == nil {
		t.Error("a text was stored without a key")
	}
	if d := cmp.Diff(written, n); d != "" {
		t.Errorf("the document changed (-want +got):\n%s", d)
	}
	if err := db.Get(ctx, path, &n); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("something was stored: %v", err)
	}
}

// TestLocalOf checks that a database of this machine is found behind one that seals.
func TestLocalOf(t *testing.T) {
	db, err := wire.OpenDocuments(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if local, ok := store.LocalOf(sealed.DB(db, nil)); !ok || local != db {
		t.Errorf("LocalOf = %v, %t", local, ok)
	}
	if _, ok := store.LocalOf(storetest.Broken()); ok {
		t.Error("a database of no file is local")
	}
}

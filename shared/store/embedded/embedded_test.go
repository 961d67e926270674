package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
	"miramundo.dev/shared/store/storetest"
)

// open returns an empty database, closed at the end of the test.
func open(t testing.TB) *embedded.DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "db"))
}

func openAt(t testing.TB, path string) *embedded.DB {
	t.Helper()
	db, err := embedded.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return db
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.DB { return open(t) })
}

// TestIndexedConformance creates an index for every field from the first
// query on.
func TestIndexedConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.DB {
		db := open(t)
		embedded.IndexAll(db)
		return db
	})
}

// TestIndexes checks that a large collection is neither scanned nor sorted,
// and that a small one has no index.
func TestIndexes(t *testing.T) {
	db := open(t)
	fill := func(from, to int) {
		err := db.Update(t.Context(), func(tx store.Tx) (err error) {
			for i := from; i < to; i++ {
				doc := map[string]any{"n": i % 7, "it's": map[string]string{"x": fmt.Sprint(i)}}
				err = errors.Join(err, tx.Set(store.Path(fmt.Sprintf("things/%d", i)), doc))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	plan := func(q store.Query) string {
		q.Collection = "things"
		for _, err := range db.Query(t.Context(), q) {
			if err != nil {
				t.Fatal(err)
			}
		}
		plan, err := embedded.Plan(t.Context(), db, q)
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	fill(0, 400)
	top := store.Query{OrderBy: "n", Desc: true, Limit: 5}
	if p := plan(top); strings.Contains(p, "documents_field") {
		t.Errorf("a small collection has an index: %s", p)
	}
	fill(400, 600)
	from := store.Query{OrderBy: "n", After: []any{3, "x"}, Where: []store.Filter{{Field: "n", Op: store.LessEq, Value: 5}}}
	where := store.Query{Where: []store.Filter{{Field: "it's.x", Op: store.Eq, Value: "7"}}}
	for _, q := range []store.Query{top, from} {
		if p := plan(q); !strings.Contains(p, "documents_field") || strings.Contains(p, "TEMP B-TREE") {
			t.Errorf("Query(%+v) is not read in its order:\n%s", q, p)
		}
	}
	if p := plan(where); !strings.Contains(p, "documents_field") {
		t.Errorf("Query(%+v) has no index:\n%s", where, p)
	}
	wantIDs := 600/7 + 1
	if n, err := db.Count(t.Context(), store.Query{Collection: "things", Where: []store.Filter{{Field: "n", Op: store.Eq, Value: 1}}}); err != nil || n != wantIDs {
		t.Errorf("Count = %d, %v, want %d", n, err, wantIDs)
	}
}

// at opens the documents of a file at a time of its own.
func at(t testing.TB, path string, now time.Time) *embedded.DB {
	t.Helper()
	f, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	db, err := embedded.On(f, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestExpiry lets time pass: documents are gone at their expire_at, and a
// sweep deletes them and no others.
func TestExpiry(t *testing.T) {
	path, start := filepath.Join(t.TempDir(), "db"), time.Now()
	db := at(t, path, start)
	const n = 1200 // more than one transaction of a sweep
	end := store.At(start.Add(time.Hour))
	for i := 0; i < n; i += 100 {
		err := db.Update(t.Context(), func(tx store.Tx) (err error) {
			for j := i; j < i+100; j++ {
				err = errors.Join(err, tx.Set(store.Path(fmt.Sprintf("things/%d", j)), map[string]any{"expire_at": end}))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Set(t.Context(), "things/stays", map[string]any{"expire_at": nil}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		now         time.Time
		there, gone int
	}{
		{end.Add(-time.Microsecond), n + 1, 0},
		{end.Time, 1, n},
		{end.Add(time.Hour), 1, n},
	} {
		db := at(t, path, c.now)
		if there, err := db.Count(t.Context(), store.Query{Collection: "things"}); err != nil || there != c.there {
			t.Errorf("at %v: %d documents, %v, want %d", c.now, there, err, c.there)
		}
		// The sweep at opening may have been first: what matters is what is left.
		if _, err := db.Sweep(t.Context()); err != nil {
			t.Errorf("Sweep = %v", err)
		}
		if left := rows(t, path); left != n+1-c.gone {
			t.Errorf("at %v: %d rows are left, want %d", c.now, left, n+1-c.gone)
		}
	}
}

// rows counts the documents in a file, expired ones too.
func rows(t *testing.T, path string) (n int) {
	t.Helper()
	f, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Scan(t.Context(), "SELECT count(*) FROM documents", nil, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestWatchOtherProcess changes documents through a second open file, as
// another process does.
func TestWatchOtherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	ours, theirs := openAt(t, path), openAt(t, path)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n := 0
	for d, err := range ours.Watch(ctx, "things/a") {
		if err != nil || (d.Decode != nil) != (n == 1) {
			t.Fatalf("watch yields %+v, %v as number %d", d, err, n)
		}
		if n++; n == 2 {
			return
		}
		if err := theirs.Set(ctx, "things/a", map[string]int{"n": 1}); err != nil {
			t.Fatal(err)
		}
	}
	t.Errorf("the watch ended after %d", n)
}

// TestClosed checks that closing a database ends its watches with an error,
// and that all later calls fail.
func TestClosed(t *testing.T) {
	db := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var last error
	for _, err := range db.Watch(ctx, "things/a") {
		if last = err; err == nil {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if last == nil || ctx.Err() != nil {
		t.Errorf("the watch of a closed database ends with %v", last)
	}
	var doc any
	for what, err := range map[string]error{
		"Get": db.Get(ctx, "things/a", &doc), "Set": db.Set(ctx, "things/a", struct{}{}),
	} {
		if err == nil || errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s on a closed database = %v", what, err)
		}
	}
}

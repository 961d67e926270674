package blob_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"miramundo.dev/shared/blob"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/storetest"
)

const at = store.Path("blobs/a")

// chunk is the size of a chunk, as the package keeps it.
const chunk = 660 << 10

func open(t testing.TB) store.DB {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func randomBytes(n int, seed uint64) []byte {
	r := rand.NewChaCha8([32]byte{byte(seed)})
	b := make([]byte, n)
	_, _ = r.Read(b)
	return b
}

func put(t testing.TB, db store.DB, data []byte) {
	t.Helper()
	if err := blob.Put(t.Context(), db, at, data); err != nil {
		t.Fatalf("Put of %d bytes = %v", len(data), err)
	}
}

func wantBlob(t *testing.T, db store.DB, want []byte) {
	t.Helper()
	got, err := blob.Get(t.Context(), db, at)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("Get = %d bytes, %v, want the %d bytes put", len(got), err, len(want))
	}
}

// chunks counts the chunk documents.
func chunks(t *testing.T, db store.DB) int {
	t.Helper()
	n, err := db.Count(t.Context(), store.Query{Collection: at.Join("chunks")})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSizes(t *testing.T) {
	db := open(t)
	for n, size := range []int{0, 1, chunk - 1, chunk, chunk + 1, 5*chunk + 7} {
		data := randomBytes(size, uint64(n))
		put(t, db, data)
		wantBlob(t, db, data)
		if got, want := chunks(t, db), (size+chunk-1)/chunk; got != want {
			t.Errorf("%d chunks for %d bytes, want %d: those replaced are deleted", got, size, want)
		}
	}
}

func TestTooLarge(t *testing.T) {
	if err := blob.Put(t.Context(), open(t), at, make([]byte, blob.MaxSize+1)); !errors.Is(err, blob.ErrTooLarge) {
		t.Errorf("Put of too much = %v, want ErrTooLarge", err)
	}
}

func TestMissing(t *testing.T) {
	db := open(t)
	if _, err := blob.Get(t.Context(), db, at); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Get = %v, want ErrNotFound", err)
	}
	if err := blob.Delete(t.Context(), db, at); err != nil {
		t.Errorf("Delete of nothing = %v", err)
	}
	for _, p := range []store.Path{"", "a", "a/b/c"} {
		_, err := blob.Get(t.Context(), db, p)
		for _, err := range []error{err, blob.Put(t.Context(), db, p, nil), blob.Delete(t.Context(), db, p)} {
			if !errors.Is(err, store.ErrPath) {
				t.Errorf("at %q: %v, want ErrPath", p, err)
			}
		}
	}
}

func TestDelete(t *testing.T) {
	db := open(t)
	put(t, db, randomBytes(10*chunk, 1))
	if err := blob.Delete(t.Context(), db, at); err != nil {
		t.Fatal(err)
	}
	if _, err := blob.Get(t.Context(), db, at); !errors.Is(err, store.ErrNotFound) || chunks(t, db) != 0 {
		t.Errorf("after Delete: %v and %d chunks", err, chunks(t, db))
	}
}

// TestStoppedPut stops a Put, and then a Delete, after each of its writes: a
// reader gets the old bytes, complete, or the new ones.
func TestStoppedPut(t *testing.T) {
	old, fresh := randomBytes(chunk+1, 1), randomBytes(2*chunk+1, 2)
	for n := range 9 {
		db := storetest.NewSwitch(open(t))
		put(t, db, old)
		db.OffAfter(n)
		err := blob.Put(t.Context(), db, at, fresh)
		db.On()
		if stopped := n < 5; (err != nil) != stopped {
			t.Errorf("Put stopped after %d writes = %v", n, err)
		}
		want := fresh
		if err != nil {
			want = old
		}
		wantBlob(t, db, want)
	}
	for n := range 3 {
		db := storetest.NewSwitch(open(t))
		put(t, db, old)
		db.OffAfter(n)
		if err := blob.Delete(t.Context(), db, at); err == nil {
			t.Fatalf("Delete succeeds in %d writes", n)
		}
		db.On()
		if _, err := blob.Get(t.Context(), db, at); n > 0 && !errors.Is(err, store.ErrNotFound) {
			t.Errorf("Get after half a Delete = %v, want ErrNotFound", err)
		}
		if err := blob.Delete(t.Context(), db, at); err != nil || chunks(t, db) != 0 {
			t.Errorf("second Delete = %v and leaves %d chunks", err, chunks(t, db))
		}
	}
}

// TestStoppedLongAgo stops a Put after each of its writes, the first one of a
// path and one that replaces. A Put a day later deletes what it left.
func TestStoppedLongAgo(t *testing.T) {
	for n := range 10 {
		db := storetest.NewSwitch(open(t))
		if n >= 3 {
			put(t, db, []byte("old"))
		}
		db.OffAfter(n % 7) // the list, two chunks, the manifest; one chunk less, the list
		err := blob.Put(t.Context(), db, at, randomBytes(chunk+1, 2))
		db.On()
		if _, err2 := blob.Get(t.Context(), db, at); n < 3 && (err == nil || !errors.Is(err2, store.ErrNotFound)) {
			t.Errorf("stopped after %d writes: Put = %v, Get = %v", n, err, err2)
		}
		put(t, db, []byte("x"))
		older(t, db)
		put(t, db, []byte("y"))
		if got := chunks(t, db); got != 1 {
			t.Errorf("case %d: %d chunks a day after a Put was stopped, want 1", n, got)
		}
		if m := read(t, db); m["loose"] != nil {
			t.Errorf("case %d: %v are listed still", n, m["loose"])
		}
	}
}

func read(t *testing.T, db store.DB) (m map[string]any) {
	t.Helper()
	if err := db.Get(t.Context(), at, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// older makes what the manifest says of loose chunks a day old.
func older(t *testing.T, db store.DB) {
	t.Helper()
	m := read(t, db)
	list, _ := m["loose"].([]any)
	for _, l := range list {
		l.(map[string]any)["since"] = store.At(time.Now().Add(-25 * time.Hour))
	}
	set(t, db, at, m)
}

// TestDeletedMeanwhile deletes a blob while it is being written: the Put
// fails instead of referring to missing chunks.
func TestDeletedMeanwhile(t *testing.T) {
	inner := open(t)
	db := &hooked{DB: inner, before: func() {
		if err := blob.Delete(t.Context(), inner, at); err != nil {
			t.Error(err)
		}
	}}
	if err := blob.Put(t.Context(), db, at, randomBytes(chunk, 1)); err == nil {
		t.Error("Put of what was deleted meanwhile = nil")
	}
	if _, err := blob.Get(t.Context(), db, at); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Get = %v, want ErrNotFound", err)
	}
}

// hooked calls before once, at the first Set.
type hooked struct {
	store.DB
	before func()
}

func (h *hooked) Set(ctx context.Context, p store.Path, doc any) error {
	if f := h.before; f != nil {
		h.before = nil
		f()
	}
	return h.DB.Set(ctx, p, doc)
}

func TestBefore(t *testing.T) {
	db := open(t)
	put(t, db, []byte("x"))
	for moment, want := range map[time.Time]int{time.Now().Add(time.Minute): 1, time.Now().Add(-time.Hour): 0} {
		if ps, err := blob.Before(t.Context(), db, "blobs", moment); err != nil || len(ps) != want {
			t.Errorf("Before(%v) = %v, %v, want %d", moment, ps, err, want)
		}
	}
}

// TestCorrupt changes stored chunks: Get refuses the blob.
func TestCorrupt(t *testing.T) {
	manifest := func(change func(map[string]any)) func(*testing.T, store.DB) {
		return func(t *testing.T, db store.DB) {
			var m map[string]any
			if err := db.Get(t.Context(), at, &m); err != nil {
				t.Fatal(err)
			}
			change(m)
			set(t, db, at, m)
		}
	}
	for name, harm := range map[string]func(*testing.T, store.DB){
		"chunk missing": func(t *testing.T, db store.DB) {
			if err := db.Delete(t.Context(), firstChunk(t, db)); err != nil {
				t.Fatal(err)
			}
		},
		"chunk truncated": func(t *testing.T, db store.DB) {
			set(t, db, firstChunk(t, db), map[string]any{"data": randomBytes(chunk-1, 1)})
		},
		"chunk changed": func(t *testing.T, db store.DB) {
			set(t, db, firstChunk(t, db), map[string]any{"data": randomBytes(chunk, 7)})
		},
		"chunk empty":    func(t *testing.T, db store.DB) { set(t, db, firstChunk(t, db), map[string]any{}) },
		"hash changed":   manifest(func(m map[string]any) { m["sha256"] = "00" }),
		"size smaller":   manifest(func(m map[string]any) { m["size"] = 1 }),
		"size huge":      manifest(func(m map[string]any) { m["size"] = int64(1) << 60 }),
		"size negative":  manifest(func(m map[string]any) { m["size"] = -1 }),
		"fewer chunks":   manifest(func(m map[string]any) { m["chunks"] = 1 }),
		"more chunks":    manifest(func(m map[string]any) { m["chunks"] = 3 }),
		"endless chunks": manifest(func(m map[string]any) { m["chunks"] = int64(1) << 40 }),
		"minus chunks":   manifest(func(m map[string]any) { m["chunks"] = -1 }),
		"another's":      manifest(func(m map[string]any) { m["put"] = "x" }),
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			put(t, db, randomBytes(chunk+5, 1))
			harm(t, db)
			if data, err := blob.Get(t.Context(), db, at); !errors.Is(err, blob.ErrCorrupt) || data != nil {
				t.Errorf("Get = %d bytes, %v, want ErrCorrupt", len(data), err)
			}
		})
	}
}

func set(t *testing.T, db store.DB, p store.Path, doc any) {
	t.Helper()
	if err := db.Set(t.Context(), p, doc); err != nil {
		t.Fatal(err)
	}
}

func firstChunk(t *testing.T, db store.DB) store.Path {
	t.Helper()
	for d, err := range db.Query(t.Context(), store.Query{Collection: at.Join("chunks"), Limit: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		return d.Path
	}
	t.Fatal("no chunk")
	return ""
}

// TestReplaced reads while another goroutine replaces the blob: every read is
// complete.
func TestReplaced(t *testing.T) {
	db := open(t)
	versions := [][]byte{randomBytes(2*chunk, 1), randomBytes(chunk+1, 2)}
	put(t, db, versions[0])
	done := make(chan error)
	go func() {
		var err error
		for n := range 10 {
			err = errors.Join(err, blob.Put(context.WithoutCancel(t.Context()), db, at, versions[(n+1)%2]))
		}
		done <- err
	}()
	for reads := 0; ; reads++ {
		select {
		case err := <-done:
			if err != nil || reads == 0 {
				t.Errorf("after %d reads: %v", reads, err)
			}
			return
		default:
		}
		// Replaced at each attempt, a reader may give up, but never misread.
		data, err := blob.Get(t.Context(), db, at)
		if err == nil && !bytes.Equal(data, versions[0]) && !bytes.Equal(data, versions[1]) {
			t.Fatalf("Get = %d bytes that nobody put", len(data))
		}
		if err != nil && !errors.Is(err, blob.ErrCorrupt) {
			t.Fatal(err)
		}
	}
}

func TestBroken(t *testing.T) {
	db := storetest.Broken()
	_, err := blob.Get(t.Context(), db, at)
	for _, err := range []error{err, blob.Put(t.Context(), db, at, []byte("x")), blob.Delete(t.Context(), db, at)} {
		if !errors.Is(err, storetest.ErrBroken) {
			t.Errorf("without a database: %v, want its error", err)
		}
	}
}

func BenchmarkPut(b *testing.B) {
	db, data := open(b), randomBytes(16<<20, 1)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		put(b, db, data)
	}
}

func BenchmarkGet(b *testing.B) {
	db, data := open(b), randomBytes(16<<20, 1)
	put(b, db, data)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := blob.Get(b.Context(), db, at); err != nil {
			b.Fatal(err)
		}
	}
}

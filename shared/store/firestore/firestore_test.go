package firestore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/firestore"
	"miramundo.dev/shared/store/storetest"
)

// emulator returns the address of the emulator, and ends the test without one.
func emulator(t testing.TB) string {
	t.Helper()
	host := os.Getenv("FIRESTORE_EMULATOR_HOST")
	if host == "" && os.Getenv("CI") != "" && os.Getenv("MIRAMUNDO_EMULATORS") == "required" {
		t.Fatal("no Firestore emulator, and CI requires it")
	}
	if host == "" {
		t.Skip("no Firestore emulator")
	}
	return host
}

// open returns the database of a project of its own.
func open(t testing.TB) store.DB {
	t.Helper()
	return openProject(t, newProject())
}

func newProject() string { return "test-" + strings.ToLower(rand.Text()) }

// openProject returns the database of a project, as one process opens it.
func openProject(t testing.TB, project string) store.DB {
	t.Helper()
	db, err := firestore.Open(t.Context(), firestore.Config{Project: project, Emulator: emulator(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestConformance(t *testing.T) {
	emulator(t)
	storetest.Run(t, func(t *testing.T) store.DB { return open(t) })
}

// TestNoServer has no server at the address: calls end with their contexts,
// and with an error other than ErrNotFound.
func TestNoServer(t *testing.T) {
	db, err := firestore.Open(t.Context(), firestore.Config{Project: "demo-none", Emulator: closedPort(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var doc any
	for what, call := range map[string]func(context.Context) error{
		"Get":    func(ctx context.Context) error { return db.Get(ctx, "things/a", &doc) },
		"Set":    func(ctx context.Context) error { return db.Set(ctx, "things/a", struct{}{}) },
		"Create": func(ctx context.Context) error { return db.Create(ctx, "things/a", struct{}{}) },
		"Update": func(ctx context.Context) error {
			return db.Update(ctx, func(tx store.Tx) error { return tx.Get("things/a", &doc) })
		},
		"Count": func(ctx context.Context) error {
			_, err := db.Count(ctx, store.Query{Collection: "things"})
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		err := call(ctx)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s = %v, want the end of its context", what, err)
		}
	}
}

// closedPort returns an address where nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// A balance is a document of the tests of transactions.
type balance struct {
	N int `json:"n"`
}

// TestUpdateTakesNoLocks writes a document while a transaction that has read it still
// runs. The write succeeds at once, and the transaction runs again and adds to it.
func TestUpdateTakesNoLocks(t *testing.T) {
	db := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const path = store.Path("things/a")
	if err := db.Set(ctx, path, balance{1}); err != nil {
		t.Fatal(err)
	}
	var saw []int
	err := db.Update(ctx, func(tx store.Tx) error {
		var b balance
		if err := tx.Get(path, &b); err != nil {
			return err
		}
		if saw = append(saw, b.N); len(saw) == 1 {
			within, cancel := context.WithTimeout(ctx, time.Second) // a lock would be held for two
			defer cancel()
			if err := db.Set(within, path, balance{10}); err != nil {
				t.Errorf("a write of a document that a transaction has read: %v", err)
			}
		}
		return tx.Set(path, balance{b.N + 1})
	})
	var got balance
	if err := errors.Join(err, db.Get(ctx, path, &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1, 10, 11}, append(saw, got.N)); diff != "" {
		t.Errorf("what the transaction saw, and its result (-want +got):\n%s", diff)
	}
}

// TestUpdateSeesOneMoment changes two documents together in another process, between
// the two reads of a transaction. Its function sees that once, and what it makes of it is discarded.
func TestUpdateSeesOneMoment(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	project := newProject()
	db, other := openProject(t, project), openProject(t, project)
	const a, b = store.Path("things/a"), store.Path("things/b")
	setBoth := func(n int) {
		t.Helper()
		if err := other.Update(ctx, func(tx store.Tx) error {
			return errors.Join(tx.Set(a, balance{n}), tx.Set(b, balance{n}))
		}); err != nil {
			t.Fatal(err)
		}
	}
	setBoth(1)
	torn := errors.New("the documents differ")
	runs := 0
	err := db.Update(ctx, func(tx store.Tx) error {
		var first, second balance
		if err := tx.Get(a, &first); err != nil {
			return err
		}
		if runs++; runs == 1 {
			setBoth(2)
		}
		if err := tx.Get(b, &second); err != nil {
			return err
		}
		if first != second {
			return torn
		}
		return nil
	})
	if err != nil || runs != 2 {
		t.Errorf("Update = %v after %d runs, want nil after 2", err, runs)
	}
}

// TestUpdateReplaces sets a document with other fields than it had: those are gone.
func TestUpdateReplaces(t *testing.T) {
	db := open(t)
	const path = store.Path("things/a")
	if err := db.Set(t.Context(), path, map[string]any{"old": 1, "both": map[string]int{"x": 1}, "a.b c": true}); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"both": map[string]any{"y": int64(2)}, "new-er.name": "z"}
	err := db.Update(t.Context(), func(tx store.Tx) error {
		var was map[string]any
		return errors.Join(tx.Get(path, &was), tx.Set(path, want))
	})
	got := map[string]any{}
	if err := errors.Join(err, db.Get(t.Context(), path, &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"both": map[string]any{"y": 2.0}, "new-er.name": "z"}, got); diff != "" {
		t.Errorf("the document (-want +got):\n%s", diff)
	}
}

// TestOneRunEach lets many transactions of one process change one document. They do
// not collide in the database: each runs once to name the document, and once more
// when its turn has come.
func TestOneRunEach(t *testing.T) {
	db := open(t)
	var runs, kept atomic.Int64
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			err := db.Update(t.Context(), func(tx store.Tx) error {
				runs.Add(1)
				var doc balance
				if err := tx.Get("things/a", &doc); err != nil && !errors.Is(err, store.ErrNotFound) {
					return err
				}
				doc.N++
				return tx.Set("things/a", doc)
			})
			if err == nil {
				kept.Add(1)
			} else if !errors.Is(err, store.ErrBusy) && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Update = %v", err)
			}
		})
	}
	wg.Wait()
	var doc balance
	if err := db.Get(t.Context(), "things/a", &doc); err != nil {
		t.Fatal(err)
	}
	if kept.Load() == 30 && (runs.Load() > 60 || doc.N != 30) {
		t.Errorf("30 transactions ran %d times and counted %d", runs.Load(), doc.N)
	}
}

package firestore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"

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
	project := "test-" + strings.ToLower(rand.Text())
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

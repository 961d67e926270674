package firestore_test

import (
	"crypto/rand"
	"os"
	"strings"
	"testing"

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

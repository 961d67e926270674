package main

import (
	"crypto/rand"
	"errors"
	"os"
	"strings"
	"testing"

	"miramundo.dev/scripts/emulators/emulator"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/firestore"
)

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		script string
		want   int
	}{
		{`test "$FIRESTORE_EMULATOR_HOST" = here`, 0},
		{`test "$FIRESTORE_EMULATOR_HOST" = there`, 1},
		{"exit 42", 42},
		{"kill -9 $$", 1},
	} {
		code, err := command(t.Context(), []string{"sh", "-c", c.script}, []string{"FIRESTORE_EMULATOR_HOST=here"})
		if code != c.want || err != nil {
			t.Errorf("%s: code %d, %v, want %d", c.script, code, err, c.want)
		}
	}
	if _, err := command(t.Context(), []string{"/none"}, nil); err == nil {
		t.Error("a command that is not there passes")
	}
}

func TestCheck(t *testing.T) {
	if os.Getenv("FIRESTORE_EMULATOR_HOST") == "" {
		t.Skip("no Firestore emulator")
	}
	host := os.Getenv("FIRESTORE_EMULATOR_HOST")
	o := options{indexes: "../../firestore.indexes.json", project: "demo-unused"}
	if err := check(t.Context(), host, o); err != nil {
		t.Errorf("check = %v", err)
	}
	o.indexes = "none"
	if err := check(t.Context(), host, o); err == nil {
		t.Error("check against no file passes")
	}
}

// TestCheckMissing makes a query that needs an index which is not declared:
// the cloud would refuse it.
func TestCheckMissing(t *testing.T) {
	host := os.Getenv("FIRESTORE_EMULATOR_HOST")
	if host == "" {
		t.Skip("no Firestore emulator")
	}
	o := options{indexes: "../../firestore.indexes.json", project: "test-" + strings.ToLower(rand.Text())}
	db, err := firestore.Open(t.Context(), firestore.Config{Project: o.project, Emulator: host})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	q := store.Query{Collection: "things", OrderBy: "n", Where: []store.Filter{{Field: "k", Op: store.Eq, Value: "x"}}}
	for _, err := range db.Query(t.Context(), q) {
		t.Errorf("Query = %v", err)
	}
	err = check(t.Context(), host, o)
	if !errors.Is(err, emulator.ErrIndexes) || !strings.Contains(err.Error(), "things COLLECTION k:ASCENDING n:ASCENDING") {
		t.Errorf("check = %v, want the index of things", err)
	}
}

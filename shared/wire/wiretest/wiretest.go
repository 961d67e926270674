// Package wiretest opens the database and the bus of a test.
package wiretest

import (
	"path/filepath"
	"testing"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// Open returns an empty embedded database, and a bus of the topics in topology in
// the same file. Both are closed at the end of the test.
func Open(t testing.TB, topology bus.Topology) (store.DB, bus.Bus) {
	t.Helper()
	db, events, err := wire.Open(t.Context(), wire.Config{
		Backend: wire.Embedded, DataDir: filepath.Join(t.TempDir(), "data"), Topology: topology,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); db.Close() })
	return db, events
}

// OpenDB returns an empty embedded database, which is closed at the end of the
// test.
func OpenDB(t testing.TB) store.DB {
	t.Helper()
	db, _ := Open(t, nil)
	return db
}

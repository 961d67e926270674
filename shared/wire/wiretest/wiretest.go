// Package wiretest opens the database and the bus of a test.
package wiretest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// Epoch is the clock of the databases here: the time by which they decide that a
// document has expired is before every clock of a test. So a document that is stored
// with the fixed clock of a test stays, on whichever day the test runs. The code under
// test compares times by its own clock.
func Epoch() time.Time { return time.Unix(0, 0) }

// Open returns an empty embedded database, and a bus of the topics in topology in
// the same file. Both are closed at the end of the test.
func Open(t testing.TB, topology bus.Topology) (store.DB, bus.Bus) {
	t.Helper()
	db, events, err := wire.Open(t.Context(), wire.Config{
		Backend: wire.Embedded, DataDir: filepath.Join(t.TempDir(), "data"), Topology: topology, Now: Epoch,
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

// projects counts the projects of the emulator that this process has used.
var projects atomic.Int32

// Each runs a test on an empty database of each backend: the embedded one, and
// Firestore's emulator at host, which is skipped when host is empty. Writers is how
// many goroutines a test may let write the same document: fewer on the emulator, where
// they take turns and each takes several requests.
func Each(t *testing.T, host string, test func(t *testing.T, db store.DB, writers int)) {
	t.Run("embedded", func(t *testing.T) { test(t, OpenDB(t), 50) })
	t.Run("firestore", func(t *testing.T) {
		if host == "" {
			t.Skip("no Firestore emulator")
		}
		db, events, err := wire.Open(t.Context(), wire.Config{
			Backend: wire.Emulators, Project: fmt.Sprintf("demo-test-%d-%d", os.Getpid(), projects.Add(1)),
			FirestoreHost: host, PubSubHost: host, Now: Epoch, // without topics the second is not called
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { events.Close(); db.Close() })
		test(t, db, 20)
	})
}

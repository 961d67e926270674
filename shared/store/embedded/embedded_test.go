package embedded_test

import (
	"path/filepath"
	"testing"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
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

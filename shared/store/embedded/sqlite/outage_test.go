package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded/sqlite"
)

// TestOutages makes SQLite refuse a write for each reason that it reports. The
// refused write leaves nothing behind, and the next one succeeds once the cause is gone.
func TestOutages(t *testing.T) {
	for _, test := range []struct {
		name       string
		begin, end string // of the cause, on the connection of the writer
		want       error
	}{
		{"full", "PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000", store.ErrFull},
		{"read-only", "PRAGMA query_only = 1", "PRAGMA query_only = 0", store.ErrReadOnly},
	} {
		f := table(t)
		large := exec("INSERT INTO n VALUES (zeroblob(100000))")
		err := f.Write(t.Context(), func(tx *sqlite.Tx) error {
			begun := exec(test.begin)(tx)
			refused := large(tx)
			return errors.Join(refused, begun, exec(test.end)(tx))
		})
		if !errors.Is(err, test.want) {
			t.Errorf("%s: Write = %v, want %v", test.name, err, test.want)
		}
		if n := sum(t, f); n != 0 {
			t.Errorf("%s: the sum is %d, want 0", test.name, n)
		}
		if err := f.Write(t.Context(), large); err != nil {
			t.Errorf("%s: Write = %v after its end", test.name, err)
		}
	}
}

// TestBusy writes while another program holds the file, until the caller gives up.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	f := open(t, path)
	other := raw(t, path, "BEGIN IMMEDIATE")
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	late := func(*sqlite.Tx) error { return nil }
	if err := f.Write(ctx, late); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Write after its time = %v", err)
	}
	waiting, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	if err := f.Write(waiting, late); !errors.Is(err, store.ErrBusy) {
		t.Errorf("Write = %v, want %v", err, store.ErrBusy)
	}
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := f.Write(t.Context(), late); err != nil {
		t.Errorf("Write = %v after the other program ended", err)
	}
}

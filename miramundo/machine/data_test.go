package machine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// TestInhabited checks which databases have documents of people.
func TestInhabited(t *testing.T) {
	for path, want := range map[string]bool{"": false, "counters/a": false, "owner/a/kept/b": false, "libraries/g_1": true, "owners/g_1/kept/history": true, "accounts/a_1": true} {
		dir := t.TempDir()
		if path != "" {
			setIn(t, dir, path)
		}
		if got, err := inhabited(dir, "restore"); got != want || err != nil {
			t.Errorf("with %q it is inhabited: %t, %v; want %t", path, got, err, want)
		}
	}
}

// setIn stores a document in the database of a folder.
func setIn(t *testing.T, dir, path string) {
	t.Helper()
	db, err := wire.OpenDocuments(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Set(t.Context(), store.Path(path), map[string]int{"n": 1}), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestRemedy checks that the remedy names the newest backup as a word for a shell.
func TestRemedy(t *testing.T) {
	f := Folder{Dir: filepath.Join(t.TempDir(), "a folder"), Remedy: func(b string) string { return "restore " + b + " now" }}
	if got := f.remedy(); !strings.Contains(got, "restore BACKUP now") || !strings.Contains(got, "has no backups") {
		t.Errorf("without backups the remedy is %q", got)
	}
	newest := filepath.Join(f.Dir, "backups", "2026-11-24T18-00-00.000Z")
	for _, dir := range []string{filepath.Join(f.Dir, "backups", "2026-11-23T18-00-00.000Z"), newest} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got := f.remedy(); !strings.Contains(got, "restore '"+newest+"' now") {
		t.Errorf("the remedy is %q", got)
	}
}

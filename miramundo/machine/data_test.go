package machine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"miramundo.dev/miramundo/backup"
	"miramundo.dev/miramundo/datafolder"
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
	for _, name := range []string{"before-upgrade/2026-11-22T18-00-00.000Z", "2026-11-23T18-00-00.000Z", "2026-11-24T18-00-00.000Z", "before-upgrade/2026-11-25T18-00-00.000Z"} {
		newest := filepath.Join(f.Dir, "backups", name)
		if err := os.MkdirAll(newest, 0o700); err != nil {
			t.Fatal(err)
		}
		if got := f.remedy(); !strings.Contains(got, "restore '"+newest+"' now") {
			t.Errorf("with %s the remedy is %q", name, got)
		}
	}
}

// TestBegin checks that data is backed up before another program uses it, and only then,
// and that the newest three of these backups are kept whatever is made later.
func TestBegin(t *testing.T) {
	var warned []string
	warn := func(format string, args ...any) { warned = append(warned, fmt.Sprintf(format, args...)) }
	f := Folder{Dir: t.TempDir(), Keep: 1, Say: t.Logf, Warn: warn, Remedy: func(b string) string { return "restore " + b }}
	if _, err := f.Secrets(); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name, sum string
		backups   int
	}{
		{"v1", "a", 0}, // there was nothing
		{"v1", "a", 0},
		{"v2", "b", 1},
		{"v2", "b", 1},
		{"v1", "a", 2}, // back
		{"v1", "c", 3}, // built from other sources with the same name
		{"v1", "", 3},  // as an earlier program, which recorded its name alone
		{"v1", "a", 3},
	} {
		program := datafolder.Program{Name: step.name, Sum: step.sum}
		if err := f.Begin(t.Context(), program); err != nil {
			t.Fatal(err)
		}
		all, err := backup.List(f.upgradeFolder(), time.Now())
		if err != nil || len(all) != step.backups {
			t.Fatalf("%+v leaves the backups %q, %v; want %d", program, all, err, step.backups)
		}
		if len(all) > 0 && (len(warned) == 0 || !strings.Contains(warned[len(warned)-1], all[0])) {
			t.Errorf("the operator is not told of %s: %q", all[0], warned)
		}
		setIn(t, f.Dir, "libraries/g_1")
		for range 2 { // daily ones
			if _, _, err := f.Backup(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestBackupFails checks that the operator is warned of a backup that fails.
func TestBackupFails(t *testing.T) {
	var warned []string
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := Folder{Dir: t.TempDir(), Backups: file, Every: time.Hour, Keep: 1, Say: t.Logf}
	f.Warn = func(format string, args ...any) { warned = append(warned, fmt.Sprintf(format, args...)) }
	New(Options{Folder: f}).backupIfDue(t.Context())
	if len(warned) != 1 || !strings.Contains(warned[0], file) {
		t.Errorf("the operator is warned with %q, want the folder %s", warned, file)
	}
}

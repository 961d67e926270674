package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/wire"
)

// begun is when the first backup of a test is made.
var begun = time.Date(2026, 11, 23, 18, 0, 0, 0, time.UTC)

// files are those beside the database.
var files = map[string][]byte{datafolder.SecretsFile: []byte("{}"), datafolder.TokenFile: []byte("token\n")}

// A source is a database of which backups are made, an hour apart.
type source struct {
	db *embedded.DB
	Options
}

func newSource(t *testing.T) *source {
	t.Helper()
	db, err := embedded.Open(wire.DatabasePath(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s := &source{db: db}
	now := begun.Add(-time.Hour)
	s.Options = Options{
		Folder: filepath.Join(t.TempDir(), "backups"), Keep: 3, Copy: db.CopyInto, Files: files,
		Now: func() time.Time { now = now.Add(time.Hour); return now }, Free: func(string) (int64, error) { return 1 << 40, nil },
	}
	s.set(t, "things/a")
	return s
}

func (s *source) set(t *testing.T, path store.Path) {
	t.Helper()
	if err := s.db.Set(t.Context(), path, map[string]int{"n": 1}); err != nil {
		t.Fatal(err)
	}
}

func (s *source) make(t *testing.T) string {
	t.Helper()
	path, _, err := Make(t.Context(), s.Options)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMake checks what a backup is: named by its time, for its owner alone, and whole.
func TestMake(t *testing.T) {
	s := newSource(t)
	path := s.make(t)
	if want := filepath.Join(s.Folder, "2026-11-23T18-00-00.000Z"); path != want {
		t.Errorf("the backup is %s, want %s", path, want)
	}
	m, err := Verify(t.Context(), path)
	if err != nil || m.Rows["documents"] != 1 || len(m.Files) != 3 {
		t.Errorf("Verify = %+v, %v", m, err)
	}
	err = filepath.WalkDir(s.Folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestKeep makes more backups than are kept: the newest stay, and what a cut-off
// backup left is deleted.
func TestKeep(t *testing.T) {
	s := newSource(t)
	if err := os.MkdirAll(filepath.Join(s.Folder, partial+"1"), 0o700); err != nil {
		t.Fatal(err)
	}
	var made []string
	for range 5 {
		made = append([]string{s.make(t)}, made...)
	}
	all, err := List(s.Folder, begun.Add(24*time.Hour))
	if diff := cmp.Diff(made[:3], all); diff != "" || err != nil {
		t.Errorf("List = %v (-want +got):\n%s", err, diff)
	}
	if left, err := filepath.Glob(filepath.Join(s.Folder, partial+"*")); len(left) > 0 || err != nil {
		t.Errorf("%v are left, %v", left, err)
	}
	for after, want := range map[time.Duration]bool{0: false, 23 * time.Hour: false, 24 * time.Hour: true} {
		if due, err := Due(s.Folder, 24*time.Hour, begun.Add(4*time.Hour+after)); due != want || err != nil {
			t.Errorf("a backup is due after %v: %t, %v", after, due, err)
		}
	}
	if at, err := Last(s.Folder, begun.Add(24*time.Hour)); err != nil || !at.Equal(begun.Add(4*time.Hour)) {
		t.Errorf("the last backup was made at %v, %v", at, err)
	}
	if at, err := Last(filepath.Join(s.Folder, "none"), begun); err != nil || !at.IsZero() {
		t.Errorf("without a backup the last one was made at %v, %v", at, err)
	}
	if due, err := Due(filepath.Join(s.Folder, "none"), time.Hour, begun); !due || err != nil {
		t.Errorf("without a backup one is due: %t, %v", due, err)
	}
}

// TestClockSetBack makes backups before and after the clock was set back a year: the
// next one is due, is the newest, and stays, and the oldest of before goes.
func TestClockSetBack(t *testing.T) {
	s := newSource(t)
	var before []string
	for range 3 {
		before = append(before, s.make(t))
	}
	back := begun.AddDate(-1, 0, 0)
	if due, err := Due(s.Folder, 24*time.Hour, back); !due || err != nil {
		t.Errorf("a backup is due: %t, %v", due, err)
	}
	s.Now = func() time.Time { return back }
	made := s.make(t)
	all, err := List(s.Folder, back)
	if diff := cmp.Diff([]string{made, before[2], before[1]}, all); diff != "" || err != nil {
		t.Errorf("List = %v (-want +got):\n%s", err, diff)
	}
	if due, err := Due(s.Folder, 24*time.Hour, back.Add(time.Hour)); due || err != nil {
		t.Errorf("another one is due: %t, %v", due, err)
	}
}

// TestMakeFails lets backups fail in every way: no folder has the name of a backup
// afterwards, and those of before are there.
func TestMakeFails(t *testing.T) {
	s := newSource(t)
	before := s.make(t)
	failed := errors.New("failed")
	for name, change := range map[string]func(o *Options){
		"the copy": func(o *Options) { o.Copy = func(context.Context, string) error { return failed } },
		"half a copy": func(o *Options) {
			o.Copy = func(ctx context.Context, to string) error {
				return errors.Join(s.db.CopyInto(ctx, to), os.Truncate(to, 4096))
			}
		},
		"no space":      func(o *Options) { o.Free = func(string) (int64, error) { return reserve - 1, nil } },
		"unknown space": func(o *Options) { o.Free = func(string) (int64, error) { return 1 << 40, failed } },
		"a file":        func(o *Options) { o.Files = map[string][]byte{"a\x00": nil} },
	} {
		o := s.Options
		change(&o)
		if path, _, err := Make(t.Context(), o); err == nil {
			t.Errorf("%s: Make = %s", name, path)
		}
		all, err := List(s.Folder, begun.Add(24*time.Hour))
		if diff := cmp.Diff([]string{before}, all); diff != "" || err != nil {
			t.Errorf("%s: List = %v (-want +got):\n%s", name, err, diff)
		}
	}
	o := s.Options
	o.Copy = func(ctx context.Context, to string) error {
		if _, _, err := Make(ctx, s.Options); !errors.Is(err, ErrRunning) {
			t.Errorf("a second backup at the same time = %v, want ErrRunning", err)
		}
		return s.db.CopyInto(ctx, to)
	}
	if _, _, err := Make(t.Context(), o); err != nil {
		t.Error(err)
	}
}

// TestVerifyRefuses damages a backup: it is not restored, and nothing is written.
func TestVerifyRefuses(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"no manifest":     func(dir string) error { return os.Remove(filepath.Join(dir, manifestFile)) },
		"half a manifest": func(dir string) error { return os.Truncate(filepath.Join(dir, manifestFile), 40) },
		"a missing file":  func(dir string) error { return os.Remove(filepath.Join(dir, datafolder.TokenFile)) },
		"another file":    func(dir string) error { return os.WriteFile(filepath.Join(dir, datafolder.SecretsFile), nil, 0o600) },
		"half a database": func(dir string) error { return os.Truncate(wire.DatabasePath(dir), 8192) },
		"a path": func(dir string) error {
			path := filepath.Join(dir, manifestFile)
			text, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, []byte(strings.Replace(string(text), datafolder.TokenFile, "../"+datafolder.TokenFile, 1)), 0o600))
		},
	} {
		path := newSource(t).make(t)
		if err := damage(path); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(t.TempDir(), "new")
		if _, err := Restore(t.Context(), path, to); err == nil {
			t.Errorf("%s: it was restored", name)
		}
		if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the folder is there: %v", name, err)
		}
	}
}

// TestRestore restores into a new folder, and never over files that are there.
func TestRestore(t *testing.T) {
	s := newSource(t)
	path := s.make(t)
	s.set(t, "things/later")
	to := filepath.Join(t.TempDir(), "new")
	if _, err := Restore(t.Context(), path, to); err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	db, err := embedded.Open(wire.DatabasePath(to))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var doc any
	if err := db.Get(t.Context(), "things/a", &doc); err != nil {
		t.Error(err)
	}
	if err := db.Get(t.Context(), "things/later", &doc); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a later document is there: %v", err)
	}
	if _, err := Restore(t.Context(), path, to); !errors.Is(err, ErrInUse) || !strings.Contains(fmt.Sprint(err), to) {
		t.Errorf("Restore over data = %v, want ErrInUse with the folder", err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, datafolder.CopyFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(t.Context(), path, other); !errors.Is(err, ErrInUse) {
		t.Errorf("Restore beside secrets = %v, want ErrInUse", err)
	}
}

// TestRestoreCutOff cuts a restore off before its last step: the folder does not open
// as if it were new.
func TestRestoreCutOff(t *testing.T) {
	path := newSource(t).make(t)
	to := filepath.Join(t.TempDir(), "new")
	if _, err := Restore(t.Context(), path, to); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(wire.DatabasePath(to), wire.DatabasePath(to)+".new"); err != nil {
		t.Fatal(err)
	}
	if db, err := embedded.Open(wire.DatabasePath(to)); err == nil {
		db.Close()
		t.Error("the folder opened without its database")
	}
}

// TestFree checks that the free space of a disk is a sensible number.
func TestFree(t *testing.T) {
	if n, err := Free(t.TempDir()); err != nil || n <= 0 {
		t.Errorf("Free = %d, %v", n, err)
	}
	if _, err := Free(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("Free of a missing folder gave no error")
	}
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

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

// TestRefusesDamagedData starts stacks on folders that are damaged: the message names
// the file, what is in danger and the remedy, and advises to remove nothing.
func TestRefusesDamagedData(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		words  []string
	}{
		{"no secrets", func(t *testing.T, dir string) {
			for _, name := range []string{datafolder.SecretsFile, datafolder.CopyFile} {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
		}, []string{datafolder.SecretsFile, "has guests or accounts", "guest token", "backup", "-accept-loss"}},
		{"a garbage header", func(t *testing.T, dir string) { overwrite(t, dir, 0, 4096) }, []string{"miramundo.db", "damaged", "libraries", "backup"}},
		{"wrong pages", func(t *testing.T, dir string) { overwrite(t, dir, 4096, 1<<20) }, []string{"miramundo.db", "damaged", "libraries", "backup"}},
		{"a truncated database", func(t *testing.T, dir string) {
			if err := os.Truncate(wire.DatabasePath(dir), 8192); err != nil {
				t.Fatal(err)
			}
		}, []string{"miramundo.db", "damaged", "libraries", "backup"}},
		{"no database", func(t *testing.T, dir string) {
			if err := os.Remove(wire.DatabasePath(dir)); err != nil {
				t.Fatal(err)
			}
		}, []string{"miramundo.db", "missing", "libraries", "backup", "-accept-loss"}},
		{"nothing of the database", func(t *testing.T, dir string) {
			for _, suffix := range []string{"", "-mark"} {
				if err := os.Remove(wire.DatabasePath(dir) + suffix); err != nil {
					t.Fatal(err)
				}
			}
		}, []string{"miramundo.db", "missing", "libraries", "backup", "-accept-loss"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			s := settings{layout: anywhere, stackFile: stackFile, data: dir, catalog: small(t, "https://one.example/live.m3u8"), backend: "embedded", seed: true}
			if err := run(t.Context(), s, io.Discard); err != nil {
				t.Fatal(err)
			}
			setIn(t, dir, "libraries/g_1")
			test.damage(t, dir)
			err := run(t.Context(), s, io.Discard)
			if _, ok := errors.AsType[*datafolder.Trouble](err); !ok {
				t.Fatalf("run = %v, want a Trouble", err)
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the message does not say %q:\n%v", word, err)
				}
			}
			if strings.Contains(err.Error(), "remove") {
				t.Errorf("the message advises to remove something:\n%v", err)
			}
			s.acceptLoss = true
			if err := run(t.Context(), s, io.Discard); strings.Contains(fmt.Sprint(test.words), "-accept-loss") && err != nil {
				t.Errorf("run with the loss accepted = %v", err)
			}
		})
	}
}

// overwrite replaces bytes of a database by garbage.
func overwrite(t *testing.T, dir string, from, to int) {
	t.Helper()
	path := wire.DatabasePath(dir)
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	to = min(to, len(body))
	copy(body[from:to], bytes.Repeat([]byte{0x5a}, to-from))
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
}

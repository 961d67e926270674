package wire_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/blob"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
	_ "miramundo.dev/shared/wire/cloud"
)

func TestRefuse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config wire.Config
		want   string
	}{
		"nothing":            {wire.Config{}, "unknown backend"},
		"unknown":            {wire.Config{Backend: "memory"}, "unknown backend"},
		"no folder":          {wire.Config{Backend: wire.Embedded}, "folder"},
		"a file as folder":   {wire.Config{Backend: wire.Embedded, DataDir: file}, "data folder"},
		"no project":         {wire.Config{Backend: wire.Cloud}, "project"},
		"emulators, no host": {wire.Config{Backend: wire.Emulators, Project: "demo-x"}, "FIRESTORE_EMULATOR_HOST"},
	} {
		_, _, err := wire.Open(t.Context(), c.config)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Open = %v, want an error that says %q", name, err, c.want)
		}
	}
}

func TestEmbedded(t *testing.T) {
	config := wire.Config{
		Backend:  wire.Embedded,
		DataDir:  filepath.Join(t.TempDir(), "new", "data"),
		Topology: bus.Topology{"plays": {"count"}},
	}
	for n := range 2 {
		db, b, err := wire.Open(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]int
		if err := db.Get(t.Context(), "things/a", &doc); (err == nil) != (n == 1) {
			t.Errorf("opened %d times: Get = %v", n, err)
		}
		if err := b.Publish(t.Context(), "plays", bus.Event{Data: []byte("x")}); err != nil {
			t.Errorf("Publish = %v", err)
		}
		if err := b.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		if err := db.Set(t.Context(), "things/a", map[string]int{"n": 1}); err != nil {
			t.Errorf("Set after the bus is closed = %v", err)
		}
		if err := db.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
}

// TestPrivate checks that nobody else can read what is kept, even in a folder
// that was there before and is open to all.
func TestPrivate(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	db, b, err := wire.Open(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(b.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	}()
	if err := db.Set(t.Context(), "things/a", map[string]int{"n": 1}); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 2 {
		t.Fatalf("files %v, %v, want a database and its log", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is of mode %v, %v", f.Name(), info.Mode(), err)
		}
	}
}

// TestEmulators opens the emulators through the same door.
func TestEmulators(t *testing.T) {
	config := wire.Config{
		Backend:       wire.Emulators,
		Project:       "test-" + strings.ToLower(rand.Text()),
		FirestoreHost: os.Getenv("FIRESTORE_EMULATOR_HOST"),
		PubSubHost:    os.Getenv("PUBSUB_EMULATOR_HOST"),
		Topology:      bus.Topology{"plays": {"count"}},
	}
	if config.FirestoreHost == "" || config.PubSubHost == "" {
		if os.Getenv("CI") != "" && os.Getenv("MIRAMUNDO_EMULATORS") == "required" {
			t.Fatal("no emulators, and CI requires them")
		}
		t.Skip("no emulators")
	}
	db, b, err := wire.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Publish(t.Context(), "plays", bus.Event{Data: []byte("x")}); err != nil {
		t.Errorf("Publish = %v", err)
	}
	data := bytes.Repeat([]byte("0123456789"), 300_000) // full chunks are near the limit of a document
	err = blob.Put(t.Context(), db, "blobs/a", data)
	if got, err2 := blob.Get(t.Context(), db, "blobs/a"); err != nil || err2 != nil || !bytes.Equal(got, data) {
		t.Errorf("blob: Put = %v, Get = %d bytes, %v", err, len(got), err2)
	}
	if err := errors.Join(b.Close(), db.Close()); err != nil {
		t.Errorf("Close = %v", err)
	}
}

// TestClock checks that the given clock decides which documents have expired.
func TestClock(t *testing.T) {
	for _, backend := range []wire.Config{
		{Backend: wire.Embedded, DataDir: t.TempDir()},
		{Backend: wire.Emulators, Project: fmt.Sprintf("demo-clock-%d", os.Getpid()), FirestoreHost: os.Getenv("FIRESTORE_EMULATOR_HOST")},
	} {
		t.Run(string(backend.Backend), func(t *testing.T) {
			if backend.Backend == wire.Emulators && backend.FirestoreHost == "" {
				t.Skip("no Firestore emulator")
			}
			now := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
			backend.Now = func() time.Time { return now }
			db, err := wire.OpenDocuments(t.Context(), backend)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			type note struct {
				ExpireAt store.Time `json:"expire_at"`
			}
			if err := db.Set(t.Context(), "notes/a", note{store.At(now.Add(time.Minute))}); err != nil {
				t.Fatal(err)
			}
			var n note
			before := db.Get(t.Context(), "notes/a", &n)
			now = now.Add(time.Minute)
			if after := db.Get(t.Context(), "notes/a", &n); before != nil || !errors.Is(after, store.ErrNotFound) {
				t.Errorf("Get before the expiry: %v, after it: %v", before, after)
			}
		})
	}
}

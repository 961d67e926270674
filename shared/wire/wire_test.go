package wire_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/wire"
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

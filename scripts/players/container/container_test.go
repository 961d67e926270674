package container

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/wire"
)

// TestPublish reads back what was published.
func TestPublish(t *testing.T) {
	dir := t.TempDir()
	reg := Channels([]string{"https://a.example/x.m3u8", "https://a.example/y.mp3"}, []string{catalog.StreamHLS, catalog.StreamAudio})
	if err := Publish(t.Context(), dir, reg); err != nil {
		t.Fatal(err)
	}
	db, events, err := wire.Open(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defer events.Close()
	a := &release.Archive{DB: db, Now: time.Now}
	p, err := a.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, err := a.Load(t.Context(), p.Version)
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	v := index.NewView(ix, index.Overlay{}, catalog.LinkBase{})
	for i, r := range reg.Records {
		if f, ok := v.Stream(StreamID(i).String()); !ok || f.Stream.URL != r.Streams[0].URL {
			t.Errorf("stream %d is %+v, want %s", i, f.Stream, r.Streams[0].URL)
		}
	}
}

// TestStartFails says how a program ended that is no hop.
func TestStartFails(t *testing.T) {
	program := filepath.Join(t.TempDir(), "hop")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), Options{Program: program}); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("Start: %v, want the status", err)
	}
}

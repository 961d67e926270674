// Package wire opens the documents and the events that a configuration names.
package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"miramundo.dev/shared/bus"
	busembedded "miramundo.dev/shared/bus/embedded"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
)

// A Backend is where documents and events are kept.
type Backend string

// The backends.
const (
	Embedded  Backend = "embedded"  // one SQLite file in the folder DataDir
	Emulators Backend = "emulators" // the cloud's emulators, at the hosts given
	Cloud     Backend = "cloud"     // Firestore and Pub/Sub of a project
)

// fileName is the database's, within DataDir.
const fileName = "miramundo.db"

// Config says what to open. Fields of another backend are not looked at.
type Config struct {
	Backend Backend
	DataDir string // of Embedded; made when it is not there

	Project       string // of Emulators and Cloud
	Database      string // of Firestore; empty is the project's default
	FirestoreHost string // of Emulators, as host:port
	PubSubHost    string // of Emulators, as host:port

	Topology bus.Topology // the topics that the program publishes to and receives from
	Log      *slog.Logger // tells of events that handlers refuse; nil is the default logger
}

// Open opens the store and the bus that c names. Closing both releases all.
// With Emulators it also makes the topology there; in the cloud that is the
// infrastructure's to make.
func Open(ctx context.Context, c Config) (store.DB, bus.Bus, error) {
	switch c.Backend {
	case Embedded:
		return openFile(c)
	case Emulators, Cloud:
		return openCloud(ctx, c)
	}
	return nil, nil, fmt.Errorf("unknown backend %q: want %s, %s or %s", c.Backend, Embedded, Emulators, Cloud)
}

// openFile opens one file for both.
func openFile(c Config) (store.DB, bus.Bus, error) {
	if c.DataDir == "" {
		return nil, nil, errors.New("the embedded backend needs a folder for its data")
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("data folder: %w", err)
	}
	path := filepath.Join(c.DataDir, fileName)
	private(path)
	f, err := sqlite.Open(path)
	if err != nil {
		return nil, nil, err
	}
	db, err := embedded.On(f.Share(), time.Now)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	b, err := busembedded.On(f, c.Topology, busembedded.Options{Log: c.Log})
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, b, nil
}

// private makes the file at path when it is not there, so that SQLite, which
// would let everyone read it, finds one for its owner alone: the folder may be
// older than we are, and open to others. What keeps it from that keeps SQLite
// from the file too, which says it better.
func private(path string) {
	if f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err == nil {
		_ = f.Close() // nothing was written
	}
}

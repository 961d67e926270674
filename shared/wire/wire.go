// Package wire opens the documents and the events that a configuration names. Those of
// the cloud need the clients that package wire/cloud brings into a program.
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

// DatabasePath returns the path of the database of the embedded backend within a
// folder.
func DatabasePath(dir string) string { return filepath.Join(dir, fileName) }

// Config says what to open. Fields of another backend are not looked at.
type Config struct {
	Backend Backend
	DataDir string // of Embedded; made when it is not there

	Project       string // of Emulators and Cloud
	Database      string // of Firestore; empty is the project's default
	FirestoreHost string // of Emulators, as host:port
	PubSubHost    string // of Emulators, as host:port
	Push          string // address to which subscriptions that are made on Emulators push; empty: events are pulled

	Topology bus.Topology // the topics that the program publishes to and receives from
	Log      *slog.Logger // logs the events that handlers refuse; nil is the default logger

	Now func() time.Time // decides which documents have expired; nil is time.Now
}

// Clock returns the clock of c.
func (c Config) Clock() func() time.Time {
	if c.Now == nil {
		return time.Now
	}
	return c.Now
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
	return nil, nil, unknownBackend(c)
}

// OpenDocuments opens the store that c names without the bus, for a process
// that publishes nothing.
func OpenDocuments(ctx context.Context, c Config) (store.DB, error) {
	switch c.Backend {
	case Embedded:
		f, err := openSQLite(c)
		if err != nil {
			return nil, err
		}
		db, err := embedded.On(f, c.Clock())
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return db, nil
	case Emulators, Cloud:
		return openCloudDocuments(ctx, c)
	}
	return nil, unknownBackend(c)
}

// OpenEvents opens the bus that c names without the store, for a process that reads and
// writes no documents. With Emulators it also makes the topology there.
func OpenEvents(ctx context.Context, c Config) (bus.Bus, error) {
	switch c.Backend {
	case Embedded:
		f, err := openSQLite(c)
		if err != nil {
			return nil, err
		}
		b, err := busembedded.On(f, c.Topology, busembedded.Options{Log: c.Log})
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return b, nil
	case Emulators, Cloud:
		return openCloudEvents(ctx, c)
	}
	return nil, unknownBackend(c)
}

func unknownBackend(c Config) error {
	return fmt.Errorf("unknown backend %q: want %s, %s or %s", c.Backend, Embedded, Emulators, Cloud)
}

// reportProblem logs when the file of the embedded backend begins and ceases to take
// no writes.
func (c Config) reportProblem(err error) {
	log := c.Log
	if log == nil {
		log = slog.Default()
	}
	if err != nil {
		log.Error("the database takes no writes; they are answered 503 until it does", "cause", err.Error())
		return
	}
	log.Warn("the database takes writes again")
}

// openSQLite opens the file of the embedded backend, and makes it and its
// folder when they do not exist.
func openSQLite(c Config) (*sqlite.File, error) {
	if c.DataDir == "" {
		return nil, errors.New("the embedded backend needs a folder for its data")
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	path := DatabasePath(c.DataDir)
	f, err := sqlite.Open(path)
	if err != nil {
		return nil, err
	}
	f.Report(c.reportProblem)
	return f, nil
}

// openFile opens one file for both.
func openFile(c Config) (store.DB, bus.Bus, error) {
	f, err := openSQLite(c)
	if err != nil {
		return nil, nil, err
	}
	db, err := embedded.On(f.Share(), c.Clock())
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	b, err := busembedded.On(f, c.Topology, busembedded.Options{Log: c.Log})
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, b, nil
}

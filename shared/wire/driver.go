package wire

import (
	"context"
	"errors"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/store"
)

// A Driver opens the backends [Emulators] and [Cloud].
type Driver interface {
	// Documents opens the store that c names.
	Documents(ctx context.Context, c Config) (store.DB, error)
	// Events opens the bus that c names.
	Events(ctx context.Context, c Config) (bus.Bus, error)
}

// driver is the one of this program; nil in a program without the cloud's clients.
var driver Driver

// Register makes d open the backends of the cloud. Package wire/cloud calls it before
// the program starts.
func Register(d Driver) { driver = d }

// errNoDriver is the error of a program that was built without the cloud's clients. Its
// tests have them with the build tag emulators.
var errNoDriver = errors.New("this program has no clients of the cloud: it must import miramundo.dev/shared/wire/cloud, as tests do that run with -tags emulators")

// openCloud opens the store and the bus in the cloud.
func openCloud(ctx context.Context, c Config) (store.DB, bus.Bus, error) {
	db, err := openCloudDocuments(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	b, err := openCloudEvents(ctx, c)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, b, nil
}

// openCloudDocuments opens the store in the cloud.
func openCloudDocuments(ctx context.Context, c Config) (store.DB, error) {
	if driver == nil {
		return nil, errNoDriver
	}
	return driver.Documents(ctx, c)
}

// openCloudEvents opens the bus in the cloud.
func openCloudEvents(ctx context.Context, c Config) (bus.Bus, error) {
	if driver == nil {
		return nil, errNoDriver
	}
	return driver.Events(ctx, c)
}

package wire

import (
	"context"
	"errors"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/pubsub"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/firestore"
)

// openCloud opens Firestore and Pub/Sub, or their emulators.
func openCloud(ctx context.Context, c Config) (store.DB, bus.Bus, error) {
	if c.Backend == Emulators && c.PubSubHost == "" {
		return nil, nil, errNoEmulators
	}
	db, err := openFirestore(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	events := pubsub.Config{Project: c.Project, Topology: c.Topology, Log: c.Log}
	if c.Backend == Emulators {
		events.Emulator, events.Make = c.PubSubHost, true
	}
	b, err := pubsub.Open(ctx, events)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, b, nil
}

// errNoEmulators is the error of the backend [Emulators] without their hosts.
var errNoEmulators = errors.New("the emulators need FIRESTORE_EMULATOR_HOST and PUBSUB_EMULATOR_HOST")

// openFirestore opens Firestore, or its emulator.
func openFirestore(ctx context.Context, c Config) (store.DB, error) {
	fire := firestore.Config{Project: c.Project, Database: c.Database, Now: c.clock()}
	switch {
	case c.Project == "":
		return nil, errors.New("the cloud needs the id of a project")
	case c.Backend == Emulators && c.FirestoreHost == "":
		return nil, errNoEmulators
	case c.Backend == Emulators:
		fire.Emulator = c.FirestoreHost
	}
	return firestore.Open(ctx, fire)
}

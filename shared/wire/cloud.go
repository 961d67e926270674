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
	if err := c.checkCloud(); err != nil {
		return nil, nil, err
	}
	fire := firestore.Config{Project: c.Project, Database: c.Database}
	events := pubsub.Config{Project: c.Project, Topology: c.Topology, Log: c.Log}
	if c.Backend == Emulators {
		fire.Emulator, events.Emulator, events.Make = c.FirestoreHost, c.PubSubHost, true
	}
	db, err := firestore.Open(ctx, fire)
	if err != nil {
		return nil, nil, err
	}
	b, err := pubsub.Open(ctx, events)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, b, nil
}

func (c Config) checkCloud() error {
	if c.Project == "" {
		return errors.New("the cloud needs the id of a project")
	}
	if c.Backend == Emulators && (c.FirestoreHost == "" || c.PubSubHost == "") {
		return errors.New("the emulators need FIRESTORE_EMULATOR_HOST and PUBSUB_EMULATOR_HOST")
	}
	return nil
}

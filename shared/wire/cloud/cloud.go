// Package cloud lets package wire open Firestore and Pub/Sub, or their emulators, in
// every program that imports it, as drivers do for package database/sql. Programs that
// are deployed import it. Most tests do with the build tag emulators alone, since its
// clients are half of what a linker reads.
package cloud

import (
	"context"
	"errors"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/pubsub"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/firestore"
	"miramundo.dev/shared/wire"
)

func init() { wire.Register(opener{}) }

// An opener opens the cloud's parts.
type opener struct{}

// Documents opens Firestore, or its emulator.
func (opener) Documents(ctx context.Context, c wire.Config) (store.DB, error) {
	fire := firestore.Config{Project: c.Project, Database: c.Database, Now: c.Clock()}
	switch {
	case c.Project == "":
		return nil, errNoProject
	case c.Backend == wire.Emulators && c.FirestoreHost == "":
		return nil, errNoEmulators
	case c.Backend == wire.Emulators:
		fire.Emulator = c.FirestoreHost
	}
	return firestore.Open(ctx, fire)
}

// Events opens Pub/Sub, or its emulator.
func (opener) Events(ctx context.Context, c wire.Config) (bus.Bus, error) {
	switch {
	case c.Project == "":
		return nil, errNoProject
	case c.Backend == wire.Emulators && c.PubSubHost == "":
		return nil, errNoEmulators
	}
	events := pubsub.Config{Project: c.Project, Topology: c.Topology, Log: c.Log}
	if c.Backend == wire.Emulators {
		events.Emulator, events.Make, events.Push = c.PubSubHost, true, c.Push
	}
	return pubsub.Open(ctx, events)
}

// errNoProject is the error of a backend of the cloud without a project.
var errNoProject = errors.New("the cloud needs the id of a project")

// errNoEmulators is the error of the backend [wire.Emulators] without their hosts.
var errNoEmulators = errors.New("the emulators need FIRESTORE_EMULATOR_HOST and PUBSUB_EMULATOR_HOST")

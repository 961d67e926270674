package main

import (
	"context"
	"fmt"
	"strings"

	"miramundo.dev/scripts/emulators/emulator"
)

// rulesFile holds the security rules of Firestore, in the folder of the repository.
const rulesFile = "firestore.rules"

// startEmulators starts the official emulators, where the stack's file has
// them, and says in vars where they are. A stack on any free port has its
// emulators on free ports too, so that several can run.
func (st *stack) startEmulators(ctx context.Context, vars map[string]string) error {
	o := emulator.Options{FirestoreAddr: st.file.Emulators.Firestore.Addr(), PubSubAddr: st.file.Emulators.PubSub.Addr(), Rules: rulesFile}
	if strings.HasSuffix(st.layout.gateway, ":0") {
		o.FirestoreAddr, o.PubSubAddr = "", ""
	}
	st.out.say("starting the emulators of Firestore and Pub/Sub")
	e, err := emulator.Start(context.WithoutCancel(ctx), o) // they end after what uses them
	if err != nil {
		return fmt.Errorf("-backend emulators: %w", err)
	}
	st.emulators = e.Stop
	st.out.say("Firestore at %s, Pub/Sub at %s; their data is gone when they stop", e.Firestore, e.PubSub)
	vars["FIRESTORE_EMULATOR_HOST"], vars["PUBSUB_EMULATOR_HOST"] = e.Firestore, e.PubSub
	return nil
}

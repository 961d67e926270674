package main

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"miramundo.dev/scripts/emulators/emulator"
)

// rulesFile holds the security rules of Firestore, in the folder of the repository.
const rulesFile = "firestore.rules"

// startEmulators starts the official emulators and says in vars where they are, unless
// vars name some that run.
func (st *stack) startEmulators(ctx context.Context, vars map[string]string) (err error) {
	if firestore, pubsub := vars["FIRESTORE_EMULATOR_HOST"], vars["PUBSUB_EMULATOR_HOST"]; firestore != "" && pubsub != "" {
		st.out.say("using the emulators of Firestore at %s and of Pub/Sub at %s", firestore, pubsub)
		return nil
	}
	o := emulator.Options{Rules: rulesFile}
	if o.FirestoreAddr, o.PubSubAddr, err = st.emulatorPlaces(); err != nil {
		return err
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

// emulatorPlaces returns where the emulators listen: where the stack's file says; or, when
// a flag names the gateway, at the last of the ports that follow the gateway's, so that
// several stacks can run. Empty is any free port. They listen on loopback only.
func (st *stack) emulatorPlaces() (firestore, pubsub string, err error) {
	if st.layout.gateway == "" {
		return st.file.Emulators.Firestore.Addr(), st.file.Emulators.PubSub.Addr(), nil
	}
	_, port, err := split(st.layout.gateway)
	if err != nil || port == 0 {
		return "", "", err
	}
	at := func(n int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port+n)) }
	return at(following - 1), at(following), nil
}

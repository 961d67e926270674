// Command emulators starts the Firestore and Pub/Sub emulators.
//
//	go run ./scripts/emulators                 until interrupted
//	go run ./scripts/emulators -- go test -tags emulators ...  while a command runs
//
// The first form prints the addresses of the emulators as lines for a shell. The
// second sets FIRESTORE_EMULATOR_HOST and PUBSUB_EMULATOR_HOST for the command, and
// exits with its exit code. After a command that succeeds it checks that
// firestore.indexes.json declares the composite indexes that the queries needed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"miramundo.dev/scripts/emulators/emulator"
)

type options struct {
	emulator.Options
	indexes string
	project string
	command []string
}

func main() {
	o := parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "emulators:", err)
	}
	if code != 0 {
		stop()
		os.Exit(code)
	}
}

func parse() (o options) {
	verbose := flag.Bool("v", false, "show what the emulators print")
	flag.StringVar(&o.FirestoreJar, "firestore-jar", "", "the Firestore emulator (default "+emulator.FirestoreJar+")")
	flag.StringVar(&o.PubSubJar, "pubsub-jar", "", "the Pub/Sub emulator (default "+emulator.PubSubJar+")")
	flag.StringVar(&o.FirestoreAddr, "firestore", "", "loopback address for Firestore (default a free port)")
	flag.StringVar(&o.PubSubAddr, "pubsub", "", "loopback address for Pub/Sub (default a free port)")
	flag.StringVar(&o.Rules, "rules", "firestore.rules", "security rules for clients of Firestore; empty for none")
	flag.StringVar(&o.indexes, "indexes", "firestore.indexes.json", "declared indexes to check against; empty for no check")
	flag.StringVar(&o.project, "project", "demo-miramundo", "the project whose indexes are checked")
	flag.Parse()
	o.command = flag.Args()
	if *verbose {
		o.Log = os.Stderr
	}
	return o
}

// run returns the exit code of the program.
func run(ctx context.Context, o options) (code int, err error) {
	// The emulators run until the command has ended, which may be after ctx.
	e, err := emulator.Start(context.WithoutCancel(ctx), o.Options)
	if err != nil {
		return 1, err
	}
	defer func() {
		if stopErr := e.Stop(); stopErr != nil {
			code, err = 1, errors.Join(err, stopErr)
		}
	}()
	if len(o.command) == 0 {
		announce(os.Stdout, e)
		<-ctx.Done()
		return 0, nil
	}
	code, err = command(ctx, o.command, e.Env())
	if code == 0 && err == nil && o.indexes != "" {
		err = check(ctx, e.Firestore, o)
	}
	if err != nil && code == 0 {
		code = 1
	}
	return code, err
}

func announce(w io.Writer, e *emulator.Emulators) {
	for _, line := range e.Env() {
		fmt.Fprintln(w, "export", line)
	}
}

// command runs a program with additional environment variables, and returns its
// exit code.
func command(ctx context.Context, args, env []string) (int, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}

// check returns an error when an index that queries needed is not declared.
func check(ctx context.Context, host string, o options) error {
	declared, err := emulator.Declared(o.indexes)
	if err != nil {
		return err
	}
	needed, err := emulator.Needed(ctx, host, o.project)
	if err != nil {
		return err
	}
	return emulator.Missing(needed, declared)
}

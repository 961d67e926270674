// Dev runs the whole service on one machine, in one process: every function
// behind one address, the hop, the legacy player and the chat room behind theirs,
// the jobs on a local clock, the events, an origin with a channel that plays
// without any network, and a network of payments with test money.
//
// It says which catalog it serves and why, prints "ready" with its address when
// it answers searches, and stops cleanly on SIGTERM and on ctrl-C.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"miramundo.dev/shared/config"
)

// settings are what the flags say. What they leave open the environment says,
// by the names of shared/config, and then emulator.json.
type settings struct {
	layout    layout
	stackFile string
	data      string
	catalog   string
	backend   string
	seed      bool
	jobs      bool

	acceptLoss bool   // go on with what is left of damaged data
	backups    string // the folder of backups; empty is one in the data folder
	backupOnly bool   // make a backup, then stop
	restore    string // the backup to restore; empty restores nothing
}

func main() {
	s, err := parse(os.Args[1:], config.Environ(), os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		os.Exit(2) // the flag package has said why
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer context.AfterFunc(ctx, stop)() // a second signal ends the process at once
	if err := s.command()(ctx, s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "dev:", err)
		os.Exit(1)
	}
}

// command returns what the flags ask for.
func (s settings) command() func(context.Context, settings, io.Writer) error {
	switch {
	case s.restore != "":
		return restoreOnce
	case s.backupOnly:
		return backupOnce
	}
	return run
}

// parse reads the flags.
func parse(args []string, env map[string]string, out io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("dev", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&s.layout.gateway, "gateway", "", "host:port of the service; port 0 is any free one (default: of the file of -config)")
	f.StringVar(&s.layout.hop, "hop", "", "host:port of the stream hop (default: the port after the gateway's)")
	f.StringVar(&s.layout.legacy, "legacy", "", "host:port of the legacy player (default: two after)")
	f.StringVar(&s.layout.chatroom, "chatroom", "", "host:port of the chat room, which the gateway leads to (default: three after)")
	f.StringVar(&s.layout.origin, "origin", "", "host:port of the local test channel (default: four after)")
	f.StringVar(&s.layout.payments, "payments", "", "host:port of the local network of payments (default: five after)")
	f.StringVar(&s.stackFile, "config", "emulator.json", "file with the layout, the topics and the jobs")
	f.StringVar(&s.data, "data", cmp.Or(env["DATA_DIR"], ".data"), "folder that keeps documents and events (DATA_DIR)")
	f.StringVar(&s.catalog, "catalog", env["CATALOG"], "live, sample or a folder with files of the sources (CATALOG; default: live when it answers, else sample)")
	f.StringVar(&s.backend, "backend", cmp.Or(env["BACKEND"], "embedded"), "embedded, or emulators: the official ones of Firestore and Pub/Sub (BACKEND)")
	f.BoolVar(&s.jobs, "jobs", true, "run the jobs, which ask the origins of the catalog: each once at the start, then as often as the file of -config says")
	f.BoolVar(&s.seed, "seed", false, "load the catalog, then stop")
	f.BoolVar(&s.acceptLoss, "accept-loss", false, "go on with what is left when the data is damaged or incomplete; files that do not fit are renamed")
	f.StringVar(&s.backups, "backups", "", "folder of the backups (default: backups in the folder of -data)")
	f.BoolVar(&s.backupOnly, "backup", false, "make a backup of the data, also while a stack uses it, then stop")
	f.StringVar(&s.restore, "restore", "", "backup to restore into the folder of -data, which must have no data; then stop")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if f.NArg() > 0 {
		err := fmt.Errorf("unknown argument %q", f.Arg(0))
		fmt.Fprintln(out, err)
		return s, err
	}
	return s, nil
}

// Miramundo runs the whole service on one machine, in one process: the pages, the API,
// the stream hop, the chat rooms, the player of plain HTTP media, and the jobs. It
// stands behind a reverse proxy or has its own TLS. docs/self-hosting.md is its manual.
//
// Its settings are those of package config. The folder DATA_DIR keeps everything: the
// database, the secrets that the first start makes, certificates and backups.
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
	_ "time/tzdata" // guides name time zones, and a container without a system has none

	"miramundo.dev/miramundo/backup"
	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/miramundo/machine"
	"miramundo.dev/shared/config"
)

// options are what the flags say.
type options struct {
	version, check, health, backup, acceptLoss bool

	restore   string                 // the backup to restore; empty restores nothing
	temporary func(dir string) error // has temporary files made in a new folder; nil leaves them elsewhere
}

func main() {
	o, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		os.Exit(2) // the flag package has said why
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer context.AfterFunc(ctx, stop)() // a second signal ends the process at once
	if err := o.command()(ctx, o, config.Environ(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "miramundo:", err)
		os.Exit(1)
	}
}

// parse reads the flags.
func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("miramundo", flag.ContinueOnError)
	f.SetOutput(out)
	f.BoolVar(&o.version, "version", false, "print the version and stop")
	f.BoolVar(&o.check, "check", false, "check the settings and stop")
	f.BoolVar(&o.health, "health", false, "ask the service that runs with these settings how it is, and stop; the status is 0 when it is well")
	f.BoolVar(&o.backup, "backup", false, "make a backup of DATA_DIR, also while the service runs, and stop")
	f.StringVar(&o.restore, "restore", "", "restore a `backup` into DATA_DIR, which must have no data, and stop")
	f.BoolVar(&o.acceptLoss, "accept-loss", false, "go on with what is left when the data is damaged or incomplete; files that do not fit are renamed")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if given["restore"] && o.restore == "" { // such as an unset variable of a script
		err := errors.New("-restore must name a backup, such as /var/lib/miramundo/backups/2026-11-28T21-00-00.000Z")
		fmt.Fprintln(out, err)
		return o, err
	}
	if f.NArg() > 0 {
		err := fmt.Errorf("unknown argument %q: the settings are variables of the environment", f.Arg(0))
		fmt.Fprintln(out, err)
		return o, err
	}
	return o, nil
}

// A command is what the program does with its settings.
type command func(ctx context.Context, o options, vars map[string]string, out io.Writer) error

// command returns what the flags ask for.
func (o options) command() command {
	switch {
	case o.version:
		return printVersion
	case o.check:
		return checkOnce
	case o.health:
		return healthOnce
	case o.restore != "":
		return restoreOnce
	case o.backup:
		return backupOnce
	}
	return serve
}

// serve runs the service. Its temporary files are made in the data folder, since a
// container has no other place on disk.
func serve(ctx context.Context, o options, vars map[string]string, out io.Writer) error {
	o.temporary = func(dir string) error {
		return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700), os.Setenv("TMPDIR", dir))
	}
	return run(ctx, o, vars, out)
}

// checkOnce checks the settings.
func checkOnce(_ context.Context, _ options, vars map[string]string, out io.Writer) error {
	c, err := parseSettings(vars)
	if err == nil {
		fmt.Fprintf(out, "the settings are valid: %s, with its data in %s\n", c.BaseURL, c.DataDir)
	}
	return err
}

// backupOnce makes a backup of the data folder, which the service may use meanwhile.
func backupOnce(ctx context.Context, o options, vars map[string]string, out io.Writer) error {
	c, err := parseSettings(vars)
	if err != nil {
		return err
	}
	path, m, err := folder(c, o, nil, nil).Backup(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "backup %s: %d documents, %d events, read back and compared\n", path, m.Rows["documents"], m.Rows["events"])
	return nil
}

// restoreOnce restores a backup into a data folder without data.
func restoreOnce(ctx context.Context, o options, vars map[string]string, out io.Writer) error {
	c, err := parseSettings(vars)
	if err != nil {
		return err
	}
	m, err := backup.Restore(ctx, o.restore, c.DataDir)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "restored %s into %s: %d documents as of %s; start the service with DATA_DIR=%s\n",
		o.restore, c.DataDir, m.Rows["documents"], m.MadeAt.Format("2006-01-02 15:04:05 MST"), datafolder.Quote(c.DataDir))
	return nil
}

// parseSettings returns the settings, with the secrets that are in files.
func parseSettings(vars map[string]string) (config.Config, error) {
	if err := config.ReadSecretFiles(vars); err != nil {
		return config.Config{}, fmt.Errorf("settings:\n%w", err)
	}
	vars["BUILD"] = cmp.Or(vars["BUILD"], builtFrom().commit)
	return config.ParseMachine(vars)
}

// folder returns the data folder of the settings.
func folder(c config.Config, o options, say, warn func(string, ...any)) machine.Folder {
	return machine.Folder{
		Dir: c.DataDir, AcceptLoss: o.acceptLoss, Backups: c.BackupDir, Every: backupPeriod, Keep: c.BackupKeep, Say: say, Warn: warn,
		Remedy: func(backup string) string {
			return fmt.Sprintf("DATA_DIR=NEW miramundo -restore %s, then start the service with DATA_DIR=NEW", backup)
		},
	}
}

// Package container is what the mains of the containers share: settings, log, listener
// and parts, in the order in which a process opens and closes them.
package container

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"syscall"

	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
)

// A Container is an always-on process of the service.
type Container struct {
	Process   compose.Process
	GCPercent int // see [debug.SetGCPercent]

	// Serve answers on a listener until ctx is done, and then ends what it began. The
	// listener, the parts and the log stay the caller's.
	Serve func(ctx context.Context, l net.Listener, p *compose.Parts, log *slog.Logger) error
}

// Main runs a container with the settings of the environment until the platform asks it
// to stop, and exits with status 1 when it fails.
func Main(c Container) {
	if err := c.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (c Container) run() error {
	debug.SetGCPercent(c.GCPercent)
	settings, err := config.Load(func(config.Config) config.Requirement { return c.Process.Requirement() })
	if err != nil {
		return err
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	out := cloudlog.NewBuffer(os.Stdout)
	defer out.Close()
	log := slog.New(cloudlog.New(out, settings.LogLevel, settings.Project)).With("function", c.Process.Name, "build", settings.Build)
	slog.SetDefault(log)
	l, err := net.Listen("tcp", net.JoinHostPort(host(settings), strconv.Itoa(settings.Port)))
	if err != nil {
		return err
	}
	defer l.Close()
	follow, unfollow := context.WithCancel(context.Background())
	defer unfollow()
	parts, err := compose.Open(follow, compose.Options{Config: settings, Log: log}, c.Process)
	if err != nil {
		return err
	}
	err = c.Serve(stop, l, parts, log)
	unfollow()
	return errors.Join(err, parts.Close())
}

// host returns the address to listen on; empty means all.
func host(c config.Config) string {
	if c.Local {
		return "127.0.0.1"
	}
	return ""
}

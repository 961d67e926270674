// Package container is what the mains of the service share: settings, log, parts and
// listener, in the order in which a process opens and closes them, and the bounds of its
// connections.
package container

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"

	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
)

// A Container is a program that answers requests until it is asked to stop.
type Container struct {
	Process   compose.Process
	Several   bool               // Process is of several functions, each of which names itself in its records of the log
	Schedules []compose.Schedule // the jobs that the part Jobs runs
	GCPercent int                // see [debug.SetGCPercent]; 0 leaves it as it is
	GCBytes   int                // by which the heap grows at least from one collection to the next; needs GCPercent

	// Serve answers on a listener until ctx is done, and then ends what it began. The
	// listener, the parts and the log stay the caller's.
	Serve func(ctx context.Context, l net.Listener, p *compose.Parts, log *slog.Logger) error
}

// Main runs a container with the settings of the environment until the platform asks it
// to stop, and exits with status 1 when it fails.
func Main(c Container) {
	MainOf(
		func(config.Config) config.Requirement { return c.Process.Requirement() },
		func(config.Config) (Container, error) { return c, nil },
	)
}

// MainOf is Main for the container that choose returns for the settings, which must
// have what required returns for them.
func MainOf(required func(config.Config) config.Requirement, choose func(config.Config) (Container, error)) {
	if err := run(required, choose); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(required func(config.Config) config.Requirement, choose func(config.Config) (Container, error)) error {
	settings, err := config.Load(required)
	if err != nil {
		return err
	}
	c, err := choose(settings)
	if err != nil {
		return err
	}
	return c.run(settings)
}

// run opens the parts before it listens, so that the platform sends no request to a
// process that may still fail to start.
func (c Container) run(settings config.Config) error {
	if c.GCPercent > 0 {
		defer collect(c.GCPercent, c.GCBytes)()
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	out := cloudlog.NewBuffer(os.Stdout)
	defer out.Close()
	log := slog.New(cloudlog.New(out, settings.LogLevel, settings.Project)).With("build", settings.Build)
	if !c.Several {
		log = log.With("function", c.Process.Name)
	}
	cloudlog.SetDefault(log)
	follow, unfollow := context.WithCancel(context.Background())
	defer unfollow()
	parts, err := compose.Open(follow, compose.Options{Config: settings, Log: log, Schedules: c.Schedules}, c.Process)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host(settings), strconv.Itoa(settings.Port)))
	if err != nil {
		return errors.Join(err, parts.Close())
	}
	defer l.Close()
	hide, err := showMetrics(settings, parts.Metrics, log)
	if err != nil {
		return errors.Join(err, parts.Close())
	}
	err = c.Serve(stop, l, parts, log)
	unfollow()
	return errors.Join(err, hide(), parts.Close())
}

// collect has the heap grow by a percentage between two collections, and by at least
// some bytes, until end is called. A process whose heap is small would otherwise collect
// after every few hundred requests.
//
// The runtime has no such setting. Memory that is counted and never touched has its
// effect: the system gives no page for it, and the collector does not look into it. It
// counts against GOMEMLIMIT, with four times the bytes for a percentage of 25.
func collect(percent, bytes int) (end func()) {
	before := debug.SetGCPercent(percent)
	ballast := make([]byte, bytes*100/percent)
	return func() {
		runtime.KeepAlive(ballast)
		debug.SetGCPercent(before)
	}
}

// host returns the address to listen on; empty means all.
func host(c config.Config) string {
	if c.Local {
		return "127.0.0.1"
	}
	return ""
}

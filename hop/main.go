// Hop is the container of the stream hop: it fetches the playlists of streams
// from their origins and rewrites them so that players need nothing else of
// the service, but for the media, which they take from the origins themselves.
//
// Its settings are those of package config; HOP_TICKET_KEYS is required. By default
// it serves the catalog that `make seed` keeps in .data.
package main

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
	"time"

	"miramundo.dev/hop/server"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
)

// closeTime is how long the last events may take to be published, after the
// last request.
const closeTime = 1500 * time.Millisecond

// gcPercent lets the heap grow by a quarter between collections. Nearly all of it is
// copies of playlists, which hold no pointers: collecting is cheap, and memory
// is what a hop runs out of first.
const gcPercent = 25

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	debug.SetGCPercent(gcPercent)
	c, err := config.Load(func(config.Config) config.Requirement { return server.Process.Requirement() })
	if err != nil {
		return err
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	out := cloudlog.NewBuffer(os.Stdout)
	defer out.Close()
	log := slog.New(cloudlog.New(out, c.LogLevel, c.Project)).With("function", "hop", "build", c.Build)
	slog.SetDefault(log)
	l, err := net.Listen("tcp", net.JoinHostPort(host(c), strconv.Itoa(c.Port)))
	if err != nil {
		return err
	}
	defer l.Close()
	follow, unfollow := context.WithCancel(context.Background())
	defer unfollow()
	parts, err := compose.Open(follow, compose.Options{Config: c, Log: log}, server.Process)
	if err != nil {
		return err
	}
	hop := server.Assemble(c, log, server.Parts{
		DB: parts.DB, Bus: parts.Bus, Catalog: parts.Catalog, Access: parts.Access, Till: parts.Till, Followers: parts.Followers,
	})
	err = server.Serve(stop, l, hop, log)
	unfollow()
	within, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	return errors.Join(err, hop.Close(within), parts.Close())
}

// host returns the address to listen on; empty means all.
func host(c config.Config) string {
	if c.Local {
		return "127.0.0.1"
	}
	return ""
}

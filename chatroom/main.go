// Chatroom is the container of the chat: it keeps the sockets of the rooms, for as long
// as an hour each.
//
// Its settings are those of package config; GUEST_KEYS and ACCOUNT_KEYS are required. By
// default it serves the catalog that `make seed` keeps in .data.
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

	"miramundo.dev/chatroom/server"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
)

// gcPercent lets the heap grow by half between collections. Memory is what limits the
// number of sockets; an idle socket makes no garbage, so collections are rare.
const gcPercent = 50

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
	log := slog.New(cloudlog.New(out, c.LogLevel, c.Project)).With("function", "chatroom", "build", c.Build)
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
	s := server.Assemble(c, log, parts)
	err = server.Serve(stop, l, s, log)
	s.Close()
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

// Serve runs the function named by FUNCTION_TARGET: the program of every
// deployed function. The settings are those of package config.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
	framework "github.com/GoogleCloudPlatform/functions-framework-go/functions"

	"miramundo.dev/functions"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
)

// grace is how long requests under way may take after SIGTERM: the platform
// ends the process after ten seconds.
const grace = 8 * time.Second

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	c, err := config.Load(requirement)
	if err != nil {
		return err
	}
	f, err := find(c.Target)
	if err != nil {
		return err
	}
	log := slog.New(cloudlog.New(os.Stdout, c.LogLevel, c.Project)).With("function", f.Name, "build", c.Build)
	slog.SetDefault(log)
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	follow, unfollow := context.WithCancel(context.Background())
	defer unfollow()
	parts, err := compose.Open(follow, compose.Options{Config: c, Log: log, Schedules: functions.Schedules()}, f.Declared())
	if err != nil {
		return err
	}
	h, err := f.Handler(parts)
	if err != nil {
		return errors.Join(err, parts.Close())
	}
	var d drain
	framework.HTTP(f.Name, d.wrap(h))
	failed := make(chan error, 1)
	go func() { failed <- funcframework.StartHostPort(host(c), strconv.Itoa(c.Port)) }()
	select {
	case err = <-failed:
	case <-stop.Done():
		if !d.wait(grace) {
			log.Warn("stopped with requests under way")
		}
	}
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

// requirement returns the settings that the function of c requires, so that one
// message names them with whatever else is missing.
func requirement(c config.Config) config.Requirement {
	f, _ := functions.Find(c.Target)
	return f.Requirement()
}

// find returns the function with a name. The framework would start without
// one, and answer nothing.
func find(name string) (functions.Function, error) {
	if f, ok := functions.Find(name); ok {
		return f, nil
	}
	var names []string
	for _, f := range functions.All() {
		names = append(names, f.Name)
	}
	return functions.Function{}, fmt.Errorf("FUNCTION_TARGET is %q, and the functions are %q", name, names)
}

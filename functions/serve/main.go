// Serve runs the function named by FUNCTION_TARGET: the program of every
// deployed function. The settings are those of package config.
//
// It keeps the contract of functions-framework-go (FUNCTION_TARGET and PORT, one
// function a process) and not its server, which has no time limits and cannot be given
// any: a client that never ends a header would hold its connection for ever.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"miramundo.dev/functions"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/container"
)

func main() { container.MainOf(requirement, program) }

// bounds are those of the connections of every function.
var bounds = container.Bounds{
	Header:      10 * time.Second,
	Read:        30 * time.Second,
	Pace:        container.Pace{First: 30 * time.Second, Rate: 8 << 10}, // bytes a second, below which no page is of use
	Idle:        620 * time.Second,                                      // load balancers keep a connection for 600 s, and must close it first
	HeaderBytes: 32 << 10,
	Connections: 4096,
	Grace:       8 * time.Second, // the platform ends the process after ten seconds
}

// requirement returns the settings that the function of c requires, so that one
// message names them with whatever else is missing.
func requirement(c config.Config) config.Requirement {
	f, _ := functions.Find(c.Target)
	return f.Requirement()
}

// program returns the container of the function that the settings name.
func program(c config.Config) (container.Container, error) {
	f, err := find(c.Target)
	if err != nil {
		return container.Container{}, err
	}
	return container.Container{
		Process:   f.Declared(),
		Schedules: functions.Schedules(),
		Serve: func(ctx context.Context, l net.Listener, p *compose.Parts, log *slog.Logger) error {
			h, err := f.Handler(p)
			if err != nil {
				return err
			}
			return bounds.Serve(ctx, l, h, log)
		},
	}, nil
}

// find returns the function with a name.
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

// Serve runs the function named by FUNCTION_TARGET, or several whose names are separated
// by commas: the program of every deployed function. The settings are those of package
// config.
//
// It keeps the contract of functions-framework-go (FUNCTION_TARGET and PORT) and not its
// server, which has no time limits and cannot be given any: a client that never ends a
// header would hold its connection for ever.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
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

// requirement returns the settings that the functions of c require, so that one
// message names them with whatever else is missing.
func requirement(c config.Config) config.Requirement {
	g, err := functions.Together(strings.Split(c.Target, ",")...)
	if err != nil {
		return config.Requirement{} // program returns the error
	}
	return g.Requirement()
}

// program returns the container of the functions that the settings name.
func program(c config.Config) (container.Container, error) {
	g, err := functions.Together(strings.Split(c.Target, ",")...)
	if err != nil {
		return container.Container{}, fmt.Errorf("FUNCTION_TARGET is %q: %w", c.Target, err)
	}
	return container.Container{
		Process:   g.Declared(),
		Several:   len(g) > 1,
		Schedules: functions.Schedules(),
		Serve: func(ctx context.Context, l net.Listener, p *compose.Parts, log *slog.Logger) error {
			h, err := g.Handler(p)
			if err != nil {
				return err
			}
			return bounds.Serve(ctx, l, h, log)
		},
	}, nil
}

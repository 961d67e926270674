// Package check holds the model against the local stack: real requests, and the documents
// and bytes that the stack's metrics count.
//
//	stack.go    the local stack as a process
//	counts.go   what its metrics say
//	day.go      what people do on a day, squeezed into a minute
//	people.go   their requests
//	replay.go   sending them
//	predict.go  what the model expects of the same day
//	compare.go  the bills beside each other
//	queue.go    a part that is loaded until it is full
//	measure.go  what one call of each kind takes
package check

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"time"

	"miramundo.dev/scripts/localstack"
	"miramundo.dev/scripts/players/container"
)

// addressHeader is the header in which a request says from where it comes, as the edge of
// a deployment does.
const addressHeader = "X-Scale-Address"

// patience is how long the stack may take to start, to settle and to stop.
const patience = 60 * time.Second

// A Stack is a running local stack on the sample catalog, with an empty database. It runs
// on one processor, so that its time is that of a small instance.
type Stack struct {
	URL     string // of the service
	metrics string

	dir   string
	stack *localstack.Stack
}

// Start builds and starts a stack. It must be closed.
func Start(ctx context.Context) (s *Stack, err error) {
	s = &Stack{}
	if s.dir, err = os.MkdirTemp("", "scale"); err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Stack) start(ctx context.Context) error {
	program, err := container.Build(ctx, s.dir, "scripts/dev")
	if err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	s.metrics = "http://127.0.0.1:" + port
	s.stack, err = localstack.Start(ctx, localstack.Options{
		Program: program, Ready: patience, Stop: patience,
		Args: []string{"-gateway", "127.0.0.1:0", "-catalog", "sample", "-data", filepath.Join(s.dir, "data"), "-jobs=false"},
		Env: []string{
			"METRICS_PORT=" + port, "EDGE_ADDRESS_HEADER=" + addressHeader, "BUDGET_FACTOR=1000000", "GUEST_BURST=100000", "GOMAXPROCS=1",
		},
	})
	if err == nil {
		s.URL = s.stack.URL
	}
	return err
}

// Close stops the stack and removes its data.
func (s *Stack) Close() error {
	var errs []error
	if s.stack != nil {
		errs = append(errs, s.stack.Stop())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// freePort returns a port on which nothing listens at the moment.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

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
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

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
	cmd   *exec.Cmd
	ended chan error
	said  lockedBuffer
}

// Start builds and starts a stack. It must be closed.
func Start(ctx context.Context) (s *Stack, err error) {
	s = &Stack{ended: make(chan error, 1)}
	if s.dir, err = os.MkdirTemp("", "scale"); err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Close(), errors.New(s.said.String()))
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
	s.cmd = exec.CommandContext(ctx, program, "-gateway", "127.0.0.1:0", "-catalog", "sample", "-data", filepath.Join(s.dir, "data"), "-jobs=false")
	s.cmd.Env = append(s.cmd.Environ(),
		"METRICS_PORT="+port, "EDGE_ADDRESS_HEADER="+addressHeader, "BUDGET_FACTOR=1000000", "GUEST_BURST=100000", "GOMAXPROCS=1")
	s.cmd.Stderr = &s.said
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	lines, w := io.Pipe()
	s.cmd.Stdout = w
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ready := make(chan string, 1)
	go s.read(lines, ready)
	go func() {
		s.ended <- s.cmd.Wait()
		_ = w.Close() // never fails
	}()
	select {
	case s.URL = <-ready:
		return nil
	case err := <-s.ended:
		s.ended <- err
		return fmt.Errorf("the stack ended: %w", err)
	case <-time.After(patience):
		return errors.New("the stack is not ready")
	}
}

// read reads what the stack prints, and sends its address once it is ready.
func (s *Stack) read(from io.Reader, ready chan<- string) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		fmt.Fprintln(&s.said, lines.Text())
		if address, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			address, _, _ = strings.Cut(address, " ")
			ready <- address
		}
	}
}

// Close stops the stack and removes its data.
func (s *Stack) Close() error {
	var errs []error
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(syscall.SIGTERM) // an error means that it has ended
		select {
		case err := <-s.ended:
			errs = append(errs, err)
		case <-time.After(patience):
			errs = append(errs, errors.New("the stack did not stop"), s.cmd.Process.Kill())
		}
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

// A lockedBuffer takes what the stack prints to both of its outputs.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write appends to the buffer.
func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns what was printed.
func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Package localstack starts the local stack in a process of its own, for programs that
// call it from outside.
package localstack

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"miramundo.dev/scripts/emulators/emulator"
)

// Options say how the stack is started.
type Options struct {
	Program string        // of scripts/dev, as it was built
	Args    []string      // flags of the stack
	Env     []string      // variables, beside those of this process
	Ready   time.Duration // how long it may take until it is ready
	Stop    time.Duration // how long it may take to stop
}

// A Stack is the local stack while it runs.
type Stack struct {
	URL  string // of the gateway
	Said *Log   // everything that it prints

	cmd   *exec.Cmd
	stop  time.Duration
	ended chan struct{} // closed when it has ended
	err   error         // how it ended
}

// Start starts the stack and returns when it says that it is ready. It is stopped by
// [Stack.Stop], and when ctx is done.
func Start(ctx context.Context, o Options) (*Stack, error) {
	s := &Stack{Said: &Log{}, stop: o.Stop, ended: make(chan struct{})}
	s.cmd = exec.CommandContext(ctx, o.Program, o.Args...)
	s.cmd.Env = append(s.cmd.Environ(), o.Env...)
	s.cmd.Stderr = s.Said
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	emulator.Tie(s.cmd) // a program that is killed leaves no stack behind
	lines, w := io.Pipe()
	s.cmd.Stdout = w
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	ready := make(chan string, 1)
	go s.read(lines, ready)
	go func() {
		s.err = s.cmd.Wait()
		close(s.ended)
		_ = w.Close()
	}()
	select {
	case s.URL = <-ready:
		return s, nil
	case <-s.ended:
		return nil, fmt.Errorf("the stack ended: %w:\n%s", s.err, s.Said)
	case <-time.After(o.Ready):
		return nil, errors.Join(fmt.Errorf("the stack is not ready after %s:\n%s", o.Ready, s.Said), s.Stop())
	}
}

// read reads what the stack prints, and sends its address once it is ready.
func (s *Stack) read(from io.Reader, ready chan<- string) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		_, _ = s.Said.Write(append(lines.Bytes(), '\n'))
		if address, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			address, _, _ = strings.Cut(address, " ")
			select {
			case ready <- address:
			default: // it said so before
			}
		}
	}
}

// Value returns the word after a text in what the stack has printed; empty when it has
// not printed the text.
func (s *Stack) Value(after string) string {
	_, rest, _ := strings.Cut(s.Said.String(), after)
	value, _, _ := strings.Cut(strings.TrimLeft(rest, " "), "\n")
	value, _, _ = strings.Cut(value, " ")
	return strings.TrimRight(value, ",")
}

// Ended is closed when the stack has ended.
func (s *Stack) Ended() <-chan struct{} { return s.ended }

// lastWords is how much of what the stack printed last is in the error of Stop, in bytes.
const lastWords = 2000

// Stop stops the stack, and kills it when it takes too long. It returns how it ended.
func (s *Stack) Stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // an error means that it has ended
	select {
	case <-s.ended:
		if s.err != nil {
			said := s.Said.String()
			return fmt.Errorf("the stack ended: %w:\n%s", s.err, said[max(0, len(said)-lastWords):])
		}
		return nil
	case <-time.After(s.stop):
		err := s.cmd.Process.Kill()
		<-s.ended
		return errors.Join(errors.New("the stack did not stop"), err)
	}
}

// A Log takes what several processes print. The zero value is empty.
type Log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write appends to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns what was printed.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

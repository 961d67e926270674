// Package killtest runs a test in a process of its own and kills that process, to
// prove what a write promises when the power fails.
//
// The test calls [Child] first. In the process that `go test` started, Child
// reports false, and the test calls [Run] as often as it likes: each call starts
// the test binary again, with the same test alone. In that process Child reports
// true: the test does its work without end there, and reports its progress by
// [Say]. Run hears every line, decides by them when to kill the process with
// SIGKILL, and returns when it is gone:
//
//	func TestKilled(t *testing.T) {
//		if args, ok := killtest.Child(t); ok {
//			writeForever(t, args[0])
//		}
//		for range 20 {
//			last := ""
//			killtest.Run(t, killtest.Plan{Args: []string{file}, Hear: func(line string) bool { last = line; return true }})
//			checkKept(t, file, last)
//		}
//	}
//
// The temporary folder of a child is within that of the test, which removes what
// the child leaves behind.
package killtest

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// childArg is the first argument of a child, before the name of the test that it
// runs and the arguments of its Plan. No other test of the binary takes them for
// its own.
const childArg = "killtest"

// prefix marks the lines of Say among those of the testing package.
const prefix = "killtest: "

// A Plan says what a child gets and when it dies.
type Plan struct {
	Args  []string // what Child returns in the child
	Input []byte   // what the child's standard input holds; more never comes, but the input does not end

	// Hear is called with each line that the child says, in order, also with those
	// that it said before it was gone. The kill is due when Hear first returns
	// true; what it returns later does not matter.
	Hear func(line string) (kill bool)

	// After is how long the child lives on when the kill is due.
	After time.Duration

	// MayEnd allows the child to end by itself, without an error. Otherwise a child
	// that was not killed fails the test.
	MayEnd bool
}

// Child reports whether this process is a child of t, and returns the arguments
// of the Plan.
func Child(t *testing.T) (args []string, ok bool) { return childOf(t.Name(), flag.Args()) }

func childOf(test string, given []string) (args []string, ok bool) {
	if len(given) < 2 || given[0] != childArg || given[1] != test {
		return nil, false
	}
	return given[2:], true
}

// Say writes a line to the process that runs the child. It is safe for concurrent
// use: a line is one write.
func Say(args ...any) {
	if _, err := io.WriteString(os.Stdout, prefix+fmt.Sprintln(args...)); err != nil {
		os.Exit(1) // nobody is there who would end the child
	}
}

// Run runs one child of t as p says, and returns when it is gone.
func Run(t *testing.T, p Plan) {
	t.Helper()
	if err := run(t, p); err != nil {
		t.Fatal(err)
	}
}

// run is Run, and returns an error for a child that ended in another way than p
// says.
func run(t *testing.T, p Plan) error {
	t.Helper()
	cmd, in, out := start(t, p)
	defer in.Close()
	due, rest := false, ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line, said := strings.CutPrefix(lines.Text(), prefix)
		if !said {
			rest += line + "\n"
			continue
		}
		if p.Hear(line) && !due {
			due = true
			defer time.AfterFunc(p.After, func() { _ = cmd.Process.Kill() }).Stop() // it fails when the child has ended
		}
	}
	err := cmd.Wait()
	if wasKilled(err) && due || err == nil && p.MayEnd {
		return nil
	}
	return errors.Join(fmt.Errorf("the child ended by itself and printed:\n%s", rest), err)
}

// start starts the child of p.
func start(t *testing.T, p Plan) (cmd *exec.Cmd, in io.WriteCloser, out io.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-test.run=^" + t.Name() + "$", "-test.count=1", "--", childArg, t.Name()}, p.Args...)
	cmd = exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(cmd.Environ(), "TMPDIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	if out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(p.Input); err != nil && !errors.Is(err, syscall.EPIPE) {
		t.Fatal(err) // it may have ended already
	}
	return cmd, in, out
}

// wasKilled reports whether err says that a process ended by SIGKILL.
func wasKilled(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

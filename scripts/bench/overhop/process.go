package overhop

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"miramundo.dev/scripts/bench/process"
)

// childFlag, as the first argument, makes a process serve as the ceiling.
const childFlag = "serve-as-ceiling"

// Child serves as the ceiling, and does not return, in a process that was started
// for it. Main must call it first; in any other process it does nothing.
func Child() {
	if len(os.Args) != 3 || os.Args[1] != childFlag {
		return
	}
	fmt.Fprintln(os.Stderr, serveCeiling(os.Args[2]))
	os.Exit(1)
}

// An answer is a recorded response of the hop, which the ceiling sends to every
// request.
type answer struct {
	Header http.Header
	Body   []byte
}

// serveCeiling serves the answers in the files of dir, at their names.
func serveCeiling(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var a answer
		if err := json.Unmarshal(data, &a); err != nil {
			return err
		}
		mux.Handle("/"+strings.TrimSuffix(filepath.Base(name), ".json"), a)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { // standard input is a pipe from the parent, and ends with it
		_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end too
		os.Exit(0)
	}()
	fmt.Println(l.Addr())
	return http.Serve(l, mux)
}

// ServeHTTP sends the bytes with as little work as net/http allows.
func (a answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	for name, values := range a.Header {
		h[name] = values
	}
	w.Write(a.Body)
}

// save writes a into a file that serveCeiling reads.
func (a answer) save(dir, name string) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".json"), data, 0o600)
}

// startCeiling starts a process that serves the answers in dir until ctx ends.
func startCeiling(ctx context.Context, dir string) (base string, pid int, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", 0, err
	}
	cmd := exec.CommandContext(ctx, self, childFlag, dir)
	cmd.Env = append(cmd.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // stays open until this process ends
		return "", 0, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", 0, err
	}
	if err := cmd.Start(); err != nil {
		return "", 0, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return "", 0, fmt.Errorf("the ceiling did not start: %w", err)
	}
	go func() { _ = cmd.Wait() }() // it ends with ctx, and its status does not matter
	return "http://" + strings.TrimSpace(line), cmd.Process.Pid, process.Pin(cmd.Process.Pid, 0)
}

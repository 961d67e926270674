// Package ceiling serves recorded answers of the hop with as little work as net/http
// allows: nothing that is written with net/http can be faster.
package ceiling

import (
	"bufio"
	"compress/gzip"
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
	fmt.Fprintln(os.Stderr, serve(os.Args[2]))
	os.Exit(1)
}

// An Answer is a recorded response of the hop, which the ceiling sends to every
// request.
type Answer struct {
	Header http.Header
	Body   []byte
}

// serve serves the answers in the files of dir, at their names.
func serve(dir string) error {
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
		var a Answer
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
func (a Answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	for name, values := range a.Header {
		h[name] = values
	}
	w.Write(a.Body)
}

// Bare returns a without the headers that a plain handler would not send.
func (a Answer) Bare() Answer {
	bare := Answer{Header: http.Header{}, Body: a.Body}
	for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding"} {
		if values := a.Header.Values(name); len(values) > 0 {
			bare.Header[name] = values
		}
	}
	return bare
}

// Save writes a into a file that serve reads.
func (a Answer) Save(dir, name string) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".json"), data, 0o600)
}

// Start starts a process that serves the answers in dir until ctx ends.
func Start(ctx context.Context, dir string) (base string, pid int, err error) {
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

// Fetch returns the answer of a server with its body as it was sent, not unpacked.
func Fetch(ctx context.Context, address, accept string) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return Answer{}, err
	}
	req.Header.Set("Accept-Encoding", accept)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return Answer{}, err
	}
	if res.StatusCode != http.StatusOK {
		return Answer{}, fmt.Errorf("%s: %s: %.200s", address, res.Status, body)
	}
	if accept == "gzip" {
		if _, err := gzip.NewReader(strings.NewReader(string(body))); err != nil {
			return Answer{}, fmt.Errorf("%s: asked for gzip: %w", address, err)
		}
	}
	res.Header.Del("Date") // the server writes its own
	return Answer{res.Header, body}, nil
}

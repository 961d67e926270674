package overhttp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"miramundo.dev/functions/catalog"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/bus"
	model "miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/usage"
	"miramundo.dev/shared/usage/edge"
)

// childFlag, as the first argument, makes a process serve.
const childFlag = "serve-over-http"

// Child serves, and does not return, in a process that was started for it. Main
// must call it first; in any other process it does nothing.
func Child() {
	if len(os.Args) != 4 || os.Args[1] != childFlag {
		return
	}
	if err := serve(os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(kind, file string) error {
	runtime.GOMAXPROCS(1)
	if err := pin(0); err != nil {
		return err
	}
	makers := map[string]func(string) (http.Handler, error){
		"ceiling": func(file string) (http.Handler, error) { return newCeiling(file, false) },
		"headers": func(file string) (http.Handler, error) { return newCeiling(file, true) },
		"service": newService, "counting": newCounting,
	}
	h, err := makers[kind](file)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { // standard input is a pipe from the parent, and ends with it
		_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end too
		os.Exit(0)
	}()
	runtime.GC()
	fmt.Println(l.Addr())
	return http.Serve(l, h)
}

// pin restricts the process to one core, when there is more than one.
func pin(core int) error {
	if runtime.NumCPU() < 2 {
		return nil
	}
	var set unix.CPUSet
	set.Set(core)
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			return err
		}
		if err := unix.SchedSetaffinity(id, &set); err != nil {
			return fmt.Errorf("pin to core %d: %w", core, err)
		}
	}
	return nil
}

// newCeiling returns a handler that sends the bodies in file with as little work as
// net/http allows: with their media type alone, or with all headers that the service
// sends.
func newCeiling(file string, headers bool) (http.Handler, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	answers, err := readAnswers(data)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := answers[r.URL.RequestURI()]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if headers {
			maps.Copy(w.Header(), a.header)
		} else {
			w.Header()["Content-Type"] = jsonType
		}
		w.Write(a.body)
	}), err
}

var jsonType = []string{"application/json"}

// newService returns the handler of the function catalog, as it is deployed, on the
// snapshot in file, without the counting of its use.
func newService(file string) (http.Handler, error) {
	view, err := open(file)
	if err != nil {
		return nil, err
	}
	return service(view, nil)
}

// newCounting returns the same handler, which counts its use.
func newCounting(file string) (http.Handler, error) {
	view, err := open(file)
	if err != nil {
		return nil, err
	}
	return service(view, counting())
}

// open returns the catalog of the snapshot in file.
func open(file string) (fixed, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return fixed{}, err
	}
	ix, err := index.Decode(data)
	if err != nil {
		return fixed{}, err
	}
	return fixed{index.NewView(ix, index.Overlay{}, links)}, nil
}

var links = model.LinkBase{Base: "https://miramundo.example", Hop: "https://hop.miramundo.example", Legacy: "https://legacy.miramundo.example"}

// service returns the handler of the function catalog, as it is deployed.
func service(view fixed, count func(*request.Call)) (http.Handler, error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	log := slog.New(cloudlog.New(null, slog.LevelInfo, "demo"))
	return request.Handler(request.Options{Log: log, Count: count}, catalog.New(catalog.Options{Catalog: view, Links: links, Now: time.Now}), catalog.Endpoints), nil
}

// counting returns what counts the use of the service. What it counts goes nowhere, as
// it would once a minute.
func counting() func(*request.Call) {
	meter := usage.NewMeter(usage.Options{Bus: nowhere{}, People: identity.NewPeople(nil)})
	surfaces := edge.Surfaces{}
	for _, e := range catalog.Endpoints {
		surfaces[e.Pattern()] = usage.API
	}
	return edge.Count(meter, surfaces)
}

// nowhere is a bus that loses what is published.
type nowhere struct{ bus.Bus }

// Publish accepts events.
func (nowhere) Publish(context.Context, string, ...bus.Event) error { return nil }

// fixed is a catalog whose view never changes.
type fixed struct{ view *index.View }

func (f fixed) View() (*index.View, error) { return f.view, nil }
func (f fixed) Synced() (time.Time, bool)  { return time.Now(), true }

// An answer is what the service answered to one target.
type answer struct {
	header http.Header
	body   []byte
}

// An answerWriter writes targets, headers in JSON and bodies, each after its length.
type answerWriter struct{ w *bufio.Writer }

func (a answerWriter) write(target string, header http.Header, body []byte) error {
	fields, err := json.Marshal(header)
	if err != nil {
		return err
	}
	for _, part := range [][]byte{[]byte(target), fields, body} {
		if _, err := a.w.Write(append(binary.AppendUvarint(nil, uint64(len(part))), part...)); err != nil {
			return err
		}
	}
	return nil
}

func readAnswers(data []byte) (map[string]answer, error) {
	answers := map[string]answer{}
	for len(data) > 0 {
		var parts [3][]byte
		for i := range parts {
			n, size := binary.Uvarint(data)
			if size <= 0 || uint64(len(data)-size) < n {
				return nil, errors.New("the file of answers ends within one")
			}
			parts[i], data = data[size:size+int(n)], data[size+int(n):]
		}
		a := answer{body: parts[2]}
		if err := json.Unmarshal(parts[1], &a.header); err != nil {
			return nil, err
		}
		answers[string(parts[0])] = a
	}
	return answers, nil
}

// A server is a child process that answers at addr.
type server struct {
	name     string
	args     []string
	encoding string  // that the client accepts; empty for none
	ceiling  *server // what it is compared with; nil for a ceiling itself
	goal     *report.Goal
	fresh    bool // no address is asked for twice: each page differs, by the address of the next one
	asked    atomic.Int64
	addr     string
	cmd      *exec.Cmd
	stdin    io.Closer
}

func (s *server) start(ctx context.Context) error {
	s.cmd = exec.CommandContext(ctx, os.Args[0], append([]string{childFlag}, s.args...)...)
	var stderr bytes.Buffer
	s.cmd.Stderr = &stderr
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.stdin = stdin
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		s.stop()
		return fmt.Errorf("%s did not start: %w: %s", s.name, err, &stderr)
	}
	s.addr = strings.TrimSpace(line)
	return nil
}

func (s *server) stop() {
	s.stdin.Close()
	_ = s.cmd.Wait() // it ends with its input
}

// cpu returns the CPU time of the server.
func (s *server) cpu() (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// After the name in brackets: state is field 3, utime 14, stime 15.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	var user, system int64
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		return 0, err
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100
	return time.Duration(user+system) * tick, nil
}

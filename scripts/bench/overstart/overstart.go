// Package overstart measures how each function, and the hop, starts as a process
// of its own: the time to its first answer, its memory, and what it follows;
// with a database that has a catalog, and with one that cannot be reached.
package overstart

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/functions"
	"miramundo.dev/hop/server"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/compose"
)

// A start is what one start of a process took.
type start struct {
	first     time.Duration // from the start of the process to its first answer
	rss       int           // of the process then, in MiB
	following int           // subjects that it keeps up to date
}

// limit says what limits the figures.
const limit = `Starting a Go program of this size takes some tens of milliseconds. A process that shows the catalog also loads the snapshot
before its first answer.`

// Run starts each process runs times over the database in dataDir, and as often
// without a database, and adds the medians to t.
func Run(ctx context.Context, t *report.Report, dataDir string, runs int) error {
	dir, err := os.MkdirTemp("", "overstart")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	build := exec.CommandContext(ctx, "go", "build", "-o", dir, "./functions/serve", "./hop")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	t.Title("Start of each process")
	t.Limit(limit)
	t.Head("process", "first answer", "RSS MiB", "follows", "first answer without database", "opens")
	for _, p := range processes() {
		with, err := median(ctx, runs, filepath.Join(dir, p.program), append(p.settings, "DATA_DIR="+dataDir))
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		without, err := median(ctx, runs, filepath.Join(dir, p.program), append(p.settings, unreachable...))
		if err != nil {
			return fmt.Errorf("%s without a database: %w", p.Name, err)
		}
		t.Row(p.Name, round(with.first).String(), fmt.Sprint(with.rss), fmt.Sprint(with.following), round(without.first).String(), opens(p.Process))
	}
	return nil
}

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

func opens(p compose.Process) string {
	var names []string
	for _, n := range compose.Expand(p.Needs...) {
		names = append(names, string(n))
	}
	if names == nil {
		return "nothing"
	}
	return strings.Join(names, " ")
}

// A process is one program of the deployment with the settings that it needs.
type process struct {
	compose.Process
	program  string
	settings []string
}

func processes() (all []process) {
	for _, f := range functions.All() {
		all = append(all, process{f.Declared(), "serve", append(secrets(f.Requirement().Settings), "FUNCTION_TARGET="+f.Name)})
	}
	return append(all, process{server.Process, "hop", secrets(server.Process.Secrets)})
}

// secrets returns values of the secrets that a process requires.
func secrets(names []string) (settings []string) {
	for _, name := range names {
		alternatives := strings.Split(name, "|")
		settings = append(settings, alternatives[len(alternatives)-1]+"=a-secret-of-a-measurement-on-this-machine")
	}
	return settings
}

// unreachable names a database at ports that nobody listens on.
var unreachable = []string{
	"BACKEND=emulators", "GOOGLE_CLOUD_PROJECT=demo-unreachable",
	"FIRESTORE_EMULATOR_HOST=127.0.0.1:1", "PUBSUB_EMULATOR_HOST=127.0.0.1:1",
}

// median starts a program runs times, and returns the median of each figure.
func median(ctx context.Context, runs int, program string, settings []string) (start, error) {
	var times []time.Duration
	var sizes []int
	var last start
	for range runs {
		var err error
		if last, err = once(ctx, program, settings); err != nil {
			return start{}, err
		}
		times, sizes = append(times, last.first), append(sizes, last.rss)
	}
	slices.Sort(times)
	slices.Sort(sizes)
	return start{times[runs/2], sizes[runs/2], last.following}, nil
}

// once starts a program and stops it after its first answer.
func once(ctx context.Context, program string, settings []string) (s start, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return s, err
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	if err := l.Close(); err != nil {
		return s, err
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append([]string{"LOCAL_ONLY=true", "LOG_LEVEL=error", "PORT=" + port}, settings...)
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return s, err
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}()
	answer, err := firstAnswer(ctx, "http://127.0.0.1:"+port+request.ReadyPath)
	if err != nil {
		return s, err
	}
	s.first, s.following = time.Since(began), answer.Following
	s.rss, err = residentMiB(cmd.Process.Pid)
	return s, err
}

// An answer is what a process says of its readiness.
type answer struct{ Following int }

// firstAnswer asks until there is an answer, of whatever status.
func firstAnswer(ctx context.Context, url string) (a answer, err error) {
	for ctx.Err() == nil {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return a, err
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		err = json.NewDecoder(response.Body).Decode(&a)
		return a, errors.Join(err, response.Body.Close())
	}
	return a, fmt.Errorf("no answer: %w", ctx.Err())
}

// residentMiB returns how much memory a process has in use.
func residentMiB(pid int) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(status), "VmRSS:")
	var kb int
	if _, err := fmt.Sscan(rest, &kb); !ok || err != nil {
		return 0, errors.New("the system does not report the memory of a process")
	}
	return kb / 1024, nil
}

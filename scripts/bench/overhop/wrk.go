package overhop

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/scripts/bench/process"
)

// script makes wrk request the paths in a file in turn, when one is given, and
// print its counts as JSON.
//
//go:embed wrk.lua
var script []byte

// A load describes the requests that wrk sends to one server.
type load struct {
	base        string // of the server
	path        string // of every request, unless paths is set
	paths       string // a file with a path on each line, requested in turn
	gzip        bool
	connections int
	length      time.Duration
	errors      bool // answers of 400 and above are expected
}

// A result has the counts of one load.
type result struct {
	Requests int     `json:"requests"`
	Micros   float64 `json:"micros"` // duration
	P50      float64 `json:"p50"`    // in µs
	P99      float64 `json:"p99"`
	Failed   int     `json:"failed"` // connections and requests without an answer
	Status   int     `json:"status"` // answers of 400 and above
	cpu      time.Duration
	fetched  int64 // live playlists that the origin served meanwhile
}

func (r result) perSecond() float64 { return float64(r.Requests) / r.Micros * 1e6 }

// perRequest returns the CPU time of the server for one request, in µs.
func (r result) perRequest() float64 { return float64(r.cpu.Microseconds()) / float64(r.Requests) }

// run loads the server in the process pid, on which it measures the CPU time.
func run(ctx context.Context, dir string, l load, pid int) (result, error) {
	file := filepath.Join(dir, "wrk.lua")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		return result{}, err
	}
	args := []string{"-c", "1", "wrk", "-t1", "-c", strconv.Itoa(l.connections), "-d", fmt.Sprintf("%ds", int(l.length.Seconds())), "--timeout", "12s", "-s", file}
	if l.gzip {
		args = append(args, "-H", "Accept-Encoding: gzip")
	}
	args = append(args, l.base+l.path)
	if l.paths != "" {
		args = append(args, "--", l.paths)
	}
	before, err := process.CPU(pid)
	if err != nil {
		return result{}, err
	}
	out, err := exec.CommandContext(ctx, "taskset", args...).CombinedOutput()
	if err != nil {
		return result{}, fmt.Errorf("wrk: %w: %s", err, out)
	}
	after, err := process.CPU(pid)
	if err != nil {
		return result{}, err
	}
	r := result{cpu: after - before}
	_, text, _ := strings.Cut(string(out), "counted ")
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&r); err != nil {
		return r, fmt.Errorf("wrk: %w: %s", err, out)
	}
	if r.Requests == 0 || r.Failed > r.Requests/1000 || r.Status > 0 && !l.errors {
		return r, fmt.Errorf("%s%s: of %d requests %d had no answer and %d a bad status%s", l.base, l.path, r.Requests, r.Failed, r.Status, example(ctx, l))
	}
	return r, nil
}

// example requests the paths of a load again, up to the first bad status, and
// returns the words for it: wrk counts bad answers, but keeps none.
func example(ctx context.Context, l load) string {
	paths := []string{l.path}
	if text, err := os.ReadFile(l.paths); err == nil {
		paths = strings.Fields(string(text))
	}
	for _, path := range paths {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.base+path, http.NoBody)
		if err != nil {
			return ": " + err.Error()
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return ": " + err.Error()
		}
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		resp.Body.Close()
		if resp.StatusCode >= http.StatusBadRequest {
			return fmt.Sprintf(", as %s still has: %s: %s", path, resp.Status, body)
		}
	}
	return ", which no path has now"
}

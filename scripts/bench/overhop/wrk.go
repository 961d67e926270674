package overhop

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// script makes wrk ask for the paths in a file in turn, when there is one, and
// print what it counted.
//
//go:embed wrk.lua
var script []byte

// A load is what wrk sends to one server.
type load struct {
	base        string // of the server
	path        string // that is asked for, unless paths says otherwise
	paths       string // a file with a path on each line
	gzip        bool
	connections int
	length      time.Duration
	errors      bool // answers with a status of 400 and above are what is measured
}

// A result is what one load got from a server.
type result struct {
	Requests int     `json:"requests"`
	Micros   float64 `json:"micros"` // that it took
	P50      float64 `json:"p50"`    // in µs
	P99      float64 `json:"p99"`
	Failed   int     `json:"failed"` // connections and requests without an answer
	Status   int     `json:"status"` // answers of 400 and above
	cpu      time.Duration
	fetched  int64 // live playlists, from the origin, meanwhile
}

func (r result) perSecond() float64 { return float64(r.Requests) / r.Micros * 1e6 }

// perRequest is the CPU time of the server, in µs.
func (r result) perRequest() float64 { return float64(r.cpu.Microseconds()) / float64(r.Requests) }

// run puts a load on the process pid.
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
	before, err := cpu(pid)
	if err != nil {
		return result{}, err
	}
	out, err := exec.CommandContext(ctx, "taskset", args...).CombinedOutput()
	if err != nil {
		return result{}, fmt.Errorf("wrk: %w: %s", err, out)
	}
	after, err := cpu(pid)
	if err != nil {
		return result{}, err
	}
	r := result{cpu: after - before}
	_, text, _ := strings.Cut(string(out), "counted ")
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&r); err != nil {
		return r, fmt.Errorf("wrk: %w: %s", err, out)
	}
	if r.Requests == 0 || r.Failed > r.Requests/1000 || r.Status > 0 && !l.errors {
		return r, fmt.Errorf("%s%s: of %d requests %d had no answer and %d a bad status", l.base, l.path, r.Requests, r.Failed, r.Status)
	}
	return r, nil
}

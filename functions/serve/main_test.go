package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"miramundo.dev/functions"
	"miramundo.dev/shared/metrics"
	"miramundo.dev/shared/metrics/metricstest"
)

// TestMain runs the program itself when a test started this binary as such.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_SERVE") == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

// serve returns the program as a command with the given settings.
func serve(ctx context.Context, t *testing.T, settings ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append([]string{"TEST_SERVE=1", "LOCAL_ONLY=true", "DATA_DIR=" + t.TempDir()}, settings...)
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// TestRefusals checks that a program that cannot serve says why and ends.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		settings []string
		want     string
	}{
		{nil, `FUNCTION_TARGET is ""`},
		{[]string{"FUNCTION_TARGET=nothing"}, `FUNCTION_TARGET is "nothing"`},
		{[]string{"FUNCTION_TARGET=status,jobs"}, "cannot be served together"},
		{[]string{"FUNCTION_TARGET=describe,vitrine"}, "METRICS_TOKEN is missing, and the process of the functions describe, vitrine cannot work without it"},
		{[]string{"FUNCTION_TARGET=status", "PORT=many", "BACKEND=stone"}, "BACKEND must be"},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		cmd, out := serve(ctx, t, test.settings...)
		if err := cmd.Run(); err == nil || !strings.Contains(out.String(), test.want) {
			t.Errorf("%q: %v, output %s, want %s", test.settings, err, out, test.want)
		}
	}
}

// TestEveryFunction starts each function with the secrets that it declares and
// no others: it answers. Without one of them it refuses to start and names it.
func TestEveryFunction(t *testing.T) {
	for _, f := range functions.All() {
		t.Run(f.Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			port := freePort(t)
			settings := []string{"FUNCTION_TARGET=" + f.Name, "PORT=" + port, "CATALOG=sample"}
			for _, setting := range f.Requirement().Settings {
				alone, out := serve(ctx, t, settings...)
				if err := alone.Run(); err == nil || !strings.Contains(out.String(), " is missing, and the function "+f.Name) {
					t.Errorf("without %s: %v, output %s", setting, err, out)
				}
				name, _, _ := strings.Cut(setting, "|")
				if name == "MAIL_SMTP" { // which needs further settings
					name = "MAIL_FOLDER"
				}
				settings = append(settings, name+"="+valueOf(name))
			}
			settings = append(settings, "JOBS_CALLER="+callerFor(f.Name))
			cmd, out := serve(ctx, t, settings...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			get(ctx, t, "http://127.0.0.1:"+port+"/nothing-is-here")
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("SIGTERM ended it with %v: %s", err, out)
			}
		})
	}
}

// valueOf returns a valid value of a secret.
func valueOf(name string) string {
	if name == "JOBS_AUDIENCE" {
		return "https://jobs.example"
	}
	return "a-secret-of-the-tests-that-is-long-enough"
}

// callerFor returns the service account that calls a function, if any does.
func callerFor(function string) string {
	if function == "jobs" {
		return "scheduler@project.example"
	}
	return ""
}

// TestServe starts a function as it is deployed, calls it, and stops it.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	port := freePort(t)
	cmd, out := serve(ctx, t, "FUNCTION_TARGET=status", "BUILD=abc1234", "PORT="+port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	body := get(ctx, t, "http://127.0.0.1:"+port+"/api/health")
	var health struct {
		OK         bool
		App, Build string
	}
	if err := json.Unmarshal(body, &health); err != nil || !health.OK || health.Build != "abc1234" {
		t.Errorf("health is %s (%v)", body, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("SIGTERM ended it with %v: %s", err, out)
	}
}

// TestSeveral starts two functions as one process, and calls both. Each names itself in
// the log.
func TestSeveral(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	port := freePort(t)
	cmd, out := serve(ctx, t, "FUNCTION_TARGET=describe,status", "PORT="+port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/api/": `"endpoints":`, "/api/health": `"app":`} {
		if body := get(ctx, t, "http://127.0.0.1:"+port+path); !strings.Contains(string(body), want) {
			t.Errorf("%s is %s", path, body)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("SIGTERM ended it with %v: %s", err, out)
	}
	for _, name := range []string{"describe", "status"} {
		if n := strings.Count(out.String(), `"function":"`+name+`"`); n != 1 {
			t.Errorf("%s is named in %d records: %s", name, n, out)
		}
	}
}

// freePort returns a port that nobody listened on a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// get asks until there is an answer, or ctx is done.
func get(ctx context.Context, t *testing.T, url string) []byte {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		answer, err := http.Get(url)
		if err == nil {
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			return body
		}
		select {
		case <-ctx.Done():
			t.Fatalf("no answer: %v", err)
		case <-tick.C:
		}
	}
}

// TestMetrics starts a function that runs jobs and receives nothing, reads its metrics,
// and checks that its public port does not show them, nor the private one anything else.
func TestMetrics(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	port, private := freePort(t), freePort(t)
	f, _ := functions.Find("jobs")
	settings := []string{"FUNCTION_TARGET=jobs", "BUILD=abc1234", "CATALOG=sample", "PORT=" + port, "METRICS_PORT=" + private, "JOBS_CALLER=" + callerFor("jobs")}
	for _, setting := range f.Requirement().Settings {
		name, _, _ := strings.Cut(setting, "|")
		if name == "MAIL_SMTP" {
			name = "MAIL_FOLDER"
		}
		settings = append(settings, name+"="+valueOf(name))
	}
	cmd, out := serve(ctx, t, settings...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	public, shown := "http://127.0.0.1:"+port, "http://127.0.0.1:"+private
	get(ctx, t, public+"/made/up")
	got := metricstest.Read(t, shown+metrics.Path)
	for name, want := range map[string]float64{
		`miramundo_http_requests_total{code="404",method="GET",route="unmatched"}`: 1,
		`miramundo_http_faults_total{code="not_found"}`:                            1,
		`miramundo_job_interval_seconds{job_name="catalog-reload"}`:                21600,
		`miramundo_job_runs_total{job_name="catalog-reload",outcome="failure"}`:    0,
		"miramundo_catalog_loaded":                                                 0,
	} {
		if value, ok := got[name]; !ok || value != want {
			t.Errorf("%s is %v (%v), want %v", name, value, ok, want)
		}
	}
	for name, least := range map[string]int{"miramundo_build_info": 1, "go_goroutines": 1, "process_resident_memory_bytes": 1, "miramundo_store_documents_total": 1} {
		if n := got.Series(name); n < least {
			t.Errorf("%s has %d series, want %d", name, n, least)
		}
	}
	for _, url := range []string{public + metrics.Path, shown + "/made/up", shown + "/debug/pprof/"} {
		res, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s is answered with %d", url, res.StatusCode)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("SIGTERM ended it with %v: %s", err, out)
	}
}

// TestMetricsTaken checks that a program whose private port is taken says so and ends.
func TestMetricsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, taken, _ := net.SplitHostPort(l.Addr().String())
	cmd, out := serve(ctx, t, "FUNCTION_TARGET=status", "PORT="+freePort(t), "METRICS_PORT="+taken)
	if err := cmd.Run(); err == nil || !strings.Contains(out.String(), "METRICS_PORT") {
		t.Errorf("it ends with %v: %s", err, out)
	}
}

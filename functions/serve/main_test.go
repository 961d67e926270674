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

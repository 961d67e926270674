package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"miramundo.dev/shared/metrics"
	"miramundo.dev/shared/metrics/metricstest"
)

// TestMain runs the program itself when a test started this binary as such.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_CHATROOM") == "1" {
		main()
		return
	}
	os.Exit(m.Run())
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

// TestMetrics starts the program and reads its metrics, which only the private port shows.
func TestMetrics(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	port, private := freePort(t), freePort(t)
	cmd, out, key := exec.CommandContext(ctx, exe), &bytes.Buffer{}, "a key of the tests that nobody else has"
	cmd.Env = []string{
		"TEST_CHATROOM=1", "LOCAL_ONLY=true", "DATA_DIR=" + t.TempDir(), "PORT=" + port, "METRICS_PORT=" + private,
		"GUEST_KEYS=" + key, "ACCOUNT_KEYS=" + key, "PEOPLE_KEYS=" + key,
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(ctx, t, "http://127.0.0.1:"+port+"/api/health")
	got := metricstest.Read(t, "http://127.0.0.1:"+private+metrics.Path)
	for name, want := range map[string]float64{
		`miramundo_http_requests_total{code="200",method="GET",route="/api/health"}`: 1,
		"miramundo_chat_sockets":   0,
		"miramundo_chat_rooms":     0,
		"miramundo_catalog_loaded": 0,
	} {
		if value, ok := got[name]; !ok || value != want {
			t.Errorf("%s is %v (%v), want %v", name, value, ok, want)
		}
	}
	res, err := http.Get("http://127.0.0.1:" + port + metrics.Path)
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode != http.StatusNotFound {
		t.Errorf("the public port answers %s with %d", metrics.Path, res.StatusCode)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("SIGTERM ended it with %v: %s", err, out)
	}
}

// await asks until there is an answer, or ctx is done.
func await(ctx context.Context, t *testing.T, url string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		res, err := http.Get(url)
		if err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("no answer: %v", err)
		case <-tick.C:
		}
	}
}

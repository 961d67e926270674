package machine

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"miramundo.dev/shared/config"
)

// machineOf returns a machine with the sample in a folder of the test.
func machineOf(t *testing.T, log io.Writer) *Machine {
	t.Helper()
	f := Folder{Dir: t.TempDir(), Keep: 1, Say: t.Logf, Warn: t.Logf, Remedy: func(b string) string { return "restore " + b }}
	vars, err := f.Secrets()
	if err != nil {
		t.Fatal(err)
	}
	vars["DATA_DIR"] = f.Dir
	c, err := config.ParseMachine(vars)
	if err != nil {
		t.Fatal(err)
	}
	m := New(Options{Config: c, Catalog: Sample, Log: slog.New(slog.NewTextHandler(log, nil)), Folder: f, Fronts: new(Fronts)})
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// TestLoadAgain loads a catalog in place of another, as a machine does that has waited for
// the live sources: the parts of before end, and nothing goes on with their database.
func TestLoadAgain(t *testing.T) {
	var log lockedBuffer
	m := machineOf(t, &log)
	if err := m.Load(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	for range 3 {
		if err := m.Load(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for runtime.NumGoroutine() > before+5 { // some are between two requests
		select {
		case <-ctx.Done():
			t.Fatalf("%d goroutines run after four loads, and %d after one; the log says:\n%s", runtime.NumGoroutine(), before, log.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
	w := httptest.NewRecorder()
	m.Fronts.Gateway.ServeHTTP(w, httptest.NewRequest("GET", "/api/channels?limit=1", nil))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"items":[{`) {
		t.Errorf("after that a search is answered %d %.200s", w.Code, w.Body)
	}
}

// A lockedBuffer is a buffer that may be used concurrently.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

package cloudlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/slogtest"
	"time"

	"github.com/google/go-cmp/cmp"
)

type raw string

func (r raw) AppendJSON(b []byte) []byte { return append(b, r...) }

func line(t *testing.T, log func(*slog.Logger)) map[string]any {
	t.Helper()
	var b bytes.Buffer
	log(slog.New(New(&b, slog.LevelDebug, "p")))
	var m map[string]any
	if err := json.Unmarshal(b.Bytes(), &m); err != nil || bytes.Count(b.Bytes(), []byte("\n")) != 1 {
		t.Fatalf("not one JSON record (%v): %s", err, b.Bytes())
	}
	if m["time"] == nil {
		t.Error("the record has no time")
	}
	delete(m, "time")
	return m
}

func TestRecord(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	got := line(t, func(l *slog.Logger) {
		l.With("a", 1).WithGroup("g").With("b", true).WarnContext(context.WithValue(context.Background(), Trace, parent),
			"a \"message\"\n\x01\xff€", "text", "<&>\u2028", "n", 1.5, "d", time.Second, "u", uint64(7), "err", errors.New("no\nmore"),
			"raw", raw(`{"x":[1]}`), "at", time.Unix(0, 0), slog.Group("in", "x", 1), "any", map[string]int{"k": 1}, "nil", nil,
			"bad", func() {})
	})
	delete(got, "g.bad")
	want := map[string]any{
		"severity": "WARNING", "message": "a \"message\"\n\x01\ufffd€", "a": 1.0, "g.b": true, "g.text": "<&>\u2028", "g.n": 1.5,
		"g.d": "1s", "g.u": 7.0, "g.err": "no\nmore", "g.raw": map[string]any{"x": []any{1.0}}, "g.at": "1970-01-01T00:00:00Z",
		"g.in.x": 1.0, "g.any": map[string]any{"k": 1.0}, "g.nil": nil,
		"logging.googleapis.com/trace":         "projects/p/traces/4bf92f3577b34da6a3ce929d0e0e4736",
		"logging.googleapis.com/spanId":        "00f067aa0ba902b7",
		"logging.googleapis.com/trace_sampled": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

// TestTraces checks that what is no trace is not logged as one.
func TestTraces(t *testing.T) {
	for _, parent := range []string{
		"", "00", strings.Repeat("0", 55), "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
		`00-4bf92f3577b34da6a3ce929d0e0e473"-00f067aa0ba902b7-01`,
	} {
		got := line(t, func(l *slog.Logger) {
			l.InfoContext(context.WithValue(context.Background(), Trace, parent), "m")
		})
		if diff := cmp.Diff(map[string]any{"severity": "INFO", "message": "m"}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", parent, diff)
		}
	}
}

func TestLevels(t *testing.T) {
	var b bytes.Buffer
	l := slog.New(New(&b, slog.LevelWarn, ""))
	l.Info("hidden")
	l.Error("shown")
	if got := b.String(); strings.Contains(got, "hidden") || !strings.Contains(got, `"severity":"ERROR"`) {
		t.Errorf("log is %s", got)
	}
}

// TestHandler holds the handler to the standard's own rules, its keys and its
// flat groups put as that expects them.
func TestHandler(t *testing.T) {
	var b bytes.Buffer
	slogtest.Run(t, func(*testing.T) slog.Handler { b.Reset(); return New(&b, slog.LevelInfo, "") }, func(t *testing.T) map[string]any {
		var flat map[string]any
		if err := json.Unmarshal(b.Bytes(), &flat); err != nil {
			t.Fatal(err)
		}
		return nested(flat)
	})
}

func nested(flat map[string]any) map[string]any {
	names := map[string]string{"severity": slog.LevelKey, "message": slog.MessageKey}
	tree := map[string]any{}
	for key, value := range flat {
		if name, ok := names[key]; ok {
			key = name
		}
		at, path := tree, strings.Split(key, ".")
		for _, group := range path[:len(path)-1] {
			if at[group] == nil {
				at[group] = map[string]any{}
			}
			at = at[group].(map[string]any)
		}
		at[path[len(path)-1]] = value
	}
	return tree
}

// TestConcurrent checks that records do not mix.
func TestConcurrent(t *testing.T) {
	var b bytes.Buffer
	l := slog.New(New(&b, slog.LevelInfo, ""))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				l.Info("m", "text", strings.Repeat("x", 300))
			}
		})
	}
	wg.Wait()
	n := 0
	for d := json.NewDecoder(&b); d.More(); n++ {
		var m struct{ Message, Text string }
		if err := d.Decode(&m); err != nil || m.Message != "m" || len(m.Text) != 300 {
			t.Fatalf("record %d: %v %+v", n, err, m)
		}
	}
	if n != 800 {
		t.Errorf("%d records, want 800", n)
	}
}

func BenchmarkHandle(b *testing.B) {
	h := New(io.Discard, slog.LevelInfo, "p")
	ctx := context.WithValue(context.Background(), Trace, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	now := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		r := slog.NewRecord(now, slog.LevelInfo, "/api/channels", 0)
		r.AddAttrs(slog.Any("httpRequest", raw(`{"status":200}`)), slog.String("request_id", "0123456789abcdef"))
		if err := h.Handle(ctx, r); err != nil {
			b.Fatal(err)
		}
	}
}

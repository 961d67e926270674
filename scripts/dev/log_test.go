package main

import (
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/cloudlog"
)

// TestLogLines checks that each record is one line without pointers, Go syntax
// or, where none are wanted, colours.
func TestLogLines(t *testing.T) {
	found := &cloudlog.Request{Method: "GET", Route: "/api/channels/{id}", Status: 200, Size: 3456, Latency: 1234567 * time.Nanosecond}
	missing := &cloudlog.Request{Method: "GET", Route: "/api/channels/{id}", Status: 404, Size: 80, Latency: 90 * time.Microsecond}
	for _, test := range []struct {
		name string
		log  func(*slog.Logger)
		want string
	}{
		{"a request", func(l *slog.Logger) {
			l.With("function", "catalog").Info("/api/channels/{id}", cloudlog.RequestKey, found, "request_id", "0123")
		}, "INF GET /api/channels/{id} 200 1.2ms 3.5KB function=catalog\n"},
		{"a failed request", func(l *slog.Logger) {
			l.Warn("/api/channels/{id}", cloudlog.RequestKey, missing, "request_id", "0123", "code", "channel_not_found", "cause", "it is\ngone")
		}, `WRN GET /api/channels/{id} 404 100µs 0.1KB request_id=0123 code=channel_not_found cause="it is\ngone"` + "\n"},
		{"anything else", func(l *slog.Logger) { l.Error("catalog not refreshed", "request_id", "0123") }, "ERR catalog not refreshed request_id=0123\n"},
		{"in a group", func(l *slog.Logger) { l.WithGroup("g").Info("m", "a", 1) }, "INF m g.a=1\n"},
		{"below the level", func(l *slog.Logger) { l.Debug("m") }, ""},
	} {
		var out strings.Builder
		test.log(newLog(&out, slog.LevelInfo, false))
		stamp := regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d\d\d `)
		if diff := cmp.Diff(test.want, stamp.ReplaceAllString(out.String(), "")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestLogColours(t *testing.T) {
	var out strings.Builder
	newLog(&out, slog.LevelInfo, true).Error("m")
	if !strings.Contains(out.String(), "\x1b[") {
		t.Errorf("%q has no colour", out.String())
	}
	file, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if hasColours(file, nil) {
		t.Error("a file is taken for a terminal")
	}
}

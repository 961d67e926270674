package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"

	"miramundo.dev/shared/api/cloudlog"
)

// newLog returns the logger of the stack, which writes one line per record for a
// person to read:
//
//	15:04:05.000 INF GET /api/channels/{id} 404 1.2ms 0.1KB function=catalog code=channel_not_found cause="…"
//
// Its lines have colours when colour is set.
func newLog(w io.Writer, level slog.Leveler, colour bool) *slog.Logger {
	return slog.New(lines{tint.NewTextHandler(w, &tint.Options{Level: level, TimeFormat: "15:04:05.000", NoColor: !colour})})
}

// hasColours reports whether f is a terminal whose user did not set NO_COLOR
// (no-color.org).
func hasColours(f *os.File, vars map[string]string) bool {
	return isatty.IsTerminal(f.Fd()) && vars["NO_COLOR"] == ""
}

// lines turns the record of a request into a message, and passes every other
// record on as it is.
type lines struct{ slog.Handler }

// Handle writes one record. The id of a request is shown only when the request
// failed, because it serves to find a failure that a caller reports.
func (l lines) Handle(ctx context.Context, r slog.Record) error {
	var request *cloudlog.Request
	var rest []slog.Attr
	failed := false
	r.Attrs(func(a slog.Attr) bool {
		if v, ok := a.Value.Any().(*cloudlog.Request); ok {
			request = v
			return true
		}
		failed = failed || a.Key == "cause"
		rest = append(rest, a)
		return true
	})
	if request == nil {
		return l.Handler.Handle(ctx, r)
	}
	line := slog.NewRecord(r.Time, r.Level, message(request), r.PC)
	for _, a := range rest {
		if a.Key != "request_id" || failed {
			line.AddAttrs(a)
		}
	}
	return l.Handler.Handle(ctx, line)
}

// WithAttrs returns a handler that adds attrs to each line.
func (l lines) WithAttrs(attrs []slog.Attr) slog.Handler { return lines{l.Handler.WithAttrs(attrs)} }

// WithGroup returns a handler that puts name before the keys of attributes.
func (l lines) WithGroup(name string) slog.Handler { return lines{l.Handler.WithGroup(name)} }

// message is the part of the line that every request has. A caller that left
// before it was answered has the status 0 or 499.
func message(r *cloudlog.Request) string {
	return fmt.Sprintf("%s %s %d %s %.1fKB", r.Method, r.Route, r.Status, r.Latency.Round(100*time.Microsecond), float64(r.Size)/1000)
}

// Package cloudlog knows the form in which the cloud reads log records: one
// JSON object a line, with severity, message and trace where its log viewer
// looks for them.
//
//	{"severity":"INFO","time":"…","message":"…","logging.googleapis.com/trace":"projects/P/traces/T", …}
package cloudlog

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"
)

// A Handler writes records to one writer. Its method Handle may be called
// concurrently; each record is one Write.
type Handler struct {
	out     *output
	level   slog.Leveler
	project string
	prefix  []byte // attributes of WithAttrs, rendered: `,"a":1`
	groups  string // open groups, rendered: "a.b."
}

type output struct {
	mu sync.Mutex
	w  io.Writer
}

// New returns a handler that writes records of at least level to w. The
// project names traces; without one they keep their bare id.
func New(w io.Writer, level slog.Leveler, project string) *Handler {
	return &Handler{out: &output{w: w}, level: level, project: project}
}

// An Appender is the value of an attribute that renders itself as JSON. An
// Appender that is a [slog.LogValuer] too is rendered by AppendJSON here, and by
// LogValue in other handlers.
type Appender interface {
	AppendJSON([]byte) []byte
}

// Trace is the context key under which the W3C traceparent header of the
// request is found, as a string.
var Trace = traceKey{}

type traceKey struct{}

// Enabled reports whether records of level l are written.
func (h *Handler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level.Level() }

// WithAttrs returns a handler that adds attrs to each record.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	n := *h
	n.prefix = append([]byte(nil), h.prefix...)
	for _, a := range attrs {
		n.prefix = n.attr(n.prefix, n.groups, a)
	}
	return &n
}

// WithGroup returns a handler that puts name and a dot before the keys of
// attributes, which keeps records flat.
func (h *Handler) WithGroup(name string) slog.Handler {
	n := *h
	if name != "" {
		n.groups += name + "."
	}
	return &n
}

var lines = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

// Handle writes r as one line.
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	line := lines.Get().(*[]byte)
	defer lines.Put(line)
	b := append((*line)[:0], `{"severity":"`...)
	b = append(b, severity(r.Level)...)
	if !r.Time.IsZero() {
		b = append(b, `","time":"`...)
		b = r.Time.UTC().AppendFormat(b, time.RFC3339Nano)
	}
	b = append(b, `","message":`...)
	b = appendString(b, r.Message)
	if ctx != nil {
		if parent, ok := ctx.Value(Trace).(string); ok {
			b = h.trace(b, parent)
		}
	}
	b = append(b, h.prefix...)
	r.Attrs(func(a slog.Attr) bool {
		b = h.attr(b, h.groups, a)
		return true
	})
	b = append(b, '}', '\n')
	*line = b
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	_, err := h.out.w.Write(b)
	return err
}

// severity names a level as the cloud does.
func severity(l slog.Level) string {
	switch {
	case l >= slog.LevelError:
		return "ERROR"
	case l >= slog.LevelWarn:
		return "WARNING"
	case l >= slog.LevelInfo:
		return "INFO"
	}
	return "DEBUG"
}

// trace appends the members for a traceparent such as
// "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"; nothing when it
// is not one.
func (h *Handler) trace(b []byte, parent string) []byte {
	if len(parent) < 55 || parent[2] != '-' || parent[35] != '-' || parent[52] != '-' ||
		!isHex(parent[3:35]) || !isHex(parent[36:52]) {
		return b
	}
	b = append(b, `,"logging.googleapis.com/trace":"`...)
	if h.project != "" {
		b = append(b, "projects/"+h.project+"/traces/"...)
	}
	b = append(b, parent[3:35]...)
	b = append(b, `","logging.googleapis.com/spanId":"`...)
	b = append(b, parent[36:52]...)
	b = append(b, `","logging.googleapis.com/trace_sampled":`...)
	return strconv.AppendBool(b, parent[54]&1 == 1)
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// attr appends a as a member, or several when it is a group.
func (h *Handler) attr(b []byte, groups string, a slog.Attr) []byte {
	v := a.Value
	if !rendersItself(v) {
		v = v.Resolve()
	}
	if v.Kind() == slog.KindGroup {
		if a.Key != "" {
			groups += a.Key + "."
		}
		for _, m := range v.Group() {
			b = h.attr(b, groups, m)
		}
		return b
	}
	if a.Key == "" && v.Any() == nil {
		return b
	}
	b = append(b, ',')
	if groups == "" {
		b = appendString(b, a.Key)
	} else {
		b = appendString(b, groups+a.Key)
	}
	b = append(b, ':')
	return appendValue(b, v)
}

// rendersItself reports whether v is a LogValuer that is an Appender too.
func rendersItself(v slog.Value) bool {
	if v.Kind() != slog.KindLogValuer {
		return false
	}
	_, ok := v.Any().(Appender)
	return ok
}

func appendValue(b []byte, v slog.Value) []byte {
	switch v.Kind() {
	case slog.KindString:
		return appendString(b, v.String())
	case slog.KindInt64:
		return strconv.AppendInt(b, v.Int64(), 10)
	case slog.KindUint64:
		return strconv.AppendUint(b, v.Uint64(), 10)
	case slog.KindBool:
		return strconv.AppendBool(b, v.Bool())
	case slog.KindDuration:
		return appendString(b, v.Duration().String())
	case slog.KindTime:
		return appendString(b, v.Time().UTC().Format(time.RFC3339Nano))
	}
	return appendAny(b, v.Any())
}

func appendAny(b []byte, v any) []byte {
	switch v := v.(type) {
	case Appender:
		return v.AppendJSON(b)
	case error:
		return appendString(b, v.Error())
	case fmt.Stringer:
		return appendString(b, v.String())
	}
	text, err := json.Marshal(v)
	if err != nil {
		return appendString(b, "!"+err.Error())
	}
	return append(b, text...)
}

const hex = "0123456789abcdef"

// appendString appends s as JSON. Invalid UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			b = append(b, s[start:i]...)
			b = appendEscape(b, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			b = append(b, s[start:i]...)
			b = append(b, "\ufffd"...)
			start = i + 1
		}
		i += size
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

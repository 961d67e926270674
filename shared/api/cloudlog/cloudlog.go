// Package cloudlog writes log records in the form that the cloud's logging service
// parses: one JSON object per line, with the severity, message and trace in the
// members that its log viewer reads.
//
//	{"severity":"INFO","time":"…","message":"…","logging.googleapis.com/trace":"projects/P/traces/T", …}
//
// A record is appended to a pooled buffer without reflection for the usual types of
// attributes, because every request writes one. Attributes of a logger made by With
// are rendered once. Groups are flattened into dotted keys.
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

// A Handler is a slog.Handler that writes records to one writer. It may be used
// concurrently, together with all handlers derived from it: each record is one
// Write, and Writes do not overlap.
type Handler struct {
	out     *output
	level   slog.Leveler
	project string
	prefix  []byte // attributes of WithAttrs, rendered: `,"a":1`
	groups  string // open groups, rendered: "a.b."
}

// An output is the writer that a handler and those derived from it share.
type output struct {
	mu sync.Mutex
	w  io.Writer
}

// New returns a handler that writes records of at least level to w. project is the
// cloud project in the names of traces; when it is empty, a trace is its bare id.
func New(w io.Writer, level slog.Leveler, project string) *Handler {
	return &Handler{out: &output{w: w}, level: level, project: project}
}

// An Appender is the value of an attribute that appends itself as JSON. This
// package's handler prefers AppendJSON to LogValue for a value that has both; other
// handlers use LogValue.
type Appender interface {
	AppendJSON([]byte) []byte
}

// Trace is the context key of the request's W3C traceparent header, a string.
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

// lines are the buffers of records.
var lines = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

// Handle writes r as one line. It returns the error of the writer.
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

// severity returns the name of a level in the cloud's logs.
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
// "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01": version, trace id,
// span id and flags, of which the last bit says whether the trace is sampled. It
// appends nothing for any other text, since callers may send anything.
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

// attr appends an attribute as a member, or the members of a group. groups is the
// prefix of its key.
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

// rendersItself reports whether v is both a LogValuer and an Appender.
func rendersItself(v slog.Value) bool {
	if v.Kind() != slog.KindLogValuer {
		return false
	}
	_, ok := v.Any().(Appender)
	return ok
}

// appendValue appends a resolved value as JSON. Durations are texts such as "1.5s",
// times are in UTC.
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

// appendAny appends a value of any other type: an error or a Stringer as its text, a
// value that cannot be encoded as "!" and the reason.
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

// appendEscape appends an ASCII character that must be escaped in JSON.
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

package cloudlog

import (
	"log/slog"
	"strconv"
	"time"
)

// RequestKey is the key of the attribute that holds a Request. The cloud's log
// viewer looks for it under this name.
const RequestKey = "httpRequest"

// A Request describes one answered HTTP request. It contains no path, query, header
// or address of the caller, because any of them may contain a secret; the pattern of
// the route is logged in place of the path.
//
// Handlers other than [Handler] log it as a group of plain values.
type Request struct {
	Method  string // such as "GET"; "OTHER" for a method that is not a standard one
	Route   string // the pattern that the path matched, such as "/api/channels/{id}"
	Status  int
	Size    int64 // bytes of the body as sent
	Latency time.Duration
}

// AppendJSON appends r in the form of the cloud's HttpRequest type, whose sizes
// are strings and whose durations are seconds followed by an s.
func (r *Request) AppendJSON(b []byte) []byte {
	b = append(b, `{"requestMethod":"`...)
	b = append(b, r.Method...)
	b = append(b, `","requestUrl":"`...)
	b = append(b, r.Route...)
	b = append(b, `","status":`...)
	b = strconv.AppendInt(b, int64(r.Status), 10)
	b = append(b, `,"responseSize":"`...)
	b = strconv.AppendInt(b, r.Size, 10)
	b = append(b, `","latency":"`...)
	b = strconv.AppendFloat(b, r.Latency.Seconds(), 'f', 6, 64)
	return append(b, `s"}`...)
}

// LogValue returns r as a group with the members method, route, status, size
// and latency.
func (r *Request) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("method", r.Method), slog.String("route", r.Route), slog.Int("status", r.Status),
		slog.Int64("size", r.Size), slog.Duration("latency", r.Latency))
}

// KnownMethod returns method when it is a standard method, and "OTHER" otherwise, so
// that a caller cannot write text of its own into the log.
func KnownMethod(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return "OTHER"
}

package server

import (
	"context"
	"log/slog"
	"strconv"

	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/fault"
)

// log writes the record of the call. It tells neither who called nor what the
// query held, which may be a ticket.
func (c *call) log() {
	level := c.level()
	handler := c.Log.Handler()
	ctx := context.Background()
	if !handler.Enabled(ctx, level) {
		return
	}
	if parent := c.r.Header.Get("Traceparent"); parent != "" {
		ctx = context.WithValue(ctx, cloudlog.Trace, parent)
	}
	record := slog.NewRecord(c.start, level, c.path, 0)
	record.AddAttrs(slog.Any("httpRequest", c))
	if c.stream != nil {
		record.AddAttrs(slog.String("stream", c.stream.name))
	}
	if c.cause != nil {
		record.AddAttrs(slog.String("code", fault.From(c.cause).Code), slog.String("cause", c.cause.Error()))
	}
	_ = handler.Handle(ctx, record) // a log that cannot be written cannot be told of either
}

// level says how much the operator should care.
func (c *call) level() slog.Level {
	switch {
	case c.status == 500:
		return slog.LevelError
	case c.status > 500:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// AppendJSON renders the call as the member httpRequest of a log record.
func (c *call) AppendJSON(b []byte) []byte {
	b = append(b, `{"requestMethod":"`...)
	b = append(b, c.method()...)
	b = append(b, `","requestUrl":"`...)
	b = append(b, c.path...)
	b = append(b, `","status":`...)
	b = strconv.AppendInt(b, int64(c.status), 10)
	b = append(b, `,"responseSize":"`...)
	b = strconv.AppendInt(b, c.bytes, 10)
	b = append(b, `","latency":"`...)
	b = strconv.AppendFloat(b, c.Now().Sub(c.start).Seconds(), 'f', 6, 64)
	return append(b, `s"}`...)
}

// method returns the method of the request when it is a known one.
func (c *call) method() string {
	switch m := c.r.Method; m {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return m
	}
	return "OTHER"
}

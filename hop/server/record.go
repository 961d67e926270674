package server

import (
	"context"
	"log/slog"

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
	c.logged = cloudlog.Request{
		Method: cloudlog.KnownMethod(c.r.Method), Route: c.path, Status: c.status, Size: c.bytes, Latency: c.Now().Sub(c.start),
	}
	record.AddAttrs(slog.Any(cloudlog.RequestKey, &c.logged))
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

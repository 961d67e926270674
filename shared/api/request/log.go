package request

import (
	"log/slog"

	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/fault"
)

// log writes the record of the call.
func (c *Call) log() {
	level := c.level()
	log := c.layer.Log
	if c.route != nil && c.route.Log != nil {
		log = c.route.Log
	}
	handler := log.Handler()
	if !handler.Enabled(c, level) {
		return
	}
	c.logged = cloudlog.Request{
		Method: cloudlog.KnownMethod(c.Request.Method), Route: c.path(),
		Status: c.Status(), Size: c.w.bytes, Latency: c.Latency(),
	}
	record := slog.NewRecord(c.end, level, c.path(), 0)
	record.AddAttrs(slog.Any(cloudlog.RequestKey, &c.logged))
	if c.id != "" {
		record.AddAttrs(slog.String("request_id", c.id))
	}
	if c.Note != nil {
		record.AddAttrs(*c.Note)
	}
	switch {
	case c.hungUp:
		record.AddAttrs(slog.String("cause", errHungUp.Error()))
	case c.cause != nil:
		record.AddAttrs(slog.String("code", fault.From(c.cause).Code), slog.String("cause", c.withoutAddress(c.cause.Error())))
	}
	_ = handler.Handle(c, record) // there is nowhere to report that the log fails
}

// level returns the level of the record: an error for a defect of ours, a
// warning when something that we need fails.
func (c *Call) level() slog.Level {
	switch {
	case c.hungUp:
		return slog.LevelInfo
	case c.cause != nil && fault.From(c.cause).Kind == fault.Internal:
		return slog.LevelError
	case c.w.status >= 500:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// path returns the pattern of the route, or of one that has the path but not the
// method. The path of the request is not logged: it may hold a secret.
func (c *Call) path() string {
	switch {
	case c.route != nil:
		return c.route.Path
	case c.like != nil:
		return c.like.Path
	}
	return "no such route"
}

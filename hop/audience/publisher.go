package audience

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/bus"
)

// A publisher publishes to one topic and retries until it succeeds or is
// canceled. It is used by one goroutine, except for drop.
type publisher struct {
	bus     bus.Bus
	topic   string
	now     func() time.Time
	log     *slog.Logger
	ctx     context.Context // canceled when queued events are given up
	closing <-chan struct{} // closed when long pauses must end

	lost      atomic.Int64 // events dropped since the last log record
	lostAt    time.Time    // when drops were last logged
	failingAt time.Time    // when a failure was last logged
}

// deliver publishes events and reports whether it succeeded. It retries until
// the publisher is canceled.
func (o *publisher) deliver(events []bus.Event) bool {
	if len(events) == 0 {
		return true
	}
	for backoff := minBackoff; ; backoff = min(2*backoff, maxBackoff) {
		err := o.try(events)
		o.report(false)
		if err == nil {
			return true
		}
		if now := o.now(); now.Sub(o.failingAt) >= logPause {
			o.failingAt = now
			o.log.Warn("events wait, because publishing fails", "topic", o.topic, "cause", err.Error())
		}
		if !o.pause(backoff) {
			return false
		}
	}
}

func (o *publisher) try(events []bus.Event) error {
	ctx, cancel := context.WithTimeout(o.ctx, publishTime)
	defer cancel()
	return o.bus.Publish(ctx, o.topic, events...)
}

// pause waits for about d, and reports whether to go on.
func (o *publisher) pause(d time.Duration) bool {
	closing := o.closing
	select {
	case <-closing:
		closing, d = nil, minBackoff
	default:
	}
	timer := time.NewTimer(d/2 + rand.N(d))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-closing:
	case <-o.ctx.Done():
	}
	return o.ctx.Err() == nil
}

// drop counts an event that is lost.
func (o *publisher) drop() { o.lost.Add(1) }

// report logs how many events were dropped, at most once in logPause, or at
// the end.
func (o *publisher) report(last bool) {
	now := o.now()
	if o.lost.Load() == 0 || (!last && now.Sub(o.lostAt) < logPause) {
		return
	}
	o.lostAt = now
	o.log.Error("events are lost, because too many wait", "topic", o.topic, "events", o.lost.Swap(0))
}

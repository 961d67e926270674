package audience

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/bus"
)

// An outlet publishes to one topic, until it succeeds or is given up. It is
// used by one goroutine, lose aside.
type outlet struct {
	bus     bus.Bus
	topic   string
	now     func() time.Time
	log     *slog.Logger
	alive   context.Context // done when what is left is given up
	closing <-chan struct{} // closed when there is no time for long pauses

	lost      atomic.Int64 // since it was last logged
	lostAt    time.Time    // when that was
	failingAt time.Time    // when a failure was last logged
}

// deliver publishes events and tells whether they are published. It tries for
// as long as the outlet is not given up.
func (o *outlet) deliver(events []bus.Event) bool {
	if len(events) == 0 {
		return true
	}
	for backoff := minBackoff; ; backoff = min(2*backoff, maxBackoff) {
		err := o.try(events)
		o.report(false)
		if err == nil {
			return true
		}
		if now := o.now(); now.Sub(o.failingAt) >= quiet {
			o.failingAt = now
			o.log.Warn("events wait, because the bus fails", "topic", o.topic, "cause", err.Error())
		}
		if !o.pause(backoff) {
			return false
		}
	}
}

func (o *outlet) try(events []bus.Event) error {
	ctx, cancel := context.WithTimeout(o.alive, publishTime)
	defer cancel()
	return o.bus.Publish(ctx, o.topic, events...)
}

// pause waits for about d, and tells whether to go on.
func (o *outlet) pause(d time.Duration) bool {
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
	case <-o.alive.Done():
	}
	return o.alive.Err() == nil
}

// lose counts what cannot be told.
func (o *outlet) lose() { o.lost.Add(1) }

// report logs what was lost, now and then, or at the last.
func (o *outlet) report(last bool) {
	now := o.now()
	if o.lost.Load() == 0 || (!last && now.Sub(o.lostAt) < quiet) {
		return
	}
	o.lostAt = now
	o.log.Error("events are lost, because too many wait", "topic", o.topic, "events", o.lost.Swap(0))
}

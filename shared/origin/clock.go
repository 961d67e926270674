package origin

import (
	"cmp"
	"context"
	"time"
)

// queueTimes is the default of Request.Queue, as a multiple of the timeout.
const queueTimes = 4

// A clock runs a flight's time limit and stands still while the flight waits
// for seats. The zero clock does neither: waiting is then part of the time
// limit.
type clock struct {
	waited, most time.Duration
	onWait       func(time.Duration) // after each wait; may be nil

	rest  time.Duration // of the flight's time, when its timer was set last
	since time.Time     // when that was
	timer *time.Timer   // ends the flight
}

// limit starts the time limit of the flight.
func (f *flight) limit(timeout time.Duration, req Request) {
	if f.client.seats == nil {
		f.within, f.cancel = context.WithTimeout(f.outer, timeout)
		return
	}
	f.within, f.cancel = context.WithCancel(f.outer)
	f.clock = clock{most: cmp.Or(req.Queue, queueTimes*timeout), onWait: req.Queued, rest: timeout, since: time.Now()}
	f.clock.timer = time.AfterFunc(timeout, func() {
		f.late.Store(true)
		f.cancel()
	})
}

// queue calls enter, which waits for a place, while the clock stands still.
func (f *flight) queue(enter func(context.Context) bool) bool {
	l := &f.clock
	if l.timer == nil {
		return enter(f.within)
	}
	l.stop()
	begun := time.Now()
	ctx, cancel := context.WithTimeout(f.within, l.most-l.waited)
	defer cancel()
	entered := enter(ctx)
	took := time.Since(begun)
	l.waited += took
	if l.onWait != nil {
		l.onWait(took)
	}
	l.since = time.Now()
	l.timer.Reset(l.rest)
	return entered
}

// stop stops the clock.
func (l *clock) stop() {
	if l.timer != nil && l.timer.Stop() {
		l.rest -= time.Since(l.since)
	}
}

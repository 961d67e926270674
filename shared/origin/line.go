package origin

import (
	"cmp"
	"context"
	"time"
)

// queueTimes is how many times its own time a request waits for places, unless
// it says otherwise.
const queueTimes = 4

// A line is where a flight waits for places while its own time stands still.
// The zero is that of one whose waiting is part of its time.
type line struct {
	waited, most time.Duration
	told         func(time.Duration) // after each wait; may be nil

	rest  time.Duration // of the flight's time, when its timer was set last
	since time.Time     // when that was
	timer *time.Timer   // ends the flight
}

// limit gives the flight its time.
func (f *flight) limit(timeout time.Duration, req Request) {
	if f.client.seats == nil {
		f.within, f.cancel = context.WithTimeout(f.outer, timeout)
		return
	}
	f.within, f.cancel = context.WithCancel(f.outer)
	f.line = line{most: cmp.Or(req.Queue, queueTimes*timeout), told: req.Queued, rest: timeout, since: time.Now()}
	f.line.timer = time.AfterFunc(timeout, func() {
		f.late.Store(true)
		f.cancel()
	})
}

// queue waits for a place by enter, and returns what it does.
func (f *flight) queue(enter func(context.Context) bool) bool {
	l := &f.line
	if l.timer == nil {
		return enter(f.within)
	}
	l.hold()
	begun := time.Now()
	ctx, cancel := context.WithTimeout(f.within, l.most-l.waited)
	defer cancel()
	entered := enter(ctx)
	took := time.Since(begun)
	l.waited += took
	if l.told != nil {
		l.told(took)
	}
	l.since = time.Now()
	l.timer.Reset(l.rest)
	return entered
}

// hold stops the flight's time.
func (l *line) hold() {
	if l.timer != nil && l.timer.Stop() {
		l.rest -= time.Since(l.since)
	}
}

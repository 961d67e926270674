package bus

import (
	"errors"
	"time"
)

// A handler fails in one of two ways. It may fail because something that it needs does
// not work, such as the database: then the event waits, and is delivered again after a
// pause that grows. Or the event can never be handled, which the handler reports by
// [ErrEvent]: then waiting helps nothing, and the event is rejected, which makes it a
// dead letter at once, with the reason.

// A Retry is how a subscription delivers an event that its handler failed to handle.
type Retry struct {
	// MinBackoff is the pause before the second delivery. Each later one is twice as
	// long, up to MaxBackoff.
	MinBackoff, MaxBackoff time.Duration
	// Attempts is how often an event is delivered before it becomes a dead letter.
	Attempts int
	// Keep is for how long an event waits, and how long a dead letter is kept.
	Keep time.Duration
}

// Patient is the policy of every subscription of the service, in each implementation:
// an event is tried for 15 hours, so that a repair within that time needs no operator,
// and then kept for four weeks as a dead letter. The values are within the limits of
// Pub/Sub: back-offs of 0 to 600 s, 5 to 100 attempts, 10 minutes to 31 days.
//
// A ledger of package fact must recognize an event for as long as it may be delivered
// again; a test there compares both.
var Patient = Retry{MinBackoff: 10 * time.Second, MaxBackoff: 10 * time.Minute, Attempts: 100, Keep: 28 * 24 * time.Hour}

// Backoff returns the pause after a failed attempt; the first attempt is 1.
func (r Retry) Backoff(attempt int) time.Duration {
	pause := r.MinBackoff
	for n := 1; n < attempt && pause < r.MaxBackoff; n++ {
		pause *= 2
	}
	return min(pause, r.MaxBackoff)
}

// Span returns the time from the first attempt to the last.
func (r Retry) Span() (span time.Duration) {
	for attempt := 1; attempt < r.Attempts; attempt++ {
		span += r.Backoff(attempt)
	}
	return span
}

// Or returns r, or preset when r is zero.
func (r Retry) Or(preset Retry) Retry {
	if r == (Retry{}) {
		return preset
	}
	return r
}

// Rejects reports whether a handler that returned err can never handle its event.
func Rejects(err error) bool { return errors.Is(err, ErrEvent) }

// A Backlog is how much a subscription has not handled.
type Backlog struct {
	Waiting int       // events that wait or are being handled
	Failed  int       // those of them that a handler failed to handle before
	Oldest  time.Time // when the oldest of them was published; zero when none waits
	Dead    int       // dead letters
}

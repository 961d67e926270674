package account

import (
	"math"
	"sync"
	"time"

	"miramundo.dev/shared/account/devicelink"
	"miramundo.dev/shared/account/throttle"
)

// Some requests come often by their nature, and each costs a document. Two devices ask
// for minutes whether the other has acted; a page starts a sign-in by passkey whenever
// its field gets the focus. A pace bounds how often. This process alone counts: what it
// guards against is a page or a program that asks without a pause. Attempts that
// could guess something are counted by package throttle.

const (
	// early is how much sooner than due a question of a device may arrive: networks
	// delay one question more than the next.
	early = 500 * time.Millisecond
	// maxCallers is how many callers a pace counts, in about 1 MiB. Further ones
	// are not counted until some of these have stopped asking.
	maxCallers = 4096
)

// A pace lets each caller ask some times at once, and then once in a time. Its
// methods may be called concurrently.
type pace struct {
	every time.Duration
	burst time.Duration // how far ahead of its pace a caller may be
	now   func() time.Time
	mu    sync.Mutex
	due   map[string]time.Time // when each caller, at its pace, would have asked again; guarded by mu
}

// newPolls returns the pace of the devices of a link.
func newPolls(now func() time.Time) *pace { return newPace(devicelink.PollEvery-early, 1, now) }

// newStarts returns the pace at which a network starts sign-ins by passkey: as often
// as an office does in the morning.
func newStarts(now func() time.Time) *pace { return newPace(500*time.Millisecond, 30, now) }

func newPace(every time.Duration, atOnce int, now func() time.Time) *pace {
	return &pace{every: every, burst: time.Duration(atOnce-1) * every, now: now, due: map[string]time.Time{}}
}

// take counts a question of a caller, or returns throttle.ErrTooMany with the seconds
// to wait when it comes too soon.
func (p *pace) take(caller string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	due := p.due[caller]
	if due.Before(now) {
		due = now
	}
	if wait := due.Sub(now) - p.burst; wait > 0 {
		return throttle.ErrTooMany.With("retry_after", int(math.Ceil(wait.Seconds())))
	}
	if len(p.due) >= maxCallers {
		p.sweep(now)
	}
	if len(p.due) < maxCallers {
		p.due[caller] = due.Add(p.every)
	}
	return nil
}

// sweep forgets the callers that are not ahead of their pace.
func (p *pace) sweep(now time.Time) {
	for caller, due := range p.due {
		if !due.After(now) {
			delete(p.due, caller)
		}
	}
}

package account

import (
	"sync"
	"time"

	"miramundo.dev/shared/account/devicelink"
	"miramundo.dev/shared/account/throttle"
)

// Two devices ask for minutes whether the other has acted, and each question reads a
// document. So each may ask once in devicelink.PollEvery. This process alone counts:
// what it guards against is a page that asks without a pause.

const (
	// early is how much sooner than due a question may arrive: networks delay one
	// question more than the next.
	early = 500 * time.Millisecond
	// maxPolls is how many devices are counted, in about 1 MiB. Further ones are
	// not counted until some of these have stopped asking.
	maxPolls = 4096
)

// polls are the devices that have just asked. Its methods may be called concurrently.
type polls struct {
	now  func() time.Time
	mu   sync.Mutex
	last map[string]time.Time // when each asked; guarded by mu
}

func newPolls(now func() time.Time) *polls { return &polls{now: now, last: map[string]time.Time{}} }

// take counts a question of a device, or returns throttle.ErrTooMany when it comes too
// soon after the one before.
func (p *polls) take(device string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if last, ok := p.last[device]; ok && now.Sub(last) < devicelink.PollEvery-early {
		return throttle.ErrTooMany.With("retry_after", int(devicelink.PollEvery.Seconds()))
	}
	if len(p.last) >= maxPolls {
		p.sweep(now)
	}
	if len(p.last) < maxPolls {
		p.last[device] = now
	}
	return nil
}

// sweep forgets the devices that may ask again.
func (p *polls) sweep(now time.Time) {
	for device, last := range p.last {
		if now.Sub(last) >= devicelink.PollEvery {
			delete(p.last, device)
		}
	}
}

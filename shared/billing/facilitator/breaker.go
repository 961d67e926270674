package facilitator

import (
	"sync"
	"time"
)

const (
	maxFailures = 3                // in a row, after which a facilitator is not called
	restTime    = 30 * time.Second // for which it is not called; then one call tries it
)

// A breaker keeps calls away from a service that fails. Its zero value lets them pass.
type breaker struct {
	mu       sync.Mutex
	failures int       // in a row
	until    time.Time // before which no call passes
}

// allow reports whether a call may be made now. After the rest it lets one call pass,
// and further ones when that has succeeded.
func (b *breaker) allow(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < maxFailures {
		return true
	}
	if now.Before(b.until) {
		return false
	}
	b.until = now.Add(restTime)
	return true
}

// note records the outcome of a call, and reports whether calls stop passing by it.
func (b *breaker) note(now time.Time, ok bool) (opened bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ok {
		b.failures = 0
		return false
	}
	b.failures++
	if b.failures >= maxFailures {
		b.until = now.Add(restTime)
	}
	return b.failures == maxFailures
}

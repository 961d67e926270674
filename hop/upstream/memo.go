package upstream

import (
	"sync"
	"sync/atomic"
	"time"
)

// A value is what a memo keeps.
type value[T any] interface {
	*T

	// weight returns about how many bytes it takes.
	weight() int64

	// over returns what is kept of the value, which was just made, and of the
	// one before it, which may be nil.
	over(kept *T) *T
}

// A memo keeps the last value that was made. One is made at a time, in a
// goroutine of its own, so that nobody who waits for it can spoil it for the
// others.
type memo[T any, P value[T]] struct {
	kept  atomic.Pointer[T]
	total *atomic.Int64 // of the weights of all memos
	frame int64         // weight of what surrounds the value
	used  atomic.Int64  // when the value was last asked for, in Unix seconds

	mu   sync.Mutex
	open *making[T] // guarded by mu
	size int64      // that total holds of this memo; guarded by mu
	gone bool       // from total for good; guarded by mu
}

// A making is a value that is being made. When done is closed, value is there.
type making[T any] struct {
	began time.Time
	done  chan struct{}
	value *T
}

// finished is closed.
var finished = func() chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}()

// next starts the making of a value, which produce returns and which must not
// be nil. When one is being made, or another was since the caller has seen the
// one kept, that is returned.
func (m *memo[T, P]) next(seen *T, now time.Time, produce func() *T) *making[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open != nil {
		return m.open
	}
	if kept := m.kept.Load(); kept != nil && kept != seen {
		return &making[T]{began: now, done: finished, value: kept}
	}
	call := &making[T]{began: now, done: make(chan struct{})}
	m.open = call
	go func() {
		made := produce()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.open = nil
		call.value = m.settle(made)
		close(call.done)
	}()
	return call
}

// offer hands the memo a value that was made elsewhere.
func (m *memo[T, P]) offer(made *T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle(made)
}

// settle keeps a value, or what it leaves of the one before.
func (m *memo[T, P]) settle(made *T) *T {
	kept := P(made).over(m.kept.Load())
	m.kept.Store(kept)
	if !m.gone {
		m.resize(m.frame + P(kept).weight())
	}
	return kept
}

// resize accounts for n bytes. The caller holds mu.
func (m *memo[T, P]) resize(n int64) {
	m.total.Add(n - m.size)
	m.size = n
}

// touch notes that the value was asked for. It writes once a second at most,
// since the note is shared by all that ask.
func (m *memo[T, P]) touch(now time.Time) {
	if s := now.Unix(); m.used.Load() < s {
		m.used.Store(s)
	}
}

// clear forgets the value when stale says so and none is being made.
func (m *memo[T, P]) clear(stale func(*T) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if kept := m.kept.Load(); m.open == nil && kept != nil && stale(kept) {
		m.kept.Store(nil)
		m.resize(m.frame)
	}
}

// retire takes the memo from the total for good, and reports whether it could:
// not while a value is being made.
func (m *memo[T, P]) retire() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open != nil {
		return false
	}
	m.gone = true
	m.resize(0)
	return true
}

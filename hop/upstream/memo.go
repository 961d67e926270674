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

// A memo keeps the last value that was made. One is made at a time, where
// nobody who waits for it can spoil it for the others.
type memo[T any, P value[T]] struct {
	kept  atomic.Pointer[T]
	total *atomic.Int64 // of the weights of all memos
	frame int64         // weight of what surrounds the value
	born  int64         // when it was first asked for, in seconds of the cache
	used  atomic.Int64  // when it was last asked for, likewise

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
	call, first := m.join(seen, now)
	if first {
		go func() { m.finish(call, produce()) }()
	}
	return call
}

// do is next for a caller that nothing interrupts: it makes the value itself,
// or waits for it.
func (m *memo[T, P]) do(seen *T, now time.Time, produce func() *T) *T {
	call, first := m.join(seen, now)
	if first {
		m.finish(call, produce())
	}
	<-call.done
	return call.value
}

// join returns the making of the next value, and whether it is the caller's to
// finish.
func (m *memo[T, P]) join(seen *T, now time.Time) (call *making[T], first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open != nil {
		return m.open, false
	}
	if kept := m.kept.Load(); kept != nil && kept != seen {
		return &making[T]{began: now, done: finished, value: kept}, false
	}
	m.open = &making[T]{began: now, done: make(chan struct{})}
	return m.open, true
}

// finish hands the value that was made to all who wait for it.
func (m *memo[T, P]) finish(call *making[T], made *T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open = nil
	call.value = m.settle(made)
	close(call.done)
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
func (m *memo[T, P]) touch(now int64) {
	if m.used.Load() < now {
		m.used.Store(now)
	}
}

// amend keeps what change makes of the value, which may be nil, when there is
// one and no newer one is being made.
func (m *memo[T, P]) amend(change func(*T) *T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.kept.Load()
	if m.open != nil || m.gone || kept == nil {
		return
	}
	size := m.frame
	if kept = change(kept); kept != nil {
		size += P(kept).weight()
	}
	m.kept.Store(kept)
	m.resize(size)
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

package upstream

import (
	"sync"
	"sync/atomic"
	"time"
)

// A memo keeps a value and produces the next one in a single goroutine that
// all callers share. Readers load the kept value without a lock. Producing is
// detached from its callers: one that stops waiting cancels nothing.

// A value is what a memo keeps.
type value[T any] interface {
	*T

	// weight returns about how many bytes it takes.
	weight() int64

	// merge returns what to keep: of the receiver, which was just produced,
	// and the value kept so far, which may be nil.
	merge(kept *T) *T
}

// A memo keeps the last produced value. One value is produced at a time.
type memo[T any, P value[T]] struct {
	kept     atomic.Pointer[T]
	total    *atomic.Int64 // weight of all memos of the cache
	overhead int64         // weight of the entry without its value
	born     int64         // when it was first requested, in seconds of the cache
	used     atomic.Int64  // when it was last requested, likewise

	mu      sync.Mutex
	making  *pending[T] // guarded by mu
	size    int64       // this memo's part of total; guarded by mu
	retired bool        // no longer counted in total; guarded by mu
}

// A pending is a value that is being produced. When done is closed, value is
// set.
type pending[T any] struct {
	began time.Time
	done  chan struct{}
	value *T
}

// finished is a closed channel.
var finished = func() chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}()

// next starts producing a value with produce, which must not return nil, in
// another goroutine. It returns the production under way when there is one,
// and the kept value when that is newer than seen, the value that the caller
// has.
func (m *memo[T, P]) next(seen *T, now time.Time, produce func() *T) *pending[T] {
	call, first := m.join(seen, now)
	if first {
		go func() { m.finish(call, produce()) }()
	}
	return call
}

// do is next for a caller that cannot be canceled: it produces the value
// itself, or waits for it.
func (m *memo[T, P]) do(seen *T, now time.Time, produce func() *T) *T {
	call, first := m.join(seen, now)
	if first {
		m.finish(call, produce())
	}
	<-call.done
	return call.value
}

// join returns the production of the next value, and whether the caller must
// finish it.
func (m *memo[T, P]) join(seen *T, now time.Time) (call *pending[T], first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.making != nil {
		return m.making, false
	}
	if kept := m.kept.Load(); kept != nil && kept != seen {
		return &pending[T]{began: now, done: finished, value: kept}, false
	}
	m.making = &pending[T]{began: now, done: make(chan struct{})}
	return m.making, true
}

// finish keeps a produced value and hands it to all who wait.
func (m *memo[T, P]) finish(call *pending[T], made *T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.making = nil
	call.value = m.settle(made)
	close(call.done)
}

// offer hands the memo a value that was produced elsewhere.
func (m *memo[T, P]) offer(made *T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle(made)
}

// settle keeps what merging made with the kept value leaves, and returns it.
func (m *memo[T, P]) settle(made *T) *T {
	kept := P(made).merge(m.kept.Load())
	m.kept.Store(kept)
	if !m.retired {
		m.resize(m.overhead + P(kept).weight())
	}
	return kept
}

// resize sets this memo's part of the total to n bytes. The caller holds mu.
func (m *memo[T, P]) resize(n int64) {
	m.total.Add(n - m.size)
	m.size = n
}

// touch notes a request for the value. It writes at most once a second, since
// all callers share the field.
func (m *memo[T, P]) touch(now int64) {
	if m.used.Load() < now {
		m.used.Store(now)
	}
}

// amend replaces the kept value by what change returns, which may be nil. It
// does nothing when no value is kept or a newer one is being produced.
func (m *memo[T, P]) amend(change func(*T) *T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.kept.Load()
	if m.making != nil || m.retired || kept == nil {
		return
	}
	size := m.overhead
	if kept = change(kept); kept != nil {
		size += P(kept).weight()
	}
	m.kept.Store(kept)
	m.resize(size)
}

// retire takes the memo out of the total for good, and reports whether it
// did: not while a value is being produced.
func (m *memo[T, P]) retire() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.making != nil {
		return false
	}
	m.retired = true
	m.resize(0)
	return true
}

// Package memo keeps a value of which a new one is produced now and then.
//
// Readers load the kept value without a lock. The next one is produced in a
// single goroutine that all callers share. Producing is detached from its
// callers: one that stops waiting cancels nothing.
package memo

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Value is what a Memo keeps.
type Value[T any] interface {
	*T

	// Weight returns about how many bytes it takes.
	Weight() int64

	// Merge returns what to keep: of the receiver, which was just produced,
	// and the value kept so far, which may be nil.
	Merge(kept *T) *T
}

// A Memo keeps the last produced value. One value is produced at a time.
type Memo[T any, P Value[T]] struct {
	kept     atomic.Pointer[T]
	total    *atomic.Int64 // weight of all memos of the cache
	overhead int64         // weight of the entry without its value
	born     int64         // when it was first requested, in seconds of the cache
	used     atomic.Int64  // when it was last requested, likewise

	mu      sync.Mutex
	making  *Pending[T] // guarded by mu
	size    int64       // this memo's part of total; guarded by mu
	retired bool        // no longer counted in total; guarded by mu
}

// Init makes m ready for use, and must be called first. total is the weight of all
// memos of a cache, which this one adds its own to; overhead is the weight of the
// entry without its value; now is a time in the seconds of the cache.
func (m *Memo[T, P]) Init(total *atomic.Int64, overhead, now int64) {
	m.total, m.overhead, m.born = total, overhead, now
}

// Kept returns the last value, or nil before the first.
func (m *Memo[T, P]) Kept() *T { return m.kept.Load() }

// Used returns when the value was last requested, in the seconds of the cache.
func (m *Memo[T, P]) Used() int64 { return m.used.Load() }

// Repeated reports whether the value was requested in more than one second.
func (m *Memo[T, P]) Repeated() bool { return m.used.Load()-m.born > 1 }

// A Pending is a value that is being produced. When Done is closed, Value is
// set.
type Pending[T any] struct {
	Began time.Time
	Done  chan struct{}
	Value *T
}

// finished is a closed channel.
var finished = func() chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}()

// Next starts producing a value with produce, which must not return nil, in
// another goroutine. It returns the production under way when there is one,
// and the kept value when that is newer than seen, the value that the caller
// has.
func (m *Memo[T, P]) Next(seen *T, now time.Time, produce func() *T) *Pending[T] {
	call, first := m.join(seen, now)
	if first {
		go func() { m.finish(call, produce()) }()
	}
	return call
}

// Do is Next for a caller that cannot be canceled: it produces the value
// itself, or waits for it.
func (m *Memo[T, P]) Do(seen *T, now time.Time, produce func() *T) *T {
	call, first := m.join(seen, now)
	if first {
		m.finish(call, produce())
	}
	<-call.Done
	return call.Value
}

// join returns the production of the next value, and whether the caller must
// finish it.
func (m *Memo[T, P]) join(seen *T, now time.Time) (call *Pending[T], first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.making != nil {
		return m.making, false
	}
	if kept := m.kept.Load(); kept != nil && kept != seen {
		return &Pending[T]{Began: now, Done: finished, Value: kept}, false
	}
	m.making = &Pending[T]{Began: now, Done: make(chan struct{})}
	return m.making, true
}

// finish keeps a produced value and hands it to all who wait.
func (m *Memo[T, P]) finish(call *Pending[T], made *T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.making = nil
	call.Value = m.settle(made)
	close(call.Done)
}

// Offer hands the memo a value that was produced elsewhere.
func (m *Memo[T, P]) Offer(made *T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle(made)
}

// settle keeps what merging made with the kept value leaves, and returns it.
func (m *Memo[T, P]) settle(made *T) *T {
	kept := P(made).Merge(m.kept.Load())
	m.kept.Store(kept)
	if !m.retired {
		m.resize(m.overhead + P(kept).Weight())
	}
	return kept
}

// resize sets this memo's part of the total to n bytes. The caller holds mu.
func (m *Memo[T, P]) resize(n int64) {
	m.total.Add(n - m.size)
	m.size = n
}

// Touch notes a request for the value. It writes at most once a second, since
// all callers share the field.
func (m *Memo[T, P]) Touch(now int64) {
	if m.used.Load() < now {
		m.used.Store(now)
	}
}

// Amend replaces the kept value by what change returns, which may be nil. It
// does nothing when no value is kept or a newer one is being produced.
func (m *Memo[T, P]) Amend(change func(*T) *T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.kept.Load()
	if m.making != nil || m.retired || kept == nil {
		return
	}
	size := m.overhead
	if kept = change(kept); kept != nil {
		size += P(kept).Weight()
	}
	m.kept.Store(kept)
	m.resize(size)
}

// Retire takes the memo out of the total for good, and reports whether it
// did: not while a value is being produced.
func (m *Memo[T, P]) Retire() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.making != nil {
		return false
	}
	m.retired = true
	m.resize(0)
	return true
}

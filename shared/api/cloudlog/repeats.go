package cloudlog

import (
	"log/slog"
	"sync"
	"time"
)

// repeatEvery is the time between two records of one thing.
const repeatEvery = time.Minute

// A Repeats logs things that callers can make happen thousands of times a second: each at
// once when it first happens, and then once a minute with the number of times since, for
// as long as it goes on. Its methods may be called concurrently.
type Repeats struct {
	log          *slog.Logger
	message, key string

	mu      sync.Mutex
	pending map[string]*pending // by the value of key; guarded by mu
}

// pending is what happened since the last record.
type pending struct {
	count int
	timer *time.Timer // of the next record
}

// NewRepeats returns a Repeats that warns of things with a message. Each thing is named
// in the attribute key, and the attribute count says how often it happened.
func NewRepeats(log *slog.Logger, message, key string) *Repeats {
	return &Repeats{log: log, message: message, key: key, pending: map[string]*pending{}}
}

// Add notes that a thing happened. There must be few things: each is kept in memory
// for a minute.
func (r *Repeats) Add(thing string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.pending[thing]; p != nil {
		p.count++
		return
	}
	r.write(thing, 1)
	p := &pending{}
	p.timer = time.AfterFunc(repeatEvery, func() { r.next(thing, p) })
	r.pending[thing] = p
}

// next logs what happened in the last minute, or forgets a thing that did not happen.
func (r *Repeats) next(thing string, p *pending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.pending[thing] != p: // flushed meanwhile
	case p.count == 0:
		delete(r.pending, thing)
	default:
		r.write(thing, p.count)
		p.count = 0
		p.timer.Reset(repeatEvery)
	}
}

// Flush logs what happened since the last records, for a process that ends.
func (r *Repeats) Flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for thing, p := range r.pending {
		p.timer.Stop()
		if p.count > 0 {
			r.write(thing, p.count)
		}
	}
	clear(r.pending)
}

func (r *Repeats) write(thing string, count int) {
	r.log.Warn(r.message, r.key, thing, "count", count)
}

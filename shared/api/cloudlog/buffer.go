package cloudlog

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Bounds of a Buffer.
const (
	batch   = 64 << 10               // bytes that are written at once
	linger  = 200 * time.Millisecond // how long a record waits for others
	backlog = 4 << 20                // bytes that wait for a writer that does not keep up
)

// A Buffer is a writer of records that never makes its callers wait for the
// one below: it gathers what they write and passes it on in batches, 64 KiB or
// 200 ms at a time. When the writer below does not keep up, records beyond 4
// MiB are lost, and the next that gets through is one that says how many.
type Buffer struct {
	w    io.Writer
	full chan struct{} // told when a batch is there
	stop chan struct{}
	done chan struct{}

	mu      sync.Mutex
	waiting []byte // guarded by mu
	lost    int    // records; guarded by mu
	closed  bool   // guarded by mu
}

// NewBuffer returns a buffer before w. Close it, or lose what is in it.
func NewBuffer(w io.Writer) *Buffer {
	b := &Buffer{w: w, full: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go b.run()
	return b
}

// Write takes one record. It fails only after Close, when the writer does.
func (b *Buffer) Write(record []byte) (int, error) {
	if !b.keep(record) {
		<-b.done
		return b.w.Write(record)
	}
	return len(record), nil
}

// keep puts a record to those that wait. It reports false when none may.
func (b *Buffer) keep(record []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	if len(b.waiting)+len(record) > backlog {
		b.lost++
		return true
	}
	b.waiting = append(b.waiting, record...)
	if len(b.waiting) >= batch {
		select {
		case b.full <- struct{}{}:
		default:
		}
	}
	return true
}

// Close writes what is left. Records that come later are written at once.
func (b *Buffer) Close() error {
	b.mu.Lock()
	again := b.closed
	b.closed = true
	b.mu.Unlock()
	if !again {
		close(b.stop)
	}
	<-b.done
	return nil
}

func (b *Buffer) run() {
	defer close(b.done)
	tick := time.NewTicker(linger)
	defer tick.Stop()
	var spare []byte
	for {
		ended := false
		select {
		case <-b.full:
		case <-tick.C:
		case <-b.stop:
			ended = true
		}
		spare = b.flush(spare)
		if ended {
			return
		}
	}
}

// flush writes what waits and returns its memory for the next batch.
func (b *Buffer) flush(spare []byte) []byte {
	b.mu.Lock()
	out, lost := b.waiting, b.lost
	b.waiting, b.lost = spare[:0], 0
	b.mu.Unlock()
	if lost > 0 {
		out = fmt.Appendf(out, `{"severity":"WARNING","message":"log records were lost","records":%d}`+"\n", lost)
	}
	if len(out) > 0 {
		_, _ = b.w.Write(out) // a log that cannot be written cannot be told of either
	}
	if cap(out) > 4*batch {
		return nil
	}
	return out
}

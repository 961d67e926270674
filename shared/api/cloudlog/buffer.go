package cloudlog

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Bounds of a Buffer.
const (
	batch   = 64 << 10               // bytes of waiting records that start a write
	linger  = 200 * time.Millisecond // the longest time that a record waits for others
	backlog = 4 << 20                // bytes that may wait while the writer is slow
)

// A Buffer is a writer of log records that never blocks its callers: it collects
// records and writes them to another writer in the background, in batches of 64 KiB
// or every 200 ms. When that writer falls behind, records beyond 4 MiB are dropped,
// and a record with their number is written when it accepts data again. Logging is
// therefore never the reason for a slow response.
//
// A Buffer may be used concurrently. Records keep the order in which they came. A
// process that ends without Close loses the records of the last 200 ms.
type Buffer struct {
	w    io.Writer     // used by the goroutine of run alone, until done is closed
	full chan struct{} // receives a signal when a batch is waiting
	stop chan struct{} // closed by Close
	done chan struct{} // closed when run has returned

	mu      sync.Mutex // guards the fields below
	waiting []byte     // records that are not yet written
	lost    int        // number of dropped records
	closed  bool
}

// NewBuffer returns a buffer before w and starts its goroutine, which ends with
// Close.
func NewBuffer(w io.Writer) *Buffer {
	b := &Buffer{w: w, full: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go b.run()
	return b
}

// Write adds one record, which it copies. Before Close it never fails; after Close
// it writes to the underlying writer directly and returns its error.
func (b *Buffer) Write(record []byte) (int, error) {
	if !b.keep(record) {
		<-b.done
		return b.w.Write(record)
	}
	return len(record), nil
}

// keep adds a record to the waiting ones, or drops it when too many bytes wait. It
// returns false when the buffer is closed.
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

// Close writes the waiting records and waits until that is done. Later records are
// written at once. Repeated calls are allowed.
func (b *Buffer) Close() error {
	b.mu.Lock()
	wasClosed := b.closed
	b.closed = true
	b.mu.Unlock()
	if !wasClosed {
		close(b.stop)
	}
	<-b.done
	return nil
}

// run writes batches until Close.
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

// flush writes the waiting records. spare is the memory for the records that come
// meanwhile; flush returns the memory that it has written, for the next call. The
// two slices alternate, so that steady logging allocates nothing. Memory that grew
// far beyond a batch is released.
func (b *Buffer) flush(spare []byte) []byte {
	b.mu.Lock()
	out, lost := b.waiting, b.lost
	b.waiting, b.lost = spare[:0], 0
	b.mu.Unlock()
	if lost > 0 {
		out = fmt.Appendf(out, `{"severity":"WARNING","message":"log records were lost","records":%d}`+"\n", lost)
	}
	if len(out) > 0 {
		_, _ = b.w.Write(out) // a failing log has no place to report its failure
	}
	if cap(out) > 4*batch {
		return nil
	}
	return out
}

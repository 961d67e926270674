package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"miramundo.dev/shared/source/collect"
)

// A printer writes lines for a person who watches the stack start. Its methods
// may be called concurrently.
type printer struct {
	mu    sync.Mutex
	out   io.Writer
	now   func() time.Time
	last  map[string]time.Time // when the last line about each file was written; guarded by mu
	pause time.Duration        // between two lines about one file
}

func newPrinter(out io.Writer, now func() time.Time) *printer {
	return &printer{out: out, now: now, last: map[string]time.Time{}, pause: 2 * time.Second}
}

// say writes a line.
func (t *printer) say(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.out, format+"\n", args...)
}

// progress writes a line about a file of the catalog when it was read, and every
// two seconds while it is read.
func (t *printer) progress(p collect.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	begun, seen := t.last[p.Name]
	switch {
	case p.Done && p.Bytes == 0: // a file that this place does not have
	case p.Done:
		delete(t.last, p.Name)
		fmt.Fprintf(t.out, "  %-28s %9d records  %s\n", p.Name, p.Items, size(p.Bytes))
	case !seen:
		t.last[p.Name] = now
	case now.Sub(begun) >= t.pause:
		t.last[p.Name] = now
		fmt.Fprintf(t.out, "  %-28s   reading …        %s\n", p.Name, size(p.Bytes))
	}
}

// size returns a number of bytes with its unit.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%8d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%8.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%8.1f MiB", float64(n)/(1<<20))
}

package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"miramundo.dev/shared/source/collect"
)

// A teller tells a person how the loading of the catalog goes on.
type teller struct {
	mu    sync.Mutex
	out   io.Writer
	now   func() time.Time
	last  map[string]time.Time // when each file was last told about; guarded by mu
	pause time.Duration        // between two lines about one file
}

func newTeller(out io.Writer, now func() time.Time) *teller {
	return &teller{out: out, now: now, last: map[string]time.Time{}, pause: 2 * time.Second}
}

// say writes a line.
func (t *teller) say(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.out, format+"\n", args...)
}

// progress writes a line about a file when it is done, and now and then before.
func (t *teller) progress(p collect.Progress) {
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

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%8d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%8.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%8.1f MiB", float64(n)/(1<<20))
}

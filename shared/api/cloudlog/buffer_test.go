package cloudlog

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A slow writer takes a write only when it is let.
type slow struct {
	mu  sync.Mutex
	out bytes.Buffer
	let chan struct{} // nil lets every write
}

func (s *slow) Write(p []byte) (int, error) {
	if s.let != nil {
		<-s.let
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func (s *slow) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// TestBuffer checks when records are passed on: in time, when there are many,
// at the end, and after it.
func TestBuffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w slow
		b := NewBuffer(&w)
		io.WriteString(b, "one\n")
		synctest.Wait()
		if got := w.String(); got != "" {
			t.Errorf("written at once: %q", got)
		}
		time.Sleep(linger)
		synctest.Wait()
		if got := w.String(); got != "one\n" {
			t.Errorf("after %s there is %q", linger, got)
		}
		io.WriteString(b, strings.Repeat("x", batch))
		synctest.Wait()
		if got := len(w.String()); got != 4+batch {
			t.Errorf("a whole batch waits: %d bytes", got)
		}
		io.WriteString(b, "last\n")
		b.Close()
		b.Close()
		io.WriteString(b, "later\n")
		if got := w.String(); !strings.HasSuffix(got, "xlast\nlater\n") {
			t.Errorf("ends with %q", got[len(got)-20:])
		}
	})
}

// TestBufferOverflow checks that a writer that stands still costs neither time
// nor memory, and that what is lost is told.
func TestBufferOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := slow{let: make(chan struct{})}
		b := NewBuffer(&w)
		record := []byte(strings.Repeat("x", 1<<20-1) + "\n")
		b.Write(record)
		synctest.Wait() // the first is with the writer below, which does not take it
		for range 6 {
			b.Write(record)
		}
		close(w.let)
		b.Close()
		out := w.String()
		if got := strings.Count(out, "x\n"); got != 5 {
			t.Errorf("%d records came through, want 5", got)
		}
		if !strings.Contains(out, `"records":2}`) {
			t.Errorf("ends with %q", out[len(out)-100:])
		}
	})
}

func TestBufferConcurrent(t *testing.T) {
	var w slow
	b := NewBuffer(&w)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				io.WriteString(b, "a record\n")
			}
		})
	}
	wg.Wait()
	b.Close()
	if got := w.String(); got != strings.Repeat("a record\n", 8000) {
		t.Errorf("%d bytes, and not 8000 records", len(got))
	}
}

func BenchmarkBuffer(b *testing.B) {
	w := NewBuffer(io.Discard)
	defer w.Close()
	record := []byte(strings.Repeat("x", 300))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			w.Write(record)
		}
	})
}

package identity

import (
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// numbered returns the caller of an address.
func numbered(n int) Caller {
	return Caller{Addr: netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})}
}

func TestMarkSet(t *testing.T) {
	s := NewMarkSet(1000)
	const day Day = 7
	for _, test := range []struct {
		name string
		mark uint64
		day  Day
		want bool
	}{
		{"new", 5, day, true},
		{"again", 5, day, false},
		{"same bucket", 5 + 1<<32, day, true},
		{"zero", 0, day, true},
		{"zero again", 0, day, false},
		{"a clock that is late", 5, day - 1, false},
		{"the next day", 5, day + 1, true},
	} {
		if got := s.Add(test.mark, test.day); got != test.want {
			t.Errorf("%s: add = %t", test.name, got)
		}
	}
	s.Forget(5)
	s.Forget(6)
	if !s.Add(5, day+1) {
		t.Error("a mark that was forgotten is not new")
	}
}

// TestMarkSetBounds adds more marks than there are slots: the last ones are
// found, and the set has not grown.
func TestMarkSetBounds(t *testing.T) {
	s := NewMarkSet(64)
	if n := len(s.table.Load().buckets) * ways; n != 64 {
		t.Fatalf("room for %d marks", n)
	}
	marks := NewMarks()
	for n := range 10_000 {
		mark := marks.Network(numbered(n), Day(n/256))
		s.Add(mark, 1)
		if s.Add(mark, 1) {
			t.Fatalf("mark %d is forgotten at once", n)
		}
	}
	if n := len(s.table.Load().buckets) * ways; n != 64 {
		t.Errorf("room for %d marks", n)
	}
}

// TestMarkSetFill checks that a set that is half full has lost nearly none.
func TestMarkSetFill(t *testing.T) {
	s, marks := NewMarkSet(1<<14), NewMarks()
	again := 0
	for range 2 {
		again = 0
		for n := range 1 << 13 {
			if s.Add(marks.Network(numbered(n%256), Day(n/256)), 1) {
				again++
			}
		}
	}
	if again > 1<<13/20 {
		t.Errorf("%d of %d marks were forgotten", again, 1<<13)
	}
}

// TestMarkSetRace adds each mark from many goroutines: for exactly one it was
// missing.
func TestMarkSetRace(t *testing.T) {
	s := NewMarkSet(1 << 14)
	var first atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for n := range uint64(1000) {
				if s.Add(n*0x9e3779b97f4a7c15, 1) {
					first.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if first.Load() != 1000 {
		t.Errorf("%d marks were new, want 1000", first.Load())
	}
}

// TestNewDay has many goroutines add marks in the first moment of a day: one
// new table is made.
func TestNewDay(t *testing.T) {
	const marks = 1 << 17
	s := NewMarkSet(marks)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := make(chan struct{})
	var all sync.WaitGroup
	var added atomic.Int64
	for range 64 {
		all.Go(func() {
			<-begin
			if s.Add(1, 7) {
				added.Add(1)
			}
		})
	}
	close(begin)
	all.Wait()
	runtime.ReadMemStats(&after)
	if tables := (after.TotalAlloc - before.TotalAlloc) / (marks * 8); tables != 1 {
		t.Errorf("%d tables were made", tables)
	}
	if added.Load() != 1 {
		t.Errorf("the mark was added %d times", added.Load())
	}
}

package audience

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
)

func TestMarkSet(t *testing.T) {
	s := newMarkSet(1000)
	const day identity.Day = 7
	for _, test := range []struct {
		name string
		mark uint64
		day  identity.Day
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
		if got := s.add(test.mark, test.day); got != test.want {
			t.Errorf("%s: add = %t", test.name, got)
		}
	}
	s.forget(5)
	s.forget(6)
	if !s.add(5, day+1) {
		t.Error("a mark that was forgotten is not new")
	}
}

// TestMarkSetBounds adds more marks than there are slots: the last ones are
// found, and the set has not grown.
func TestMarkSetBounds(t *testing.T) {
	s := newMarkSet(64)
	if n := len(s.table.Load().buckets) * ways; n != 64 {
		t.Fatalf("room for %d marks", n)
	}
	marks := identity.NewMarks()
	for n := range 10_000 {
		mark := marks.Network(caller(n), identity.Day(n/256))
		s.add(mark, 1)
		if s.add(mark, 1) {
			t.Fatalf("mark %d is forgotten at once", n)
		}
	}
	if n := len(s.table.Load().buckets) * ways; n != 64 {
		t.Errorf("room for %d marks", n)
	}
}

// TestMarkSetFill checks that a set that is half full has lost nearly none.
func TestMarkSetFill(t *testing.T) {
	s, marks := newMarkSet(1<<14), identity.NewMarks()
	again := 0
	for range 2 {
		again = 0
		for n := range 1 << 13 {
			if s.add(marks.Network(caller(n%256), identity.Day(n/256)), 1) {
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
	s := newMarkSet(1 << 14)
	var first atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for n := range uint64(1000) {
				if s.add(n*0x9e3779b97f4a7c15, 1) {
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

// A sink is a bus that accepts everything and delivers nothing.
type sink struct{ bus.Bus }

func (sink) Publish(context.Context, string, ...bus.Event) error { return nil }

func benchCounter(b *testing.B) *Counter {
	c := New(Options{Bus: sink{}, People: identity.NewPeople(keyringtest.Ring(secret))})
	b.Cleanup(func() { _ = c.Close(context.Background()) })
	b.ReportAllocs()
	return c
}

// BenchmarkPlay is a repeated play, which nearly every request is.
func BenchmarkPlay(b *testing.B) {
	c := benchCounter(b)
	people := make([]identity.Caller, 1024)
	for n := range people {
		people[n] = caller(n)
	}
	b.RunParallel(func(pb *testing.PB) {
		for n := 0; pb.Next(); n++ {
			c.Play(people[n&1023], "RecordNews.br")
		}
	})
}

func BenchmarkPlayOfOne(b *testing.B) {
	c := benchCounter(b)
	who := caller(1)
	who.UserAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c.Play(who, "RecordNews.br")
		}
	})
}

// BenchmarkPlayNew is the first play of each person.
func BenchmarkPlayNew(b *testing.B) {
	c := benchCounter(b)
	who := caller(1)
	var n uint32
	for b.Loop() {
		n++
		who.Addr = caller(int(n)).Addr
		who.UserAgent = string([]byte{byte(n >> 8), byte(n >> 16), byte(n >> 24)})
		c.Play(who, "RecordNews.br")
	}
}

func BenchmarkLatency(b *testing.B) {
	c := benchCounter(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c.Latency("RecordNews.br", "BR", time.Millisecond)
		}
	})
}

// TestNewDay has many goroutines add marks in the first moment of a day: one
// new table is made.
func TestNewDay(t *testing.T) {
	const marks = 1 << 17
	s := newMarkSet(marks)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := make(chan struct{})
	var all sync.WaitGroup
	var added atomic.Int64
	for range 64 {
		all.Go(func() {
			<-begin
			if s.add(1, 7) {
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

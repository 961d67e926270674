package budget

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A clock stands still until it is moved.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newClock() *clock { return &clock{time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)} }

// TestGrant checks how many calls a bucket gives, and how long a caller waits for one.
func TestGrant(t *testing.T) {
	a := Allowance{AtOnce: 3, Every: 10 * time.Second}
	now := newClock().t
	for _, test := range []struct {
		name    string
		due     time.Duration // after now
		n       int
		granted int
		next    time.Duration // after now
		wait    time.Duration
	}{
		{"never used", -time.Hour, 1, 1, 10 * time.Second, 0},
		{"all of it", 0, 9, 3, 30 * time.Second, 0},
		{"a part", 5 * time.Second, 9, 2, 25 * time.Second, 0},
		{"the last", 20 * time.Second, 1, 1, 30 * time.Second, 0},
		{"almost one", 20*time.Second + time.Millisecond, 1, 0, 20*time.Second + time.Millisecond, time.Millisecond},
		{"none", 30 * time.Second, 1, 0, 30 * time.Second, 10 * time.Second},
		{"a clock that is a little ahead", 90 * time.Second, 1, 0, 30 * time.Second, 10 * time.Second},
		{"a clock that was ahead", 30 * 24 * time.Hour, 1, 1, 10 * time.Second, 0},
	} {
		granted, next, wait := a.Grant(now.Add(test.due), now, test.n)
		if granted != test.granted || next.Sub(now) != test.next || wait != test.wait {
			t.Errorf("%s: %d, whole after %v, wait %v; want %d, %v, %v", test.name, granted, next.Sub(now), wait, test.granted, test.next, test.wait)
		}
	}
}

// TestLimiterAtOnce checks that calls at a time get no more than calls in turn.
func TestLimiterAtOnce(t *testing.T) {
	l := NewLimiter[string](Guests.Network, newClock().now)
	var taken atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range Guests.Network.AtOnce {
				if l.Take("network") == nil {
					taken.Add(1)
				}
			}
		})
	}
	all.Wait()
	if int(taken.Load()) != Guests.Network.AtOnce {
		t.Errorf("%d calls, want %d", taken.Load(), Guests.Network.AtOnce)
	}
}

// TestLimiterIsBounded checks that memory is bounded when very many subjects call, that
// those beyond the bound have little together, and that there is room again later.
func TestLimiterIsBounded(t *testing.T) {
	c := newClock()
	l := NewLimiter[netip.Addr](Guests.Network, c.now)
	network := func(i int) netip.Addr {
		return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
	}
	for i := range maxSubjects {
		if err := l.Take(network(i)); err != nil {
			t.Fatalf("network %d: %v", i, err)
		}
	}
	taken := 0
	for i := range 1000 {
		if l.Take(network(maxSubjects+i)) == nil {
			taken++
		}
	}
	if taken != Guests.Network.AtOnce || len(l.due) != maxSubjects || l.Check(network(maxSubjects)) == nil {
		t.Errorf("%d calls of subjects beyond the bound, want %d; %d are counted", taken, Guests.Network.AtOnce, len(l.due))
	}
	if err := l.Take(network(7)); err != nil {
		t.Errorf("a network that was there before: %v", err)
	}
	c.t = c.t.Add(Guests.Network.Every)
	if err := l.Take(network(2 * maxSubjects)); err != nil || len(l.due) != 2 {
		t.Errorf("when the crowd has gone: %v; %d are counted, want network 7 and the last", err, len(l.due))
	}
}

// BenchmarkLimiter is what a call with a budget costs for one subject.
func BenchmarkLimiter(b *testing.B) {
	for _, subjects := range []int{1, maxSubjects} {
		b.Run(fmt.Sprintf("subjects=%d", subjects), func(b *testing.B) {
			l := NewLimiter[int](Allowance{AtOnce: 1 << 30, Every: 1}, time.Now)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				_ = l.Take(i % subjects)
			}
		})
	}
}

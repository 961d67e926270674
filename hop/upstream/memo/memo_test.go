package memo

import (
	"sync/atomic"
	"testing"
	"time"
)

// A number is a value whose weight it is. The greater of two numbers is kept.
type number int64

func (n *number) Weight() int64 { return int64(*n) }

func (n *number) Merge(kept *number) *number {
	if kept != nil && *kept > *n {
		return kept
	}
	return n
}

func of(n number) *number { return &n }

const overhead = 100

func newNumbers() (*Memo[number, *number], *atomic.Int64) {
	m, total := &Memo[number, *number]{}, new(atomic.Int64)
	m.Init(total, overhead, 0)
	return m, total
}

// TestNextIsShared checks that callers who have the same value wait for one
// production, and that one who comes later gets its value without another.
func TestNextIsShared(t *testing.T) {
	m, total := newNumbers()
	release := make(chan struct{})
	first := m.Next(nil, time.Time{}, func() *number { <-release; return of(7) })
	second := m.Next(nil, time.Time{}, func() *number { panic("produced twice") })
	if first != second {
		t.Fatal("a second production was started")
	}
	if m.Retire() {
		t.Error("retired while a value is being produced")
	}
	close(release)
	<-second.Done
	if got := m.Kept(); got != first.Value || *got != 7 {
		t.Errorf("kept %v, want the value that was produced", got)
	}
	if got := m.Do(nil, time.Time{}, func() *number { panic("produced again") }); *got != 7 {
		t.Errorf("a caller without a value gets %d, want 7", *got)
	}
	if got := m.Do(m.Kept(), time.Time{}, func() *number { return of(9) }); *got != 9 {
		t.Errorf("a caller with the kept value gets %d, want the next, 9", *got)
	}
	if total.Load() != overhead+9 {
		t.Errorf("the total is %d, want %d", total.Load(), overhead+9)
	}
}

// TestOfferMerges checks that a value that was produced elsewhere is merged.
func TestOfferMerges(t *testing.T) {
	m, _ := newNumbers()
	for _, step := range []struct{ offered, want number }{{5, 5}, {3, 5}, {8, 8}} {
		if m.Offer(of(step.offered)); *m.Kept() != step.want {
			t.Errorf("after %d is offered, %d is kept, want %d", step.offered, *m.Kept(), step.want)
		}
	}
}

// TestWeightFollowsTheValue checks the total when the value is replaced, dropped
// and taken out for good.
func TestWeightFollowsTheValue(t *testing.T) {
	m, total := newNumbers()
	want := func(n int64, when string) {
		t.Helper()
		if total.Load() != n {
			t.Errorf("%s the total is %d, want %d", when, total.Load(), n)
		}
	}
	m.Amend(func(*number) *number { panic("nothing is kept") })
	want(0, "before a value")
	m.Offer(of(5))
	m.Amend(func(*number) *number { return of(2) })
	want(overhead+2, "after an amendment")
	m.Amend(func(*number) *number { return nil })
	want(overhead, "without a value")
	if !m.Retire() {
		t.Error("not retired, though nothing is being produced")
	}
	m.Offer(of(5))
	want(0, "after retirement")
}

func TestRepeated(t *testing.T) {
	m, _ := newNumbers()
	for _, step := range []struct {
		now, used int64
		repeated  bool
	}{{1, 1, false}, {0, 1, false}, {2, 2, true}} {
		m.Touch(step.now)
		if m.Used() != step.used || m.Repeated() != step.repeated {
			t.Errorf("touched at %d: used at %d, repeated %t; want %d, %t", step.now, m.Used(), m.Repeated(), step.used, step.repeated)
		}
	}
}

package throttle

import (
	"errors"
	"sync"
	"testing"
	"time"

	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store/storetest"
)

// TestDraw takes calls from one allowance at several writers at a time, and later.
func TestDraw(t *testing.T) {
	a := budget.Allowance{AtOnce: 12, Every: time.Minute, Chunk: 5}
	each(t, func(t *testing.T, th *Throttle, c *clock, writers int) {
		c.at = c.at.Truncate(time.Microsecond) // as times are stored
		var mu sync.Mutex
		var all sync.WaitGroup
		taken := 0
		for range writers {
			all.Go(func() {
				for range 5 {
					n, _, err := th.Draw(t.Context(), "test", a, "192.0.2.1/32", a.Chunk)
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					taken += n
					mu.Unlock()
				}
			})
		}
		all.Wait()
		n, wait, err := th.Draw(t.Context(), "test", a, "192.0.2.1/32", a.Chunk)
		if taken != 12 || n != 0 || wait != time.Minute || err != nil {
			t.Errorf("%d writers took %d, then %d, %v; wait %v, want 12 in all and a minute", writers, taken, n, err, wait)
		}
		if n, _, err := th.Draw(t.Context(), "test", a, "192.0.2.2/32", 1); n != 1 || err != nil {
			t.Errorf("another subject: %d, %v", n, err)
		}
		if n, _, err := th.Draw(t.Context(), "another", a, "192.0.2.1/32", 1); n != 1 || err != nil {
			t.Errorf("another kind: %d, %v", n, err)
		}
		c.at = c.at.Add(12 * time.Minute)
		if n, _, err := th.Draw(t.Context(), "test", a, "192.0.2.1/32", 20); n != 12 || err != nil {
			t.Errorf("when it is whole again: %d, %v; want 12", n, err)
		}
		c.at = c.at.Add(-30 * 24 * time.Hour)
		if n, _, err := th.Draw(t.Context(), "test", a, "192.0.2.1/32", 20); n != 12 || err != nil {
			t.Errorf("when the clock was 30 days ahead: %d, %v; want 12", n, err)
		}
	})
}

// TestDrawFails checks that a database that fails is no refusal, and that the ledger
// stores nothing in clear.
func TestDrawFails(t *testing.T) {
	a := budget.Guests.Network
	th := New(storetest.Broken(), ring(t, "a"), time.Now)
	if n, _, err := th.Draw(t.Context(), "test", a, "192.0.2.1/32", 1); n != 0 || !errors.Is(err, identity.ErrUnavailable) {
		t.Errorf("Draw = %d, %v", n, err)
	}
	var _ budget.Ledger = th
}

package machine

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestClockRunsEachJobInItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		runs := map[string]int{}
		c := &Clock{
			Every: map[string]time.Duration{"reload": 6 * time.Hour, "publish": time.Hour},
			Run: func(_ context.Context, name string) {
				mu.Lock()
				defer mu.Unlock()
				runs[name]++
			},
		}
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour+time.Minute)
		defer cancel()
		c.Tick(ctx)
		if diff := cmp.Diff(map[string]int{"reload": 4, "publish": 24}, runs); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestClockWaitsForJobs checks that tick returns after the run under way, and
// that a run that takes long is not run beside itself.
func TestClockWaitsForJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		begun, running := 0, false
		c := &Clock{
			Every: map[string]time.Duration{"slow": time.Hour},
			Run: func(context.Context, string) {
				mu.Lock()
				if running {
					t.Error("two runs at a time")
				}
				begun, running = begun+1, true
				mu.Unlock()
				time.Sleep(3 * time.Hour)
				mu.Lock()
				running = false
				mu.Unlock()
			},
		}
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Minute)
		defer cancel()
		c.Tick(ctx)
		if begun != 1 || running {
			t.Errorf("%d runs begun, running %v; want one, done", begun, running)
		}
	})
}

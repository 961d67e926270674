package claim

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"miramundo.dev/shared/identity"
)

// TestTurns checks that calls for one guest run one after the other, that those for
// another guest do not wait for them, and that nothing is kept of calls that are over.
func TestTurns(t *testing.T) {
	var ts turns
	end, err := ts.wait(t.Context(), "g_1")
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ts.wait(ctx, "g_1"); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled call for a guest that is claimed: %v", err)
	}
	other, err := ts.wait(t.Context(), "g_2")
	must(t, err)
	other()
	var running, most atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			end, err := ts.wait(t.Context(), identity.Owner("g_1"))
			if err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), running.Add(1)))
			running.Add(-1)
			end()
		})
	}
	if n := running.Load(); n != 0 {
		t.Errorf("%d calls run beside the first", n)
	}
	end()
	all.Wait()
	if most.Load() != 1 || len(ts.lines) != 0 {
		t.Errorf("%d calls ran at once, and the lines of %d guests are kept", most.Load(), len(ts.lines))
	}
}

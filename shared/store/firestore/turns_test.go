package firestore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/store"
)

// TestTurnsInOrder lets five transactions wait for one path. They get it in the order
// in which they came, one at a time, and in the end it is free.
func TestTurnsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newTurns()
		first := all.turn()
		if err := first.need("things/a"); err != nil {
			t.Fatal(err)
		}
		var order []int // only who has the path writes it
		for i := range 5 {
			go func() {
				mine := all.turn()
				defer mine.end()
				if err := mine.need("things/a"); !errors.Is(err, errTaken) {
					t.Errorf("%d: need of a taken path = %v", i, err)
				}
				if err := mine.wait(t.Context()); err != nil {
					t.Errorf("%d: wait = %v", i, err)
				}
				order = append(order, i)
			}()
			synctest.Wait()
		}
		if len(order) > 0 {
			t.Errorf("%d came before the first had ended", order)
		}
		first.end()
		synctest.Wait()
		if diff := cmp.Diff([]int{0, 1, 2, 3, 4}, order); diff != "" {
			t.Errorf("order (-want +got)\n%s", diff)
		}
		if len(all.taken) > 0 {
			t.Errorf("taken for ever: %v", all.taken)
		}
	})
}

// TestTurnsCrossing lets transactions name the same paths in opposite orders. None
// waits for another for ever.
func TestTurnsCrossing(t *testing.T) {
	paths := []store.Path{"things/a", "things/b", "things/c"}
	all, using := newTurns(), map[store.Path]*sync.Mutex{}
	for _, p := range paths {
		using[p] = &sync.Mutex{}
	}
	var wg sync.WaitGroup
	for i := range 30 {
		mine, order := all.turn(), slices.Clone(paths)
		if i%2 == 0 {
			slices.Reverse(order)
		}
		wg.Go(func() {
			defer mine.end()
			for needAll(mine, order) != nil {
				if err := mine.wait(t.Context()); err != nil {
					t.Error(err)
				}
			}
			for _, p := range order {
				if !using[p].TryLock() {
					t.Errorf("two have %s", p)
					continue
				}
				defer using[p].Unlock()
			}
		})
	}
	wg.Wait()
	if len(all.taken) > 0 {
		t.Errorf("taken for ever: %v", all.taken)
	}
}

// needAll names paths one after the other, as a transaction does.
func needAll(mine *turn, ps []store.Path) error {
	for _, p := range ps {
		if err := mine.need(p); err != nil {
			return err
		}
	}
	return nil
}

// TestTurnsGiveUp ends the wait of one transaction and lets the queue be full for
// another: neither keeps the path from those that wait.
func TestTurnsGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newTurns()
		first := all.turn()
		if err := first.need("things/a"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var left error
		go func() { left = all.wait(ctx, "things/a") }()
		synctest.Wait()
		came := 0
		for range maxWaiting - 1 {
			go func() {
				if err := all.wait(t.Context(), "things/a"); err != nil {
					t.Error(err)
				}
				came++
				all.release("things/a")
			}()
		}
		synctest.Wait()
		if err := all.wait(t.Context(), "things/a"); !errors.Is(err, errCrowded) {
			t.Errorf("wait in a full queue = %v", err)
		}
		cancel()
		synctest.Wait()
		if !errors.Is(left, context.Canceled) {
			t.Errorf("wait that was cancelled = %v", left)
		}
		first.end()
		synctest.Wait()
		if came != maxWaiting-1 || len(all.taken) > 0 {
			t.Errorf("%d of %d came, taken for ever: %v", came, maxWaiting-1, all.taken)
		}
	})
}

// TestTurnsLeaveTaken ends a wait at the moment at which the path was handed over: it
// goes on to the next.
func TestTurnsLeaveTaken(t *testing.T) {
	all := newTurns()
	if !all.try("things/a") {
		t.Fatal("a free path is taken")
	}
	free, err := all.queue("things/a")
	if err != nil {
		t.Fatal(err)
	}
	all.release("things/a")
	<-free
	all.leave("things/a", free)
	if !all.try("things/a") {
		t.Error("the path is taken for ever")
	}
}

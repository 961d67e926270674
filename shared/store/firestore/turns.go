package firestore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"miramundo.dev/shared/store"
)

// Transactions that collide in the database cost seconds: it locks what a
// transaction reads until that transaction ends, and aborts one of two that wait
// for each other. So transactions of this process that name the same document run
// one after the other, in the order in which they came.
//
// A transaction names its documents only while it runs, and may then hold locks of
// the database. So it takes a path without waiting. When another one has the path,
// the transaction is rolled back, waits for all paths that it has named so far,
// always in the order of their names so that no two wait for each other, and runs
// again.

// maxWaiting is how many transactions wait for one path. It is more than finish in
// writeTime, so that those beyond it would wait in vain.
const maxWaiting = 500

var (
	errTaken   = errors.New("firestore: another transaction of this process uses the document")
	errCrowded = errors.New("firestore: too many transactions wait for the document")
)

// turns are the paths that transactions of this process use.
type turns struct {
	mu    sync.Mutex
	taken map[store.Path][]chan struct{} // the transactions that wait for each, in order; guarded by mu
}

func newTurns() *turns { return &turns{taken: map[store.Path][]chan struct{}{}} }

// try takes p if it is free.
func (t *turns) try(p store.Path) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, taken := t.taken[p]; taken {
		return false
	}
	t.taken[p] = nil
	return true
}

// wait takes p as soon as those have released it who came before.
func (t *turns) wait(ctx context.Context, p store.Path) error {
	free, err := t.queue(p)
	if err != nil || free == nil {
		return err
	}
	select {
	case <-free:
		return nil
	case <-ctx.Done():
		t.leave(p, free)
		return ctx.Err()
	}
}

// queue takes p and returns nil, or returns what is closed when p is taken for the
// caller.
func (t *turns) queue(p store.Path) (chan struct{}, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	waiting, taken := t.taken[p]
	if !taken {
		t.taken[p] = nil
		return nil, nil
	}
	if len(waiting) >= maxWaiting {
		return nil, errCrowded
	}
	free := make(chan struct{})
	t.taken[p] = append(waiting, free)
	return free, nil
}

// leave gives up waiting for p, and releases it when it was taken meanwhile.
func (t *turns) leave(p store.Path, free chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.taken[p], free); i >= 0 {
		t.taken[p] = slices.Delete(t.taken[p], i, i+1)
		return
	}
	t.pass(p)
}

// release gives p to the transaction that has waited longest.
func (t *turns) release(p store.Path) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass(p)
}

// pass is release for a caller that holds mu.
func (t *turns) pass(p store.Path) {
	waiting := t.taken[p]
	if len(waiting) == 0 {
		delete(t.taken, p)
		return
	}
	t.taken[p] = waiting[1:]
	close(waiting[0])
}

// A turn is the paths that one transaction has taken. Its methods must not be
// called concurrently.
type turn struct {
	of   *turns
	held map[store.Path]bool
	busy []store.Path // which it needs and others have
}

func (t *turns) turn() *turn { return &turn{of: t, held: map[store.Path]bool{}} }

// need takes paths without waiting. It returns errTaken when another transaction has
// one of them.
func (t *turn) need(ps ...store.Path) error {
	for _, p := range ps {
		switch {
		case t.held[p]:
		case t.of.try(p):
			t.held[p] = true
		default:
			t.busy = append(t.busy, p)
		}
	}
	if t.missed() {
		return errTaken
	}
	return nil
}

// missed reports whether need failed since the last wait.
func (t *turn) missed() bool { return len(t.busy) > 0 }

// wait takes all paths that were needed so far, and waits for those that others
// have.
func (t *turn) wait(ctx context.Context) error {
	ps := slices.AppendSeq(t.busy, maps.Keys(t.held))
	t.end()
	slices.Sort(ps)
	for _, p := range slices.Compact(ps) {
		if err := t.of.wait(ctx, p); err != nil {
			return err
		}
		t.held[p] = true
	}
	return nil
}

// end releases all paths.
func (t *turn) end() {
	for p := range t.held {
		t.of.release(p)
	}
	clear(t.held)
	t.busy = nil
}

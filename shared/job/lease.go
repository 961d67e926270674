package job

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// A run holds a lease, a document with a random holder and an end time, and
// renews it three times in leaseTime. When it cannot renew in time, its
// context is canceled. A process that was suspended may not notice that in
// time, so every transaction of a run also checks the lease (Fence): a run
// that lost its lease cannot overwrite the work of its successor.

// ErrLost ends a run that did not renew its lease in time, so that another
// process may hold it.
var ErrLost = fault.New(fault.Conflict, "job_lost")

// leaseTime is how long a lease is valid without being renewed: how long a
// job whose process died waits before it can run again.
const leaseTime = 30 * time.Second

// leaseCallTime bounds a database call for a lease, which must be shorter
// than the lease.
const leaseCallTime = leaseTime / 3

// A lease is the document that lets one process at a time run a job. The
// clocks of processes may differ by seconds; Fence makes that harmless.
type lease struct {
	Holder string     `json:"holder"` // random for each run
	Until  store.Time `json:"until"`
}

func leasePath(name string) store.Path { return store.Path("leases/" + name) }

// A heldLease is a lease as its holder sees it.
type heldLease struct {
	db     store.DB
	log    *slog.Logger
	now    func() time.Time
	name   string
	holder string
	until  time.Time // used only by the goroutine that renews
}

// acquire takes the lease of a job. It returns ErrRunning while another run
// holds it.
func (r *Runner) acquire(ctx context.Context, name string) (*heldLease, error) {
	h := &heldLease{db: r.db, log: r.log, now: r.now, name: name, holder: rand.Text()}
	err := r.db.Update(ctx, func(tx store.Tx) error {
		l, err := readLease(tx, name)
		if err != nil {
			return err
		}
		h.until = r.now().Add(leaseTime)
		if l.Holder != "" && l.Holder != h.holder && r.now().Before(l.Until.Time) {
			return ErrRunning // it is ours if a first attempt succeeded without our learning of it
		}
		return tx.Set(leasePath(name), lease{h.holder, store.At(h.until)})
	})
	switch {
	case errors.Is(err, ErrRunning):
		return nil, ErrRunning
	case err != nil:
		return nil, fault.ErrUnavailable.Because(err)
	}
	return h, nil
}

// readLease returns the lease of a job, or zero when there is none.
func readLease(tx store.Tx, name string) (l lease, err error) {
	if err = tx.Get(leasePath(name), &l); errors.Is(err, store.ErrNotFound) {
		return lease{}, nil
	}
	return l, err
}

// check fails a transaction with ErrLost when another run holds the lease.
func (h *heldLease) check(tx store.Tx) error {
	l, err := readLease(tx, h.name)
	if err == nil && l.Holder != h.holder {
		err = ErrLost
	}
	return err
}

// renew extends the lease from now on.
func (h *heldLease) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaseCallTime)
	defer cancel()
	until := h.now().Add(leaseTime)
	err := h.db.Update(ctx, func(tx store.Tx) error {
		if err := h.check(tx); err != nil {
			return err
		}
		return tx.Set(leasePath(h.name), lease{h.holder, store.At(until)})
	})
	if err == nil {
		h.until = until
	}
	return err
}

// renewUntil renews the lease at each tick until done is closed, and calls
// lost when another run holds it, or may.
func (h *heldLease) renewUntil(ctx context.Context, ticks <-chan time.Time, done <-chan struct{}, lost func()) {
	for {
		select {
		case <-done:
			return
		case <-ticks:
		}
		err := h.renew(ctx)
		if errors.Is(err, ErrLost) || err != nil && !h.now().Before(h.until) {
			h.log.ErrorContext(ctx, "job lost its lease", "job", h.name, "err", err)
			lost()
			return
		}
	}
}

// release deletes the lease, if this run still holds it.
func (h *heldLease) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leaseCallTime)
	defer cancel()
	err := h.db.Update(ctx, func(tx store.Tx) error {
		if err := h.check(tx); err != nil {
			return err
		}
		return tx.Delete(leasePath(h.name))
	})
	if err != nil {
		h.log.WarnContext(ctx, "lease of a job was not released; it expires by itself", "job", h.name, "err", err)
	}
}

// withLease acquires the lease of a job within the context acquiring, and runs f
// while it renews the lease. The context of f is ctx, canceled when the lease is
// lost.
func (r *Runner) withLease(acquiring, ctx context.Context, name string, f func(context.Context)) error {
	h, err := r.acquire(acquiring, name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ticks, stop := r.tick(leaseTime / 3)
	done := make(chan struct{})
	var keeper sync.WaitGroup
	keeper.Go(func() {
		defer stop()
		h.renewUntil(context.WithoutCancel(ctx), ticks, done, func() { cancel(ErrLost) })
	})
	defer func() {
		close(done)
		keeper.Wait()
		h.release(context.WithoutCancel(ctx))
	}()
	f(context.WithValue(ctx, leaseKey{}, h))
	return nil
}

type leaseKey struct{}

// Fence returns a check for the transactions of the run that ctx belongs to.
// It fails them with ErrLost when another process holds the lease, so that a
// process that was suspended overwrites nothing. When ctx belongs to no run,
// the check always succeeds.
func Fence(ctx context.Context) func(store.Tx) error {
	if h, ok := ctx.Value(leaseKey{}).(*heldLease); ok {
		return h.check
	}
	return func(store.Tx) error { return nil }
}

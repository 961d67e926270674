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
//
// The end time is written by the holder's clock and read by another one. Clocks
// may differ by clockTolerance; a lease that ends later than that allows was
// written by a wrong clock and does not count, since its holder may have died
// and the lease would keep every other run out until that date. A holder with a
// wrong clock that is still alive then loses its run to the next one that
// starts, and Fence keeps the two from mixing their work. So a job whose process
// died can run again after takeoverTime, whatever that process took the time to
// be.

// ErrLost ends a run that did not renew its lease in time, so that another
// process may hold it.
var ErrLost = fault.New(fault.Conflict, "job_lost")

const (
	// leaseTime is how long a lease is valid without being renewed.
	leaseTime = 20 * time.Second

	// clockTolerance is how far ahead the clock of a lease's holder may be.
	clockTolerance = 10 * time.Second

	// takeoverTime is the longest time for which a job whose process died cannot
	// run.
	takeoverTime = leaseTime + clockTolerance
)

// leaseCallTime bounds a database call for a lease, which must be shorter
// than the lease.
const leaseCallTime = leaseTime / 3

// A lease is the document that lets one process at a time run a job. Fields may
// be added.
type lease struct {
	Holder string     `json:"holder"` // random for each run
	Until  store.Time `json:"until"`
	Since  store.Time `json:"since"` // when the run began
	Where  string     `json:"where"` // the host and the process of the run
}

// keepsOut reports whether l prevents other runs at the time now.
func (l lease) keepsOut(now time.Time) bool {
	left := l.Until.Sub(now)
	return l.Holder != "" && left > 0 && left <= takeoverTime
}

// isCutOff reports whether the run of l ended without releasing its lease.
func (l lease) isCutOff(now time.Time) bool { return l.Holder != "" && !l.keepsOut(now) }

// running returns ErrRunning with the fields since and where, of the run that l
// belongs to.
func (l lease) running() error {
	err := ErrRunning
	if !l.Since.IsZero() {
		err = err.With("since", l.Since)
	}
	if l.Where != "" {
		err = err.With("where", l.Where)
	}
	return err
}

func leasePath(name string) store.Path { return store.Path("leases/" + name) }

// A heldLease is a lease as its holder sees it.
type heldLease struct {
	db    store.DB
	log   *slog.Logger
	now   func() time.Time
	name  string
	lease lease // Until is used only by the goroutine that renews
}

// acquire takes the lease of a job. It returns ErrRunning while another run
// holds it.
func (r *Runner) acquire(ctx context.Context, name string) (*heldLease, error) {
	h := &heldLease{db: r.db, log: r.log, now: r.now, name: name}
	h.lease = lease{Holder: rand.Text(), Since: store.At(r.now()), Where: r.where}
	var before lease
	err := r.db.Update(ctx, func(tx store.Tx) error {
		l, err := readLease(tx, name)
		before = l
		if err != nil {
			return err
		}
		if l.Holder != h.lease.Holder && l.keepsOut(r.now()) {
			return l.running() // it is ours if a first attempt succeeded without our learning of it
		}
		h.lease.Until = store.At(r.now().Add(leaseTime))
		return tx.Set(leasePath(name), h.lease)
	})
	switch {
	case errors.Is(err, ErrRunning):
		return nil, fault.From(err)
	case err != nil:
		return nil, fault.ErrUnavailable.Because(err)
	}
	if before.Holder != h.lease.Holder && before.isCutOff(r.now()) {
		r.log.WarnContext(ctx, "the run of a job before this one was cut off", "job", name,
			"since", before.Since, "where", before.Where, "clock_ahead", before.Until.Ahead(r.now()))
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
	if err == nil && l.Holder != h.lease.Holder {
		err = ErrLost
	}
	return err
}

// renew extends the lease from now on.
func (h *heldLease) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaseCallTime)
	defer cancel()
	renewed := h.lease
	renewed.Until = store.At(h.now().Add(leaseTime))
	err := h.db.Update(ctx, func(tx store.Tx) error {
		if err := h.check(tx); err != nil {
			return err
		}
		return tx.Set(leasePath(h.name), renewed)
	})
	if err == nil {
		h.lease.Until = renewed.Until
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
		if errors.Is(err, ErrLost) || err != nil && !h.now().Before(h.lease.Until.Time) {
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

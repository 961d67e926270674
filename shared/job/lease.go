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

// ErrLost ends a run whose place another process may have taken, because this
// one did not renew its lease in time.
var ErrLost = fault.New(fault.Conflict, "job_lost")

// leaseTime is how long a lease holds without being renewed: what a job whose
// process died waits until it can run again. It is renewed three times in that.
const leaseTime = 30 * time.Second

// lapse is how long a call for a lease may take: it must not take as long as
// the lease holds.
const lapse = leaseTime / 3

// A lease is the document that lets one process at a time run a job. The clocks
// of the processes may differ by some seconds: who is held up for longer than
// it holds writes nothing, because of Fence.
type lease struct {
	Holder string     `json:"holder"` // of one run; no two have the same
	Until  store.Time `json:"until"`
}

func leasePath(name string) store.Path { return store.Path("leases/" + name) }

// A hold is a lease as its holder sees it.
type hold struct {
	db     store.DB
	log    *slog.Logger
	now    func() time.Time
	name   string
	holder string
	until  time.Time // known to the one goroutine that renews
}

// take takes the lease of a job, or returns ErrRunning while another run holds
// it.
func (r *Runner) take(ctx context.Context, name string) (*hold, error) {
	h := &hold{db: r.db, log: r.log, now: r.now, name: name, holder: rand.Text()}
	err := r.db.Update(ctx, func(tx store.Tx) error {
		l, err := held(tx, name)
		if err != nil {
			return err
		}
		h.until = r.now().Add(leaseTime)
		if l.Holder != "" && l.Holder != h.holder && r.now().Before(l.Until.Time) {
			return ErrRunning // our own it is when the first try went well and was not heard of
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

// held returns the lease of a job, which is zero when nobody holds it.
func held(tx store.Tx, name string) (l lease, err error) {
	if err = tx.Get(leasePath(name), &l); errors.Is(err, store.ErrNotFound) {
		return lease{}, nil
	}
	return l, err
}

// check ends a transaction with ErrLost when the lease is another's.
func (h *hold) check(tx store.Tx) error {
	l, err := held(tx, h.name)
	if err == nil && l.Holder != h.holder {
		err = ErrLost
	}
	return err
}

// renew makes the lease hold from now on.
func (h *hold) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lapse)
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

// keep renews the lease at each tick until done is closed, and calls lost when
// it is, or may be, another's.
func (h *hold) keep(ctx context.Context, ticks <-chan time.Time, done <-chan struct{}, lost func()) {
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

// drop gives the lease back, if it is still held.
func (h *hold) drop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lapse)
	defer cancel()
	err := h.db.Update(ctx, func(tx store.Tx) error {
		if err := h.check(tx); err != nil {
			return err
		}
		return tx.Delete(leasePath(h.name))
	})
	if err != nil {
		h.log.WarnContext(ctx, "lease of a job not given back: it ends by itself", "job", h.name, "err", err)
	}
}

// holding runs f while the lease of a job is kept, with a context that ends when
// it is lost.
func (r *Runner) holding(ctx context.Context, name string, f func(context.Context)) error {
	h, err := r.take(ctx, name)
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
		h.keep(context.WithoutCancel(ctx), ticks, done, func() { cancel(ErrLost) })
	})
	defer func() {
		close(done)
		keeper.Wait()
		h.drop(context.WithoutCancel(ctx))
	}()
	f(context.WithValue(ctx, holdKey{}, h))
	return nil
}

type holdKey struct{}

// Fence returns a check for the transactions of the run that ctx belongs to: it
// ends them with ErrLost when another process has taken the run's place, so
// that a process that was held up overwrites nothing. It lets all pass when ctx
// belongs to no run.
func Fence(ctx context.Context) func(store.Tx) error {
	if h, ok := ctx.Value(holdKey{}).(*hold); ok {
		return h.check
	}
	return func(store.Tx) error { return nil }
}

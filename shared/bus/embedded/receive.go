package embedded

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/store/embedded/sqlite"
)

// A receiver takes events that are due while it has free slots, handles each
// in its own goroutine, and renews the leases of those in progress. It wakes
// up after a Publish in this process, when the next event is due, and every
// pollInterval for events of other processes.

// pollInterval is how often a receiver looks for events that other processes
// published.
const pollInterval = 500 * time.Millisecond

// A receiver is one Receive in progress.
type receiver struct {
	*Bus
	subscription string
	handle       bus.Handler
	wake         chan struct{} // of capacity 1
	slots        chan struct{} // holds a token for each event in progress
	running      sync.WaitGroup

	mu       sync.Mutex
	inFlight map[int64]bus.Event // by row; guarded by mu
}

// Receive implements [bus.Bus].
func (b *Bus) Receive(ctx context.Context, subscription string, h bus.Handler) error {
	if _, err := b.topology.Topic(subscription); err != nil {
		return err
	}
	r := &receiver{
		Bus: b, subscription: subscription, handle: h,
		wake:     b.hub.add(subscription),
		slots:    make(chan struct{}, b.o.Parallel),
		inFlight: map[int64]bus.Event{},
	}
	defer b.hub.remove(r.wake)
	ended := make(chan struct{})
	go r.renewEvery(ended)
	err := r.run(ctx)
	r.running.Wait()
	close(ended)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// run takes events and starts their handlers, until ctx is done or the file
// fails.
func (r *receiver) run(ctx context.Context) error {
	for {
		select {
		case r.slots <- struct{}{}: // one slot is free
			<-r.slots
		case <-ctx.Done():
			return nil
		}
		taken, next, err := r.take(ctx, cap(r.slots)-len(r.slots))
		if err != nil {
			return err
		}
		for _, d := range taken {
			r.start(ctx, d)
		}
		if len(taken) == 0 && !r.wait(ctx, next) {
			return nil
		}
	}
}

// wait returns true when there may be events to take: after a Publish, at the
// time next, or after pollInterval. It returns false when ctx is done.
func (r *receiver) wait(ctx context.Context, next time.Time) bool {
	pause := pollInterval
	if !next.IsZero() {
		pause = max(0, min(pause, next.Sub(r.o.Now())))
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-r.wake:
	case <-timer.C:
	}
	return true
}

// start handles d in a new goroutine.
func (r *receiver) start(ctx context.Context, d delivery) {
	r.slots <- struct{}{}
	r.mu.Lock()
	r.inFlight[d.row] = d.event
	r.mu.Unlock()
	r.running.Go(func() {
		err := r.handle.Try(ctx, d.event)
		r.mu.Lock()
		delete(r.inFlight, d.row)
		r.mu.Unlock()
		if err := r.finish(ctx, d, err); err != nil {
			r.o.Log.Warn("the outcome of an event was not saved; it will be delivered again", "subscription", r.subscription, "event", d.event.ID, "error", err)
		}
		<-r.slots
		r.signal()
	})
}

func (r *receiver) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

const selectDue = `SELECT ` + columns + ` FROM events
WHERE subscription = ? AND dead = 0 AND due <= ? ORDER BY due, rowid LIMIT ?`

// take takes up to n events that are due. When there is none, it returns the
// time when the next one will be, or zero.
func (r *receiver) take(ctx context.Context, n int) (taken []delivery, next time.Time, err error) {
	due, err := r.next(ctx)
	now := r.o.Now()
	if err != nil || due == nil || *due > now.UnixMicro() {
		return nil, timeOf(due), err
	}
	err = r.file.Write(ctx, func(tx *sqlite.Tx) error {
		rows, err := tx.Query(selectDue, r.subscription, now.UnixMicro(), n)
		if err != nil {
			return err
		}
		found, err := scan(rows)
		if err != nil {
			return err
		}
		taken, err = r.lease(tx, found, now)
		return err
	})
	return taken, now, err
}

// next returns when the next event is due, or nil.
func (r *receiver) next(ctx context.Context) (due *int64, err error) {
	err = r.file.Scan(ctx, "SELECT min(due) FROM events WHERE subscription = ? AND dead = 0", []any{r.subscription}, &due)
	return due, err
}

func timeOf(micros *int64) time.Time {
	if micros == nil {
		return time.Time{}
	}
	return time.UnixMicro(*micros)
}

// unfinished is the failure of an event whose handlers never returned.
const unfinished = "the process that handled it ended, or did not finish in time"

// lease leases the events that it returns. An event that was taken as often as the
// policy allows by processes that then ended is marked dead.
func (r *receiver) lease(tx *sqlite.Tx, found []delivery, now time.Time) (taken []delivery, err error) {
	until := now.Add(r.o.Lease).UnixMicro()
	for _, d := range found {
		if d.event.Attempt >= r.o.Retry.Attempts {
			if _, err := tx.Exec("UPDATE events SET dead = ?, failure = ? WHERE rowid = ?", gaveUp, unfinished, d.row); err != nil {
				return nil, err
			}
			continue
		}
		d.event.Attempt++
		d.event.Failure = "" // only a dead letter has one
		_, err := tx.Exec("UPDATE events SET attempts = ?, due = ? WHERE rowid = ?", d.event.Attempt, until, d.row)
		if err != nil {
			return nil, err
		}
		taken = append(taken, d)
	}
	return taken, nil
}

// finish saves the outcome of d, whose handler returned failure. It does so
// even after ctx is done, so that finished work is not repeated.
func (r *receiver) finish(ctx context.Context, d delivery, failure error) error {
	query, args := r.outcome(ctx, d, failure)
	return r.file.Write(context.WithoutCancel(ctx), func(tx *sqlite.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	})
}

// outcome returns the statement that saves the outcome of d. Only a success
// may change an event that another receiver has taken meanwhile.
func (r *receiver) outcome(ctx context.Context, d delivery, failure error) (query string, args []any) {
	attempt, now := d.event.Attempt, r.o.Now()
	// SQLite reuses the number of a deleted row for a later event.
	const same = " WHERE rowid = ? AND event = ?"
	const mine = same + " AND attempts = ?"
	switch {
	case failure == nil:
		return "DELETE FROM events" + same, []any{d.row, d.event.ID}
	case ctx.Err() != nil: // the receiver stops; this does not count as an attempt
		return "UPDATE events SET attempts = attempts - 1, due = ?" + mine, []any{now.UnixMicro(), d.row, d.event.ID, attempt}
	}
	state := waits
	switch {
	case bus.Rejects(failure):
		state = rejected
	case attempt >= r.o.Retry.Attempts:
		state = gaveUp
	}
	due := now.Add(r.o.Retry.Backoff(attempt))
	r.logFailure(d, state, due, failure)
	return "UPDATE events SET dead = ?, failure = ?, due = ?" + mine,
		[]any{state, shorten(failure.Error()), due.UnixMicro(), d.row, d.event.ID, attempt}
}

// logFailure logs why an event was not handled, and what becomes of it.
func (r *receiver) logFailure(d delivery, state int, due time.Time, failure error) {
	fields := []any{"subscription", r.subscription, "event", d.event.ID, "attempt", d.event.Attempt, "error", failure}
	switch state {
	case rejected:
		r.o.Log.Warn("an event can never be handled; it is a dead letter", fields...)
	case gaveUp:
		r.o.Log.Warn("an event failed too often; it is a dead letter", fields...)
	default:
		r.o.Log.Warn("an event was not handled; it will be delivered again", append(fields, "due", due.UTC())...)
	}
}

// shorten returns a text of at most MaxFailure bytes of valid UTF-8.
func shorten(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), bus.MaxFailure)], "")
}

// renewEvery renews the leases of events in progress, until ended is closed.
func (r *receiver) renewEvery(ended <-chan struct{}) {
	tick := time.NewTicker(r.o.Lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		if err := r.renew(); err != nil {
			r.o.Log.Warn("leases were not renewed; events may be delivered again", "subscription", r.subscription, "error", err)
		}
	}
}

// renew reads the events in progress only when it has its turn to write, so
// that it does not undo what finish wrote.
func (r *receiver) renew() error {
	return r.file.Write(context.Background(), func(tx *sqlite.Tx) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		until := r.o.Now().Add(r.o.Lease).UnixMicro()
		for row, e := range r.inFlight {
			_, err := tx.Exec("UPDATE events SET due = ? WHERE rowid = ? AND event = ? AND attempts = ?", until, row, e.ID, e.Attempt)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// A hub wakes the receivers of a subscription after a Publish in this
// process. The zero hub is ready to use.
type hub struct {
	mu    sync.Mutex
	wakes map[chan struct{}]string // the subscription of each; guarded by mu
}

func (h *hub) add(subscription string) chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wakes == nil {
		h.wakes = map[chan struct{}]string{}
	}
	wake := make(chan struct{}, 1)
	h.wakes[wake] = subscription
	return wake
}

func (h *hub) remove(wake chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.wakes, wake)
}

func (h *hub) notify(subscriptions []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for wake, sub := range h.wakes {
		if !slices.Contains(subscriptions, sub) {
			continue
		}
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

package embedded

import (
	"context"
	"time"

	"miramundo.dev/shared/store/embedded/sqlite"
)

// While a bus is open it deletes events that are too old, and mends what a wrong clock
// has left behind. A clock that was ahead, until it was set right, stamps events with
// times to come: their next delivery would be as late as the clock was ahead. And while
// it is ahead, all events look old.

// Intervals of the upkeep.
const (
	mendEvery = time.Minute
	dropEvery = time.Hour
)

// keepUp mends and drops events periodically, until ctx is done.
func (b *Bus) keepUp(ctx context.Context) {
	mend, drop := time.NewTicker(mendEvery), time.NewTicker(dropEvery)
	defer mend.Stop()
	defer drop.Stop()
	before := b.oldest()
	b.logUpkeep(b.mendDue(ctx))
	for {
		select {
		case <-ctx.Done():
			return
		case <-mend.C:
			b.logUpkeep(b.mendDue(ctx))
		case <-drop.C:
			now := b.oldest()
			if n, err := b.dropOld(ctx, before, now); err == nil && n > 0 {
				b.o.Log.Warn("deleted events that were not handled in time", "events", n)
			}
			before = now
		}
	}
}

// oldest returns the time before which events are too old.
func (b *Bus) oldest() time.Time { return b.o.Now().Add(-b.o.Retry.Keep) }

// dropOld deletes events that were too old an hour ago and are too old now, and
// returns how many. A clock that is ahead for less than an hour so deletes nothing.
func (b *Bus) dropOld(ctx context.Context, before, now time.Time) (n int64, err error) {
	limit := before
	if now.Before(before) {
		limit = now
	}
	return b.change(ctx, "DELETE FROM events WHERE at < ?", limit.UnixMicro())
}

// mendDue makes events due that would be delivered later than any pause of the policy
// allows, and returns how many.
func (b *Bus) mendDue(ctx context.Context) (int64, error) {
	now := b.o.Now()
	latest := now.Add(max(b.o.Retry.MaxBackoff, b.o.Lease))
	return b.change(ctx, "UPDATE events SET due = ? WHERE dead = 0 AND due > ?", now.UnixMicro(), latest.UnixMicro())
}

// logUpkeep logs that events were made due.
func (b *Bus) logUpkeep(n int64, err error) {
	if err == nil && n > 0 {
		b.o.Log.Warn("a clock was ahead when events were published or failed; they are delivered now", "events", n)
	}
}

// change runs a statement and returns how many events it changed.
func (b *Bus) change(ctx context.Context, statement string, args ...any) (n int64, err error) {
	err = b.file.Write(ctx, func(tx *sqlite.Tx) error {
		res, err := tx.Exec(statement, args...)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		return err
	})
	return n, err
}

package counting

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

// Job is the name of the job that calls Refresh.
const Job = "overlay-refresh"

// Refreshed is what Refresh did.
type Refreshed struct {
	Channels int `json:"channels"` // that have changed
	Shards   int `json:"shards"`   // that were read, and written unless they showed that already
}

// A cursor is how far Refresh has come.
type cursor struct {
	ChangedAt store.Time `json:"changed_at"`
}

const cursorPath store.Path = "overlays/social"

// A write carries the time at which its transaction began, and can be seen only
// once that has ended. So Refresh looks back by as much as one may take.
const (
	lookBack = fact.Timeout + 10*time.Second
	maxRound = 5000 // channels that are held in memory at a time
)

// Refresh shows the counts that have changed since it was called last. After a
// failure, or when two of it run at once, some counts are shown twice, which
// changes nothing. now is the present: counts that a fast clock dated later are
// shown again each time until then, and do not hide those of other clocks.
func Refresh(ctx context.Context, db store.DB, now time.Time) (done Refreshed, err error) {
	at, err := readCursor(ctx, db, now)
	if err != nil {
		return done, err
	}
	q := store.Query{Collection: social.Book.Collection, OrderBy: "changed_at", Limit: maxRound}
	if !at.ChangedAt.IsZero() {
		q.Where = []store.Filter{{Field: q.OrderBy, Op: store.MoreEq, Value: store.At(at.ChangedAt.Add(-lookBack))}}
	}
	for {
		changed, err := find(ctx, db, q)
		if err != nil || len(changed) == 0 {
			return done, err
		}
		last := changed[len(changed)-1]
		n, err := showAll(ctx, db, changed)
		done.Channels += len(changed)
		done.Shards += n
		if err != nil {
			return done, err
		}
		to := last.ChangedAt
		if to.After(now) {
			to = store.At(now)
		}
		if to.After(at.ChangedAt.Time) {
			at.ChangedAt = to
			if err := db.Set(ctx, cursorPath, at); err != nil {
				return done, err
			}
		}
		if len(changed) < maxRound {
			return done, nil
		}
		q.After = []any{last.ChangedAt, last.Channel}
	}
}

// readCursor returns where Refresh continues: at the beginning when there is no
// cursor, or one that a fast clock has moved into the future.
func readCursor(ctx context.Context, db store.DB, now time.Time) (at cursor, err error) {
	err = db.Get(ctx, cursorPath, &at)
	if errors.Is(err, store.ErrNotFound) || err == nil && at.ChangedAt.After(now.Add(lookBack)) {
		return cursor{}, nil
	}
	return at, err
}

// find returns the counts that q finds, without their marks.
func find(ctx context.Context, db store.DB, q store.Query) (changed []social.Counted, err error) {
	for doc, err := range db.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		var c social.Counted
		if err := doc.Decode(&c); err != nil {
			return nil, err
		}
		c.Channel, c.Seen = doc.ID, nil
		changed = append(changed, c)
	}
	return changed, nil
}

// showAll shows counts, and returns the number of their shards.
func showAll(ctx context.Context, db store.DB, changed []social.Counted) (int, error) {
	shards := map[int][]social.Counted{}
	for _, c := range changed {
		n := social.ShardOf(c.Channel)
		shards[n] = append(shards[n], c)
	}
	for n, counts := range shards {
		if err := social.ShowCounts(ctx, db, n, counts); err != nil {
			return 0, err
		}
	}
	return len(shards), nil
}

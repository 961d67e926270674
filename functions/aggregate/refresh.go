package aggregate

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

// RefreshJob is the name of the job that calls Refresh.
const RefreshJob = "overlay-refresh"

// A Refreshed says what Refresh did.
type Refreshed struct {
	Channels int `json:"channels"` // that have changed
	Shards   int `json:"shards"`   // that were written for them, or read
}

// A cursor is the document that says how far Refresh has come.
type cursor struct {
	ChangedAt store.Time `json:"changed_at"`
}

const cursorPath store.Path = "overlays/social"

// How Refresh goes on. A write is as old as its transaction when it can first
// be seen, so it looks back for as long as one may take.
const (
	lookBack = patience + 10*time.Second
	maxRound = 5000 // channels that are held in memory
)

// Refresh shows the counts that have changed since it was called last. When it
// fails, or two of it run, what it did is done again, which changes nothing.
func Refresh(ctx context.Context, db store.DB) (done Refreshed, err error) {
	var at cursor
	if err := db.Get(ctx, cursorPath, &at); err != nil && !errors.Is(err, store.ErrNotFound) {
		return done, err
	}
	q := store.Query{Collection: "counts", OrderBy: "changed_at", Limit: maxRound}
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
		if last.ChangedAt.After(at.ChangedAt.Time) {
			at.ChangedAt = last.ChangedAt
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

// find returns the counts that q finds, without their keys.
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

// showAll shows counts, and returns in how many shards.
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

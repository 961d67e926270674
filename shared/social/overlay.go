package social

import (
	"context"
	"log/slog"
	"sync/atomic"

	"miramundo.dev/shared/store"
)

// An Overlay shows the counts of every channel from memory, some seconds old.
// Its methods may be called concurrently.
type Overlay struct {
	shards [Shards]atomic.Pointer[shardView]
}

type shardView struct{ counts map[string]*Counts }

// FollowOverlay returns the overlay that db keeps, and follows it until ctx is
// done. It does not wait: until a part of it has come, its channels have no
// counts.
func FollowOverlay(ctx context.Context, db store.DB, log *slog.Logger) *Overlay {
	return &Overlay{}
}

// Counts returns the counts of a channel, which the caller must not change;
// false when there are none.
func (o *Overlay) Counts(channel string) (*Counts, bool) {
	v := o.shards[ShardOf(channel)].Load()
	if v == nil {
		return nil, false
	}
	c, ok := v.counts[channel]
	return c, ok
}

package room

import (
	"context"
	"time"
)

// A watch of the database may end, or stay open without an event although the
// connection is lost. The first is repaired by another watch after the last entry that
// the room has, which yields what was missed. The second shows when a message of this
// instance is stored and does not come back: then the room begins another watch too.

// Times of following.
const (
	firstRetry = 250 * time.Millisecond
	lastRetry  = 10 * time.Second
)

// follow casts what is stored in the room, until ctx is done.
func (r *Room) follow(ctx context.Context) {
	retry := firstRetry
	for ctx.Err() == nil {
		began := time.Now()
		err := r.watch(ctx)
		if time.Since(began) > lastRetry {
			retry = firstRetry
		}
		if err != nil && ctx.Err() == nil {
			r.hub.log.Warn("a chat room is not followed", "channel", r.channel, "cause", err.Error())
			select {
			case <-ctx.Done():
			case <-time.After(retry):
			}
			retry = min(2*retry, lastRetry)
		}
	}
}

// watch casts what one watch of the database yields. It returns nil when Expect ended
// it.
func (r *Room) watch(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.mu.Lock()
	r.restart = cancel
	last := r.last
	r.mu.Unlock()
	for list, err := range r.hub.rooms.Follow(ctx, r.channel, last) {
		if err != nil {
			return err
		}
		r.add(list)
		select {
		case <-r.ready:
		default:
			close(r.ready)
		}
	}
	return nil
}

// Expect notes that an entry with a number was stored, and reports whether the room has
// it already. An entry that does not come in time makes the room begin another watch.
func (r *Room) Expect(seq int64) bool {
	if r.has(seq) {
		return true
	}
	time.AfterFunc(r.hub.comeBack, func() {
		if !r.has(seq) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.restart()
		}
	})
	return false
}

// has reports whether the room has the entry with a number, or a later one.
func (r *Room) has(seq int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last >= seq
}

package room

import (
	"context"
	"time"

	"miramundo.dev/shared/chat"
)

// The presence of an instance is one document. It is written when a number of sockets
// has changed, at once after a pause and otherwise at most every Options.Announce, and
// every chat.Heartbeat while there are sockets. An instance watches those of all
// instances while it has sockets, and none otherwise.

// finalTime is how long the last write of a hub may take.
const finalTime = 2 * time.Second

// A census is the presence as one goroutine of the hub sees it.
type census struct {
	hub     *Hub
	all     chat.Presence
	updates chan chat.Presence
	unwatch context.CancelFunc // nil while nothing is watched
	wrote   time.Time          // when the presence was written last
	stored  bool               // there is a document of this instance
	dirty   bool               // something has changed since
	timer   *time.Timer        // of the next write
}

// runPresence keeps the presence up to date until the hub ends.
func (h *Hub) runPresence() {
	c := &census{hub: h, updates: make(chan chat.Presence), timer: time.NewTimer(time.Hour)}
	defer c.close()
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-h.wake:
			c.dirty = true
			c.count()
		case p := <-c.updates:
			c.all = p
			c.cast()
		case <-c.timer.C:
			c.dirty = true
		}
		c.write()
	}
}

// count begins and ends the watch of the other instances.
func (c *census) count() {
	switch some := len(c.sockets()) > 0; {
	case some && c.unwatch == nil:
		ctx, cancel := context.WithCancel(c.hub.ctx)
		c.unwatch = cancel
		c.hub.work.Go(func() { c.hub.watchInstances(ctx, c.updates) })
	case !some && c.unwatch != nil:
		c.unwatch()
		c.unwatch, c.all = nil, nil
	}
}

// sockets returns how many sockets each room has here.
func (c *census) sockets() map[string]int {
	sockets := map[string]int{}
	for _, r := range c.hub.list() {
		if n := r.size(); n > 0 {
			sockets[r.channel] = n
		}
	}
	return sockets
}

// write writes the presence when it has changed or its lease must be renewed, and sets
// the timer for the next time.
func (c *census) write() {
	if c.dirty && time.Since(c.wrote) >= c.hub.interval {
		c.dirty = !c.announce()
		c.cast()
	}
	wait := chat.Heartbeat
	if c.dirty {
		wait = c.hub.interval
	}
	if c.stored || c.dirty {
		c.timer.Reset(max(wait-time.Since(c.wrote), 0))
	} else {
		c.timer.Stop()
	}
}

// announce writes the presence and reports whether it could.
func (c *census) announce() bool {
	sockets := c.sockets()
	c.wrote = time.Now()
	if len(sockets) == 0 && !c.stored {
		return true
	}
	ctx, cancel := context.WithTimeout(c.hub.ctx, chat.Heartbeat)
	defer cancel()
	if err := c.hub.rooms.Announce(ctx, c.hub.id, sockets); err != nil {
		c.hub.log.Warn("the presence was not written", "cause", err.Error())
		c.stored = true // possibly
		return false
	}
	c.stored = len(sockets) > 0
	return true
}

// cast passes to every room how many sockets the other instances hold.
func (c *census) cast() {
	sums := c.all.Sums(c.hub.now(), c.hub.id)
	for _, r := range c.hub.list() {
		r.present(sums[r.channel])
	}
}

// close removes the document of the instance.
func (c *census) close() {
	c.timer.Stop()
	if !c.stored {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), finalTime)
	defer cancel()
	if err := c.hub.rooms.Announce(ctx, c.hub.id, nil); err != nil {
		c.hub.log.Warn("the presence was not removed", "cause", err.Error())
	}
}

// watchInstances passes the presence of all instances on, until ctx is done.
func (h *Hub) watchInstances(ctx context.Context, updates chan<- chat.Presence) {
	for retry := firstRetry; ctx.Err() == nil; retry = min(2*retry, lastRetry) {
		for p, err := range h.rooms.Instances(ctx) {
			if err != nil {
				h.log.Warn("the presence is not followed", "cause", err.Error())
				break
			}
			retry = firstRetry
			select {
			case updates <- p:
			case <-ctx.Done():
				return
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(retry):
		}
	}
}

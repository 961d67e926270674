package room

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"sync"
	"time"

	"miramundo.dev/shared/chat"
)

// Times of a hub that tests shorten.
const (
	linger   = 30 * time.Second // for which a room without members follows the database
	announce = 1500 * time.Millisecond
	comeBack = 3 * time.Second
)

// Options are what a Hub is made from. Rooms is required.
type Options struct {
	Rooms *chat.Rooms
	ID    string // of the instance; empty: random
	Now   func() time.Time
	Log   *slog.Logger // nil: nothing is logged

	// Linger is how long a room without members is followed, so that those who load a
	// page again find it in memory; 0 is half a minute.
	Linger time.Duration
	// Announce is the shortest time between two writes of the presence; 0 is a second
	// and a half, which lets all instances agree within two.
	Announce time.Duration
	// Return is how long a message that was stored may take to come back from the
	// database; 0 is three seconds.
	Return time.Duration
}

// A Hub holds the rooms of one instance. Its methods may be called concurrently.
type Hub struct {
	rooms    *chat.Rooms
	id       string
	now      func() time.Time
	log      *slog.Logger
	linger   time.Duration
	interval time.Duration
	comeBack time.Duration
	wake     chan struct{} // signals that the number of sockets in a room has changed

	ctx  context.Context // of everything that runs for the hub
	end  context.CancelFunc
	work sync.WaitGroup

	mu   sync.Mutex
	open map[string]*Room // by channel; guarded by mu
}

// NewHub returns a hub without rooms. It must be closed.
func NewHub(o Options) *Hub {
	h := &Hub{
		rooms: o.Rooms, id: cmp.Or(o.ID, strings.ToLower(rand.Text())), now: o.Now, log: o.Log, linger: cmp.Or(o.Linger, linger),
		interval: cmp.Or(o.Announce, announce), comeBack: cmp.Or(o.Return, comeBack), wake: make(chan struct{}, 1), open: map[string]*Room{},
	}
	if h.now == nil {
		h.now = time.Now
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.ctx, h.end = context.WithCancel(context.Background())
	h.work.Go(h.runPresence)
	return h
}

// Close ends everything that runs for the hub, and takes the instance out of the
// presence. Members must have left.
func (h *Hub) Close() {
	h.end()
	h.work.Wait()
}

// Join returns the room of a channel with its newest messages, for a caller that
// becomes a member and must call Leave. It returns an error when the messages cannot
// be read before ctx is done.
func (h *Hub) Join(ctx context.Context, channel string) (*Room, error) {
	r := h.use(channel)
	select {
	case <-r.ready:
		return r, nil
	case <-ctx.Done():
		h.Leave(r, nil)
		return nil, ctx.Err()
	}
}

// use returns the room of a channel, which it begins where this instance has not opened it.
func (h *Hub) use(channel string) *Room {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.open[channel]
	if r == nil {
		r = &Room{hub: h, channel: channel, ready: make(chan struct{}), members: map[Member]struct{}{}}
		h.open[channel] = r
		ctx, cancel := context.WithCancel(h.ctx)
		h.work.Go(func() { r.follow(ctx) })
		h.work.Go(func() { defer cancel(); h.dissolve(ctx, r) })
	}
	r.users++
	return r
}

// Leave takes m out of a room that was joined; m is nil for a caller that did not
// become a member.
func (h *Hub) Leave(r *Room, m Member) {
	r.mu.Lock()
	delete(r.members, m)
	r.mu.Unlock()
	h.mu.Lock()
	r.users--
	h.mu.Unlock()
	h.changed()
}

// dissolve returns when a room has had no user at two looks in a row, and has removed
// it then.
func (h *Hub) dissolve(ctx context.Context, r *Room) {
	tick := time.NewTicker(h.linger)
	defer tick.Stop()
	for empty := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		h.mu.Lock()
		if r.users > 0 {
			empty = false
		} else if !empty {
			empty = true
		} else {
			delete(h.open, r.channel)
			h.mu.Unlock()
			return
		}
		h.mu.Unlock()
	}
}

// Len returns the number of rooms that are open, those that linger included.
func (h *Hub) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.open)
}

// list returns the rooms that are open.
func (h *Hub) list() []*Room {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]*Room, 0, len(h.open))
	for _, r := range h.open {
		list = append(list, r)
	}
	return list
}

// changed signals that the number of sockets in a room has changed.
func (h *Hub) changed() {
	select {
	case h.wake <- struct{}{}:
	default: // a signal is already pending
	}
}

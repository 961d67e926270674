package comments

import (
	"context"
	"sync"
	"time"

	"miramundo.dev/shared/social/comment"
)

// Bounds of what is remembered.
const (
	// headLen is how many comments of a channel are remembered, the newest:
	// every page that lies within them costs nothing for a while.
	headLen  = 50
	fresh    = 5 * time.Second
	maxHeads = 512
	patience = 5 * time.Second // that reading a head may take
)

// A head is the beginning of a channel's comments, at some moment.
type head struct {
	done chan struct{} // closed when the rest is there
	at   time.Time     // when it began to be read

	newest []comment.Comment
	total  int
	err    error
}

// heads remember the beginnings of channels' comments for some seconds, and
// read each once however many ask. Methods may be called concurrently.
type heads struct {
	read func(ctx context.Context, channel string) ([]comment.Comment, int, error)
	now  func() time.Time

	mu sync.Mutex
	of map[string]*head // guarded by mu
}

func newHeads(now func() time.Time, read func(context.Context, string) ([]comment.Comment, int, error)) *heads {
	return &heads{read: read, now: now, of: map[string]*head{}}
}

// get returns the beginning of a channel's comments, and whether it was there
// before this call.
func (h *heads) get(ctx context.Context, channel string) (e *head, known bool, err error) {
	e, known = h.entry(channel)
	if !known {
		h.fill(ctx, channel, e)
	}
	select {
	case <-e.done:
		return e, known, e.err
	case <-ctx.Done():
		return nil, known, ctx.Err()
	}
}

// entry returns the head that is shown, or a new one that the caller is to
// fill.
func (h *heads) entry(channel string) (e *head, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	if e := h.of[channel]; e != nil && now.Sub(e.at) < fresh {
		return e, true
	}
	if len(h.of) >= maxHeads {
		clear(h.of)
	}
	e = &head{done: make(chan struct{}), at: now}
	h.of[channel] = e
	return e, false
}

// fill reads e, for all who wait for it: also when ctx, that of the first of
// them, is done.
func (h *heads) fill(ctx context.Context, channel string, e *head) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	defer close(e.done)
	e.newest, e.total, e.err = h.read(ctx, channel)
	if e.err != nil {
		h.drop(channel, e)
	}
}

// drop forgets a channel, or only the head e of it, when e is not nil. Who asks
// later sees what was written before.
func (h *heads) drop(channel string, e *head) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e == nil || h.of[channel] == e {
		delete(h.of, channel)
	}
}

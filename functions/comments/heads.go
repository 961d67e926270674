package comments

import (
	"context"
	"sync"
	"time"

	"miramundo.dev/shared/social/comment"
)

// Most requests for comments ask for the first page of a few popular channels. Each
// process remembers the newest comments of a channel for some seconds, and many
// requests for a channel that is not remembered share one read.

// Bounds of what is remembered.
const (
	// headLen is how many of the newest comments on a channel are remembered. Pages
	// within them are answered without the database.
	headLen  = 50
	fresh    = 5 * time.Second
	maxHeads = 512
	timeout  = 5 * time.Second // of reading a head
)

// A head is the newest comments on a channel at some time.
type head struct {
	done chan struct{} // closed when the fields below are set
	at   time.Time     // when reading began

	newest []comment.Comment
	total  int
	err    error
}

// heads caches the heads of channels. Its methods may be called concurrently.
type heads struct {
	read func(ctx context.Context, channel string) ([]comment.Comment, int, error)
	now  func() time.Time

	mu sync.Mutex
	of map[string]*head // guarded by mu
}

func newHeads(now func() time.Time, read func(context.Context, string) ([]comment.Comment, int, error)) *heads {
	return &heads{read: read, now: now, of: map[string]*head{}}
}

// get returns the head of a channel, and whether it was cached before this call.
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

// entry returns the cached head of a channel, or a new one that the caller must
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

// fill reads e for all requests that wait for it, even when ctx, that of the first
// of them, is done.
func (h *heads) fill(ctx context.Context, channel string, e *head) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	defer close(e.done)
	e.newest, e.total, e.err = h.read(ctx, channel)
	if e.err != nil {
		h.drop(channel, e)
	}
}

// drop evicts the head of a channel, when e is not nil only if it is e. Later
// requests read what was written before the call.
func (h *heads) drop(channel string, e *head) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e == nil || h.of[channel] == e {
		delete(h.of, channel)
	}
}

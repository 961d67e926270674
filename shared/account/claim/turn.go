package claim

import (
	"context"
	"sync"

	"miramundo.dev/shared/identity"
)

// Calls that claim the same guest at once would all read and write the same documents.
// The database serializes their transactions, but with many of them most are retried
// again and again until they time out. So the calls of one instance take turns, and the
// database has to serialize the calls of different instances only.

// turns lets the calls for each guest run one after the other. The zero turns is ready
// to use; its methods may be called concurrently.
type turns struct {
	mu    sync.Mutex
	lines map[identity.Owner]*line // guarded by mu
}

// A line is the calls for one guest.
type line struct {
	calls int           // that wait or run; guarded by the mutex of turns
	turn  chan struct{} // holds a value while a call runs
}

// wait waits until no other call for a guest runs. The caller must call end when it is
// done, unless wait returns an error, which is that of ctx.
func (t *turns) wait(ctx context.Context, guest identity.Owner) (end func(), err error) {
	l := t.join(guest)
	select {
	case l.turn <- struct{}{}:
		return func() { <-l.turn; t.leave(guest, l) }, nil
	case <-ctx.Done():
		t.leave(guest, l)
		return nil, ctx.Err()
	}
}

// join adds a call to the line of a guest.
func (t *turns) join(guest identity.Owner) *line {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lines == nil {
		t.lines = map[identity.Owner]*line{}
	}
	if t.lines[guest] == nil {
		t.lines[guest] = &line{turn: make(chan struct{}, 1)}
	}
	t.lines[guest].calls++
	return t.lines[guest]
}

// leave removes a call from its line, and the line with the last call.
func (t *turns) leave(guest identity.Owner, l *line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.calls--; l.calls == 0 {
		delete(t.lines, guest)
	}
}

package audience

import (
	"sync"

	"miramundo.dev/shared/social"
)

// A play is queued with its mark.
type play struct {
	social.Play
	mark uint64
}

// A queue holds plays, oldest first.
type queue struct {
	mu    sync.Mutex
	max   int
	plays []play // guarded by mu
}

// push adds p, and returns false when the queue is full.
func (q *queue) push(p play) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.plays) >= q.max {
		return false
	}
	q.plays = append(q.plays, p)
	return true
}

// head returns the first n plays, or all. They stay in the queue until drop.
func (q *queue) head(n int) []play {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]play(nil), q.plays[:min(n, len(q.plays))]...)
}

// drop removes the first n plays. Removing the last one frees the memory.
func (q *queue) drop(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.plays = q.plays[n:]; len(q.plays) == 0 {
		q.plays = nil
	}
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.plays)
}

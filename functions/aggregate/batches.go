package aggregate

import (
	"sync"
	"time"
)

// Batches gathers items by key, and does the items of a key one batch after the
// other, those of different keys beside each other. Nothing runs where nothing
// waits.
type batches[T any] struct {
	pause time.Duration // between the first item and its batch
	do    func(key string, batch []T)

	mu    sync.Mutex
	items map[string][]T // of keys that a goroutine cares for; guarded by mu
}

func newBatches[T any](pause time.Duration, do func(string, []T)) *batches[T] {
	return &batches[T]{pause: pause, do: do, items: map[string][]T{}}
}

// add has the item done in some batch, soon.
func (b *batches[T]) add(key string, item T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	items, running := b.items[key]
	b.items[key] = append(items, item)
	if !running {
		go b.run(key)
	}
}

// run does what waits for a key, until nothing does.
func (b *batches[T]) run(key string) {
	for {
		if b.pause > 0 {
			<-time.After(b.pause)
		}
		batch := b.take(key)
		b.do(key, batch)
		if !b.more(key) {
			return
		}
	}
}

func (b *batches[T]) take(key string) []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	items := b.items[key]
	n := min(len(items), maxBatch)
	b.items[key] = items[n:]
	return items[:n:n]
}

// more reports whether items wait for a key; when none does, it is forgotten.
func (b *batches[T]) more(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items[key]) > 0 {
		return true
	}
	delete(b.items, key)
	return false
}

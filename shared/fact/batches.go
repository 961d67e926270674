package fact

import (
	"sync"
	"time"
)

// maxBatch is the most items of one batch, which one transaction counts.
const maxBatch = 500

// Batches gathers items by key and processes them in batches: those of one key
// one batch after the other, those of different keys at the same time. A key
// costs a goroutine while items of it wait, and nothing else.
type Batches[T any] struct {
	pause   time.Duration // between the first item and its batch
	process func(key string, batch []T)

	mu    sync.Mutex
	items map[string][]T // of keys that have a goroutine; guarded by mu
}

// NewBatches returns batches that wait for pause after the first item of a key,
// and then call process with what has come. With no pause a batch is what came
// while the one before was processed.
func NewBatches[T any](pause time.Duration, process func(key string, batch []T)) *Batches[T] {
	return &Batches[T]{pause: pause, process: process, items: map[string][]T{}}
}

// Add puts an item into the next batch of a key that has room.
func (b *Batches[T]) Add(key string, item T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	items, running := b.items[key]
	b.items[key] = append(items, item)
	if !running {
		go b.run(key)
	}
}

// run processes the items of a key until none waits.
func (b *Batches[T]) run(key string) {
	for {
		if b.pause > 0 {
			<-time.After(b.pause)
		}
		b.process(key, b.take(key))
		if !b.hasMore(key) {
			return
		}
	}
}

func (b *Batches[T]) take(key string) []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	items := b.items[key]
	n := min(len(items), maxBatch)
	b.items[key] = items[n:]
	return items[:n:n]
}

// hasMore reports whether items of a key wait, and forgets the key otherwise.
func (b *Batches[T]) hasMore(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items[key]) > 0 {
		return true
	}
	delete(b.items, key)
	return false
}

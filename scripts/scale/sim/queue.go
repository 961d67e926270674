// Package sim simulates queues: what happens in the order of its time, instances that are
// started as the load grows, and popularity. Times are in seconds since the start of a
// simulation. A simulation draws all that is random from one source with a seed, so that
// the same seed gives the same figures.
//
//	queue.go  what is to happen, by its time
//	pool.go   instances of a container, and how long requests wait for them
//	zipf.go   popularity
package sim

// A Queue holds what is to happen, by its time. What happens at the same time happens in
// the order in which it was added. The zero Queue is empty.
type Queue[T any] struct {
	heap  []event[T] // the parent of event i is event (i-1)/2, and is not later
	added uint64
}

type event[T any] struct {
	at   float64
	n    uint64 // breaks ties
	what T
}

func (e *event[T]) before(f *event[T]) bool {
	return e.at < f.at || e.at == f.at && e.n < f.n
}

// Add has something happen at a time.
func (q *Queue[T]) Add(at float64, what T) {
	q.heap = append(q.heap, event[T]{at, q.added, what})
	q.added++
	for i := len(q.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q.heap[i].before(&q.heap[parent]) {
			return
		}
		q.heap[i], q.heap[parent] = q.heap[parent], q.heap[i]
		i = parent
	}
}

// Next removes what happens next and returns it with its time. It returns false when the
// queue is empty.
func (q *Queue[T]) Next() (at float64, what T, ok bool) {
	if len(q.heap) == 0 {
		return 0, what, false
	}
	first := q.heap[0]
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap = q.heap[:last]
	q.sink()
	return first.at, first.what, true
}

// sink moves the first event down to its place.
func (q *Queue[T]) sink() {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q.heap); child++ {
			if q.heap[child].before(&q.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		q.heap[i], q.heap[least] = q.heap[least], q.heap[i]
		i = least
	}
}

// Len returns how many events are in the queue.
func (q *Queue[T]) Len() int { return len(q.heap) }

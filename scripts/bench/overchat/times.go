package overchat

import (
	"slices"
	"sync"
	"time"
)

// times collects durations from many goroutines: they are counted in shards, so that
// the readers of sockets do not wait for each other.
type times struct {
	shards [16]struct {
		mu   sync.Mutex
		list []time.Duration
	}
}

// add adds the duration that the socket of a number measured.
func (t *times) add(number int, d time.Duration) {
	s := &t.shards[number%len(t.shards)]
	s.mu.Lock()
	s.list = append(s.list, d)
	s.mu.Unlock()
}

// sorted returns all durations, the shortest first.
func (t *times) sorted() (all sortedTimes) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		all = append(all, s.list...)
		s.mu.Unlock()
	}
	slices.Sort(all)
	return all
}

// sortedTimes are durations, the shortest first.
type sortedTimes []time.Duration

// share returns the duration that p of the durations do not exceed, 0 when there are
// none.
func (t sortedTimes) share(p float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return t[min(int(p*float64(len(t))), len(t)-1)]
}

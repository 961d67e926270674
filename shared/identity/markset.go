package identity

import (
	"sync"
	"sync/atomic"
)

// ways is the number of slots that a mark may be in. They share one cache
// line.
const ways = 8

// A MarkSet is a set of [Marks] of one day, of fixed size and without locks except
// at the start of a day. When all slots of a mark are taken, another mark is
// overwritten: a set that is too small reports some marks as new again. So it must
// be used where repeating an action is harmless, such as publishing an event under
// the same key. Its methods may be called concurrently.
type MarkSet struct {
	size     int
	rollover sync.Mutex // held while a new table is made, so that only one is
	table    atomic.Pointer[table]
}

type table struct {
	day     Day
	buckets [][ways]atomic.Uint64 // 0 is a free slot
}

// NewMarkSet returns a set for up to max marks, with 8 bytes for each.
func NewMarkSet(max int) *MarkSet {
	size := 1
	for size*ways < max {
		size *= 2
	}
	s := &MarkSet{size: size}
	s.table.Store(s.empty(0))
	return s
}

func (s *MarkSet) empty(d Day) *table {
	return &table{day: d, buckets: make([][ways]atomic.Uint64, s.size)}
}

// Add adds a mark and reports whether it was missing. The first mark of a
// later day empties the set.
func (s *MarkSet) Add(mark uint64, d Day) bool {
	mark = nonzero(mark)
	t := s.table.Load()
	if d > t.day {
		t = s.startDay(d)
	}
	b := t.bucket(mark)
	for i := range b {
		if b[i].Load() == mark {
			return false
		}
	}
	for i := range b {
		if b[i].CompareAndSwap(0, mark) {
			return true
		}
		if b[i].Load() == mark {
			return false
		}
	}
	b[mark>>60%ways].Store(mark)
	return true
}

// startDay returns the table of day d, or of a later one.
func (s *MarkSet) startDay(d Day) *table {
	s.rollover.Lock()
	defer s.rollover.Unlock()
	t := s.table.Load()
	if d > t.day {
		t = s.empty(d)
		s.table.Store(t)
	}
	return t
}

// Forget removes a mark.
func (s *MarkSet) Forget(mark uint64) {
	mark = nonzero(mark)
	b := s.table.Load().bucket(mark)
	for i := range b {
		b[i].CompareAndSwap(mark, 0)
	}
}

func (t *table) bucket(mark uint64) *[ways]atomic.Uint64 {
	return &t.buckets[mark&uint64(len(t.buckets)-1)]
}

func nonzero(mark uint64) uint64 {
	if mark == 0 {
		return 1
	}
	return mark
}

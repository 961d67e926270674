package audience

import (
	"sync"
	"sync/atomic"

	"miramundo.dev/shared/identity"
)

// ways is how many places a mark may have. They lie in one cache line.
const ways = 8

// A seen is a set of marks of one day, of fixed size and without locks but for
// the turn of the day. When the places of a mark are taken, another one is
// forgotten: a set that is too small lets plays be told again, under the same
// key, and is wrong in no other way. The same holds for what races.
type seen struct {
	size    int
	turning sync.Mutex // held while a new table is made, so that one is
	table   atomic.Pointer[table]
}

type table struct {
	day     identity.Day
	buckets [][ways]atomic.Uint64 // 0 is a free place
}

// newSeen returns a set for up to max marks.
func newSeen(max int) *seen {
	size := 1
	for size*ways < max {
		size *= 2
	}
	s := &seen{size: size}
	s.table.Store(s.empty(0))
	return s
}

func (s *seen) empty(d identity.Day) *table {
	return &table{day: d, buckets: make([][ways]atomic.Uint64, s.size)}
}

// add tells whether a mark was not there, and adds it. The first mark of a
// later day empties the set.
func (s *seen) add(mark uint64, d identity.Day) bool {
	mark = nonzero(mark)
	t := s.table.Load()
	if d > t.day {
		t = s.turn(d)
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

// turn returns the table of day d, or of a later one.
func (s *seen) turn(d identity.Day) *table {
	s.turning.Lock()
	defer s.turning.Unlock()
	t := s.table.Load()
	if d > t.day {
		t = s.empty(d)
		s.table.Store(t)
	}
	return t
}

// forget takes a mark out.
func (s *seen) forget(mark uint64) {
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

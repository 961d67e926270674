package allowance

import (
	"math/bits"
	"time"

	"miramundo.dev/shared/identity"
)

const minutesOfDay = 24 * 60

// A minutes is a set of the minutes of a day: minute m is bit m%8 of byte
// m/8.
type minutes [minutesOfDay / 8]byte

func (s *minutes) has(m int) bool { return s[m/8]&(1<<(m%8)) != 0 }

func (s *minutes) add(m int) { s[m/8] |= 1 << (m % 8) }

func (s *minutes) join(o *minutes) {
	for i, b := range o {
		s[i] |= b
	}
}

func (s *minutes) count() (n int) {
	for _, b := range s {
		n += bits.OnesCount8(b)
	}
	return n
}

// minuteOf returns the minute of the day in UTC.
func minuteOf(t time.Time) int {
	const day = minutesOfDay * 60
	s := t.Unix() % day
	if s < 0 {
		s += day
	}
	return int(s / 60)
}

// A network is a network on one day. The lock of its shard guards all fields
// but id and day.
type network struct {
	id  identity.ID
	day identity.Day

	seen     minutes
	used     int       // size of seen
	unsaved  int       // minutes of seen that the database may lack
	saveAt   time.Time // when they are due to be written
	lastSeen time.Time
}

// A verdict is the result of counting a minute.
type verdict int

const (
	unknown verdict = iota // the network is not in the table
	allowed
	urgent // allowed, and more than one minute is unsaved
	spent
)

// spread is the time within which the first unsaved minute of a network is
// written. Each network has its own delay within it, so that networks that
// begin together are not all written together.
const spread = 30 * time.Second

// watch adds the current minute, unless limit other minutes were used before.
func (n *network) watch(now time.Time, limit int) verdict {
	n.lastSeen = now
	m := minuteOf(now)
	switch {
	case n.seen.has(m):
		return allowed
	case n.used >= limit:
		return spent
	}
	n.seen.add(m)
	n.used++
	n.unsaved++
	if n.unsaved > 1 {
		n.saveAt = now
		return urgent
	}
	n.saveAt = now.Add(spread * time.Duration(n.id[0]) / 256)
	return allowed
}

// join adds minutes from the database.
func (n *network) join(s *minutes) {
	n.seen.join(s)
	n.used = n.seen.count()
}

// read adds the minutes that the database had when the network was first
// seen. If they use up the limit, minutes that were allowed meanwhile are
// dropped: the network is refused from now on, and being evicted and coming
// back gains it nothing.
func (n *network) read(s *minutes, limit int) {
	if s.count() < limit {
		n.join(s)
		return
	}
	n.seen, n.used, n.unsaved = *s, s.count(), 0
}

// saved notes that the database has the minutes s, with count of the unsaved
// ones.
func (n *network) saved(s *minutes, count int) {
	n.join(s)
	n.unsaved = max(0, n.unsaved-count)
}

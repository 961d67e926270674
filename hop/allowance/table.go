package allowance

import (
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/identity"
)

// shards is the number of locks of a table.
const shards = 64

// idle is how long a saved network is kept that is not seen.
const idle = 30 * time.Minute

// sample is how many networks are compared to evict one; when all of them are
// unsaved, up to four times as many are looked at.
const sample = 16

// A table holds the networks of today by their marks.
type table struct {
	max    int         // networks in one shard
	full   atomic.Bool // a network could not be added, because all others are unsaved
	shards [shards]shard
}

type shard struct {
	mu       sync.Mutex
	networks map[uint64]*network // guarded by mu, like their fields
	unread   []*network          // to be read from the database; guarded by mu
	_        [24]byte            // so that two locks share no cache line
}

func (t *table) init(max int) {
	t.max = (max + shards - 1) / shards
	for i := range t.shards {
		t.shards[i].networks = map[uint64]*network{}
	}
}

func (t *table) shard(mark uint64) *shard { return &t.shards[mark%shards] }

// watch counts the current minute for a network, and returns how many minutes
// it has used. The verdict is unknown when the network is not in the table.
func (t *table) watch(mark uint64, now time.Time, limit int) (used int, v verdict) {
	sh := t.shard(mark)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	n := sh.networks[mark]
	if n == nil {
		return 0, unknown
	}
	v = n.watch(now, limit)
	return n.used, v
}

// add adds a network that is to be read. It returns false when there is no
// room, because all others are unsaved, and true when another goroutine added
// the network meanwhile.
func (t *table) add(mark uint64, n *network) bool {
	sh := t.shard(mark)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.networks[mark] != nil {
		return true
	}
	if len(sh.networks) >= t.max && !sh.evict() {
		return false
	}
	sh.networks[mark] = n
	sh.unread = append(sh.unread, n)
	return true
}

// evict drops the saved network that was seen the longest ago, of a sample.
// It reports whether it found one.
func (sh *shard) evict() bool {
	var oldest uint64
	var found *network
	looked := 0
	for mark, n := range sh.networks { // begins anywhere
		if n.unsaved == 0 && (found == nil || n.lastSeen.Before(found.lastSeen)) {
			oldest, found = mark, n
		}
		if looked++; looked >= 4*sample || (looked >= sample && found != nil) {
			break
		}
	}
	delete(sh.networks, oldest)
	return found != nil
}

// A networkCopy is the state of a network at one moment.
type networkCopy struct {
	in      *shard
	network *network
	seen    minutes
	unsaved int
}

// due returns the networks whose unsaved minutes are to be written now, or
// all that have some.
func (t *table) due(now time.Time, all bool) (found []networkCopy) {
	for i := range t.shards {
		sh := &t.shards[i]
		sh.mu.Lock()
		for _, n := range sh.networks {
			if n.unsaved > 0 && (all || !now.Before(n.saveAt)) {
				found = append(found, networkCopy{sh, n, n.seen, n.unsaved})
			}
		}
		sh.mu.Unlock()
	}
	return found
}

// saved notes that the database has c's minutes, and perhaps others.
func (c networkCopy) saved(now *minutes) {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	c.network.saved(now, c.unsaved)
}

// unread takes up to max networks whose minutes are still to be read.
func (t *table) unread(max int) (found []networkCopy) {
	for i := range t.shards {
		sh := &t.shards[i]
		sh.mu.Lock()
		n := min(max-len(found), len(sh.unread))
		for _, u := range sh.unread[:n] {
			found = append(found, networkCopy{in: sh, network: u})
		}
		if sh.unread = sh.unread[n:]; len(sh.unread) == 0 {
			sh.unread = nil
		}
		sh.mu.Unlock()
	}
	return found
}

// read notes the minutes that the database has of c.
func (c networkCopy) read(s *minutes, limit int) {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	c.network.read(s, limit)
}

// sweep drops saved networks that were not seen for a while, and those of
// earlier days.
func (t *table) sweep(now time.Time) {
	today := identity.DayOf(now)
	for i := range t.shards {
		sh := &t.shards[i]
		sh.mu.Lock()
		for mark, n := range sh.networks {
			if n.unsaved == 0 && (n.day != today || now.Sub(n.lastSeen) > idle) {
				delete(sh.networks, mark)
			}
		}
		sh.mu.Unlock()
	}
}

// unsaved returns how many networks have unsaved minutes.
func (t *table) unsaved() int { return len(t.due(time.Time{}, true)) }

// len returns the number of networks.
func (t *table) len() (n int) {
	for i := range t.shards {
		sh := &t.shards[i]
		sh.mu.Lock()
		n += len(sh.networks)
		sh.mu.Unlock()
	}
	return n
}

package audience

import (
	"crypto/rand"
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social"
)

// shards is the number of locks of the sums.
const shards = 32

// maxLatency is longer than any fetch may take. Longer samples come from a
// clock that was set or a machine that slept.
const maxLatency = time.Minute

// sums add up latencies until they are taken.
type sums struct {
	max    int // sums in one shard
	seed   maphash.Seed
	shards [shards]struct {
		mu   sync.Mutex
		sums map[sumKey]*sum // guarded by mu
		_    [40]byte        // so that two locks share no cache line
	}
}

// A sumKey identifies a sum.
type sumKey struct {
	channel, country string
	day              identity.Day
}

type sum struct {
	samples int
	total   time.Duration
	last    time.Time
}

func (s *sums) init(max int) {
	s.max, s.seed = (max+shards-1)/shards, maphash.MakeSeed()
	for i := range s.shards {
		s.shards[i].sums = map[sumKey]*sum{}
	}
}

// add adds a sample. It returns false when that needs a new sum and there is
// no room.
func (s *sums) add(channel, country string, d time.Duration, now time.Time) bool {
	p := sumKey{channel, country, identity.DayOf(now)}
	sh := &s.shards[maphash.String(s.seed, channel)%shards]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	v := sh.sums[p]
	if v == nil {
		if len(sh.sums) >= s.max {
			return false
		}
		v = &sum{}
		p.channel, p.country = strings.Clone(channel), strings.Clone(country)
		sh.sums[p] = v
	}
	v.samples++
	v.total += min(max(d, 0), maxLatency)
	v.last = now
	return true
}

// take empties the sums and returns them.
func (s *sums) take() (all []social.Latency) {
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		taken := sh.sums
		sh.sums = make(map[sumKey]*sum, len(taken))
		sh.mu.Unlock()
		for p, v := range taken {
			all = append(all, social.Latency{
				Key: rand.Text(), Channel: p.channel, Country: p.country, Day: p.day.String(),
				Samples: v.samples, SumMS: v.total.Milliseconds(), LastAt: v.last.UTC(),
			})
		}
	}
	return all
}

func (s *sums) len() (n int) {
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		n += len(sh.sums)
		sh.mu.Unlock()
	}
	return n
}

package upstream

import (
	"cmp"
	"miramundo.dev/hop/upstream/lowlatency"
	"slices"
	"time"
)

// This file bounds the cache. Once a second, a sweep drops entries that were
// not requested for a while. When the cache is over its size even so, entries
// that were requested only once go first, then those requested the longest
// ago, until an eighth is free.

const (
	idleTime     = time.Minute      // after which a rendering that is not requested is dropped
	sourceTime   = 90 * time.Second // the same for a source, when no rendering needs it any more
	directedTime = 5 * time.Second  // the same for both, when they answered directives
)

// sweepSoon starts a sweep unless one began within this second. Every refresh
// calls it: without refreshes the cache does not grow.
func (c *Cache) sweepSoon(now time.Time) {
	if c.sweptAt.Load() >= c.seconds(now) || !c.sweeping.TryLock() {
		return
	}
	c.sweptAt.Store(c.seconds(now))
	go func() { // so that no player waits for it
		defer c.sweeping.Unlock()
		c.sweep(now)
	}()
}

// makeRoom sweeps and waits for that, when the cache is over its size.
func (c *Cache) makeRoom(now time.Time) {
	if c.isFull() {
		c.sweeping.Lock()
		defer c.sweeping.Unlock()
		c.sweep(now)
	}
}

func (c *Cache) isFull() bool { return c.bytes.Load() > c.opts.MaxBytes }

// sweep drops what was not requested for a while and, if the cache is still
// over its size, evicts. The caller holds sweeping.
func (c *Cache) sweep(now time.Time) {
	c.dropSources(now)
	c.dropRenderings(now)
	if c.isFull() {
		c.evict(now)
	}
}

// limit returns for how many seconds an entry with directives d is kept that is
// not requested. whole is the limit of entries without directives.
func limit(d lowlatency.Directives, whole time.Duration) int64 {
	if d != (lowlatency.Directives{}) {
		whole = directedTime
	}
	return int64(whole / time.Second)
}

// dropSources drops sources that are not requested, and the bodies of expired
// results: the renderings hold what they need of them. When the cache is full
// it drops all bodies; a request that needs one again, without a rendering,
// asks the address once more.
func (c *Cache) dropSources(now time.Time) {
	full, second := c.isFull(), c.seconds(now)
	c.mu.Lock()
	defer c.mu.Unlock()
	for t, s := range c.sources {
		s.Amend(func(r *result) *result {
			switch {
			case r.err != nil:
				return r
			case full, !now.Before(r.until):
				return nil
			}
			return r
		})
		if second-s.Used() > limit(t.directives, sourceTime) && s.Retire() {
			delete(c.sources, t)
		}
	}
}

// dropRenderings drops renderings that are not requested.
func (c *Cache) dropRenderings(now time.Time) {
	second := c.seconds(now)
	for i := range c.renderings {
		s := &c.renderings[i]
		s.mu.Lock()
		for k, v := range s.renderings {
			if second-v.Used() > limit(k.directives, idleTime) && v.Retire() {
				delete(s.renderings, k)
			}
		}
		s.mu.Unlock()
	}
}

// A candidate is an entry that may be evicted.
type candidate struct {
	repeated bool // it was requested in more than one second
	used     int64
	drop     func()
}

// before orders candidates by which is evicted first: entries requested only
// once, so that a flood of addresses does not evict what people watch, and
// then the entries requested the longest ago.
func (i candidate) before(j candidate) int {
	switch {
	case i.repeated == j.repeated:
		return cmp.Compare(i.used, j.used)
	case j.repeated:
		return -1
	}
	return 1
}

// evict drops candidates until an eighth of MaxBytes is free.
func (c *Cache) evict(now time.Time) {
	all := append(c.evictableRenderings(), c.evictableSources(now)...)
	slices.SortFunc(all, candidate.before)
	for _, i := range all {
		if c.bytes.Load() <= c.opts.MaxBytes/8*7 {
			return
		}
		i.drop()
	}
}

func (c *Cache) evictableRenderings() (all []candidate) {
	for i := range c.renderings {
		s := &c.renderings[i]
		s.mu.RLock()
		for k, v := range s.renderings {
			all = append(all, candidate{repeated: v.Repeated(), used: v.Used(), drop: func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				if v.Retire() {
					delete(s.renderings, k)
				}
			}})
		}
		s.mu.RUnlock()
	}
	return all
}

// evictableSources leaves out sources whose result is not expired, so that no
// address is asked more often for want of memory, and those that are about to
// be asked.
func (c *Cache) evictableSources(now time.Time) (all []candidate) {
	second := c.seconds(now)
	c.mu.Lock()
	defer c.mu.Unlock()
	for t, s := range c.sources {
		last := s.Kept()
		if last != nil && now.Before(last.until) || last == nil && second-s.Used() <= 1 {
			continue
		}
		all = append(all, candidate{repeated: s.Repeated(), used: s.Used(), drop: func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if s.Retire() {
				delete(c.sources, t)
			}
		}})
	}
	return all
}

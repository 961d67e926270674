package upstream

import (
	"slices"
	"time"
)

const (
	idleTime     = time.Minute      // after which a view that nobody asks for goes
	sourceTime   = 90 * time.Second // the same for a source: no view that needs it is left
	directedTime = 5 * time.Second  // the same for both when directives asked for them
	memoryTime   = 10 * time.Second // for which a source must remember when it was asked
)

// tidy forgets what nobody asks for any more, once a second, and what was not
// asked for the longest as soon as there is too much. It is called whenever a
// playlist is looked after: while none is, nothing is added either.
func (c *Cache) tidy(at time.Time) {
	now := at.Unix()
	over := c.bytes.Load() > c.opts.MaxBytes
	if !over && c.tidied.Load() >= now || !c.tidying.TryLock() {
		return
	}
	c.tidied.Store(now)
	go func() { // what it takes, no player waits for
		defer c.tidying.Unlock()
		c.forgetSources(at)
		c.forgetViews(now)
		if c.bytes.Load() > c.opts.MaxBytes {
			c.evict(now)
		}
	}()
}

// limit returns how long a memo is kept that nobody asks for.
func (d Directives) limit(whole time.Duration) int64 {
	if d != (Directives{}) {
		whole = directedTime
	}
	return int64(whole / time.Second)
}

// forgetSources drops sources that nobody asks for, and the bodies of those
// whose second is over: the views have what they need of them.
func (c *Cache) forgetSources(at time.Time) {
	old := func(r *result) bool { return r.err == nil && !at.Before(r.until) }
	c.mu.Lock()
	defer c.mu.Unlock()
	for t, s := range c.sources {
		s.clear(old)
		if at.Unix()-s.used.Load() > t.directives.limit(sourceTime) && s.retire() {
			delete(c.sources, t)
		}
	}
}

// forgetViews drops views that nobody asks for.
func (c *Cache) forgetViews(now int64) {
	for i := range c.views {
		s := &c.views[i]
		s.mu.Lock()
		for k, v := range s.views {
			if now-v.used.Load() > k.directives.limit(idleTime) && v.retire() {
				delete(s.views, k)
			}
		}
		s.mu.Unlock()
	}
}

// An item is something that can be dropped.
type item struct {
	used int64
	drop func()
}

// evict drops what was not asked for the longest, until an eighth of the room
// is free.
func (c *Cache) evict(now int64) {
	all := append(c.keptViews(), c.keptSources(now)...)
	slices.SortFunc(all, func(a, b item) int { return int(a.used - b.used) })
	for _, i := range all {
		if c.bytes.Load() <= c.opts.MaxBytes/8*7 {
			return
		}
		i.drop()
	}
}

func (c *Cache) keptViews() (all []item) {
	for i := range c.views {
		s := &c.views[i]
		s.mu.RLock()
		for k, v := range s.views {
			all = append(all, item{v.used.Load(), func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				if v.retire() {
					delete(s.views, k)
				}
			}})
		}
		s.mu.RUnlock()
	}
	return all
}

// keptSources leaves out those that must be remembered, so that no address is
// asked more often for want of room.
func (c *Cache) keptSources(now int64) (all []item) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for t, s := range c.sources {
		used := s.used.Load()
		if now-used <= int64(memoryTime/time.Second) {
			continue
		}
		all = append(all, item{used, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if s.retire() {
				delete(c.sources, t)
			}
		}})
	}
	return all
}

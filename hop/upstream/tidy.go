package upstream

import (
	"cmp"
	"slices"
	"time"
)

const (
	idleTime     = time.Minute      // after which a view that nobody asks for goes
	sourceTime   = 90 * time.Second // the same for a source: no view that needs it is left
	directedTime = 5 * time.Second  // the same for both when directives asked for them
)

// tidy forgets what nobody asks for any more, once a second. It is called
// whenever a playlist is looked after: while none is, nothing is added either.
func (c *Cache) tidy(now time.Time) {
	if c.tidied.Load() >= c.seconds(now) || !c.tidying.TryLock() {
		return
	}
	c.tidied.Store(c.seconds(now))
	go func() { // what it takes, no player waits for
		defer c.tidying.Unlock()
		c.sweep(now)
	}()
}

// makeRoom forgets what must go when there is too much.
func (c *Cache) makeRoom(now time.Time) {
	if c.isFull() {
		c.tidying.Lock()
		defer c.tidying.Unlock()
		c.sweep(now)
	}
}

func (c *Cache) isFull() bool { return c.bytes.Load() > c.opts.MaxBytes }

// sweep forgets what nobody asks for and, if there is too much all the same,
// what was not asked for the longest. The caller holds tidying.
func (c *Cache) sweep(now time.Time) {
	c.forgetSources(now)
	c.forgetViews(now)
	if c.isFull() {
		c.evict(now)
	}
}

// limit returns for how many seconds a memo is kept that nobody asks for.
func (d Directives) limit(whole time.Duration) int64 {
	if d != (Directives{}) {
		whole = directedTime
	}
	return int64(whole / time.Second)
}

// forgetSources drops sources that nobody asks for, and the bodies of those
// whose second is over: the views have what they need of them. When there is
// too much, it drops all bodies; who comes too late for one, and finds no view
// either, has the address asked once more.
func (c *Cache) forgetSources(now time.Time) {
	full, second := c.isFull(), c.seconds(now)
	c.mu.Lock()
	defer c.mu.Unlock()
	for t, s := range c.sources {
		s.amend(func(r *result) *result {
			switch {
			case r.err != nil:
				return r
			case full, !now.Before(r.until):
				return nil
			}
			return r
		})
		if second-s.used.Load() > t.directives.limit(sourceTime) && s.retire() {
			delete(c.sources, t)
		}
	}
}

// forgetViews drops views that nobody asks for.
func (c *Cache) forgetViews(now time.Time) {
	second := c.seconds(now)
	for i := range c.views {
		s := &c.views[i]
		s.mu.Lock()
		for k, v := range s.views {
			if second-v.used.Load() > k.directives.limit(idleTime) && v.retire() {
				delete(s.views, k)
			}
		}
		s.mu.Unlock()
	}
}

// An item is something that can be dropped.
type item struct {
	steady bool // it was asked for again
	used   int64
	drop   func()
}

// item returns the memo as something that drop drops.
func (m *memo[T, P]) item(drop func()) item {
	used := m.used.Load()
	return item{steady: used-m.born > 1, used: used, drop: drop}
}

// before orders items by which goes first: what was asked for at one time only,
// so that a flood of addresses does not wash away what people watch, and then
// what was not asked for the longest.
func (i item) before(j item) int {
	switch {
	case i.steady == j.steady:
		return cmp.Compare(i.used, j.used)
	case j.steady:
		return -1
	}
	return 1
}

// evict drops items until an eighth of the room is free.
func (c *Cache) evict(now time.Time) {
	all := append(c.keptViews(), c.keptSources(now)...)
	slices.SortFunc(all, item.before)
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
			all = append(all, v.item(func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				if v.retire() {
					delete(s.views, k)
				}
			}))
		}
		s.mu.RUnlock()
	}
	return all
}

// keptSources leaves out those that must be remembered, so that no address is
// asked more often for want of room, and those that are about to be asked.
func (c *Cache) keptSources(now time.Time) (all []item) {
	second := c.seconds(now)
	c.mu.Lock()
	defer c.mu.Unlock()
	for t, s := range c.sources {
		last := s.kept.Load()
		if last != nil && now.Before(last.until) || last == nil && second-s.used.Load() <= 1 {
			continue
		}
		all = append(all, s.item(func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if s.retire() {
				delete(c.sources, t)
			}
		}))
	}
	return all
}

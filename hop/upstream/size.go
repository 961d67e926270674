package upstream

import "miramundo.dev/hop/upstream/share"

// A Size is how much a cache holds and does.
type Size struct {
	Fetches, Held, Bodies Pool  // places of fetches, of those that wait for a part, and of large bodies
	Bytes                 int64 // of all entries, by a close estimate
	Entries               int   // bodies of addresses, and their renderings
}

// A Pool is how many places of a pool are taken, and how many fetches wait for one.
type Pool struct{ Taken, Waiting int }

// Size returns the size of c. It locks each part of c for a moment.
func (c *Cache) Size() Size {
	s := Size{Fetches: poolOf(c.fetches), Held: poolOf(c.held), Bodies: poolOf(c.bodies), Bytes: c.bytes.Load()}
	for i := range c.renderings {
		part := &c.renderings[i]
		part.mu.RLock()
		s.Entries += len(part.renderings)
		part.mu.RUnlock()
	}
	c.mu.Lock()
	s.Entries += len(c.sources)
	c.mu.Unlock()
	return s
}

func poolOf(p *share.Pool) Pool {
	taken, waiting := p.Size()
	return Pool{taken, waiting}
}

package agent

import (
	"strings"
	"sync"
)

// maxKept is how many User-Agents a Cache remembers, twice: about 1 MiB.
const maxKept = 1024

// A Cache remembers what a function returns for a User-Agent, since most requests
// have one of a few User-Agents, and reading one takes microseconds. It forgets the
// User-Agents that were not used lately. The zero Cache is ready to use, and may be
// used concurrently.
type Cache[V any] struct {
	mu         sync.RWMutex
	young, old map[string]V // guarded by mu
}

// Get returns parse(agent) for the first 512 bytes of agent, from the cache when it
// is there.
func (c *Cache[V]) Get(agent string, parse func(string) V) V {
	agent = agent[:min(len(agent), maxAgent)]
	c.mu.RLock()
	v, ok := c.young[agent]
	old := false
	if !ok {
		v, old = c.old[agent]
	}
	c.mu.RUnlock()
	if ok {
		return v
	}
	if !old {
		v = parse(agent)
	}
	c.keep(strings.Clone(agent), v)
	return v
}

func (c *Cache[V]) keep(agent string, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young == nil || len(c.young) >= maxKept {
		c.young, c.old = make(map[string]V, maxKept), c.young
	}
	c.young[agent] = v
}

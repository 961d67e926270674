package favorites

import (
	"sync"
	"time"

	"miramundo.dev/shared/social"
)

// Bounds of what is remembered.
const (
	// countedWithin is the time in which changes are counted: later they are
	// taken to be, whether or not their keys are found.
	countedWithin = time.Minute
	// fresh is how long a number that was told is shown in place of the
	// overlay's, which some seconds later has it too.
	fresh       = 10 * time.Second
	maxChannels = 10_000
)

// recent remembers the changes of the last minute that this process made, so
// that the numbers it tells do not wait for those who count. The zero recent
// remembers none; its methods may be called concurrently.
type recent struct {
	mu       sync.Mutex
	channels map[string]*changes // guarded by mu
}

// changes are those of one channel.
type changes struct {
	list   []social.Favorite
	told   int       // the number told last
	toldAt time.Time // zero before
	at     time.Time // of the last change
}

// add remembers a change.
func (r *recent) add(f social.Favorite, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.channels == nil {
		r.channels = map[string]*changes{}
	}
	c := r.channels[f.Channel]
	if c == nil {
		if len(r.channels) >= maxChannels {
			r.forget(now)
		}
		c = new(changes)
		r.channels[f.Channel] = c
	}
	c.list, c.at = append(c.list, f), now
}

// forget makes room: of what is counted by now, or of everything.
func (r *recent) forget(now time.Time) {
	for channel, c := range r.channels {
		if now.Sub(c.at) > countedWithin {
			delete(r.channels, channel)
		}
	}
	if len(r.channels) >= maxChannels {
		clear(r.channels)
	}
}

// over returns how many people have a channel as a favorite, by what is counted
// and what is changed since. It forgets the changes that are counted.
func (r *recent) over(channel string, counted *social.Counted, now time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := int(counted.Favorites)
	c := r.channels[channel]
	if c == nil {
		return max(n, 0)
	}
	open := c.list[:0]
	for _, f := range c.list {
		if now.Sub(f.At) > countedWithin || counted.Has(social.AboutOf(f)) {
			continue
		}
		open = append(open, f)
		n += f.Delta
	}
	c.list = open
	c.told, c.toldAt = max(n, 0), now
	return c.told
}

// last returns the number told last of a channel, if that was just now.
func (r *recent) last(channel string, now time.Time) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.channels[channel]
	if c == nil || c.toldAt.IsZero() || now.Sub(c.toldAt) > fresh {
		return 0, false
	}
	return c.told, true
}

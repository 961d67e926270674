package favorites

import (
	"slices"
	"sync"
	"time"

	"miramundo.dev/shared/social"
)

// Bounds of what is remembered.
const (
	// countedWithin is the time in which changes are counted: later they are
	// taken to be, whether or not their keys are found.
	countedWithin = time.Minute
	// countedSoon is that time on days of which not all keys can be found: most
	// are counted by then, and are not to be counted here once more.
	countedSoon = 5 * time.Second
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
	list     []social.Favorite // those that counted lacks
	counted  int               // the newest number of those counted that was seen
	revision int64             // of counted
	told     int               // the number told last
	toldAt   time.Time         // zero before
	at       time.Time         // of the last change
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
	c := r.channels[channel]
	if c == nil {
		return max(int(counted.Favorites), 0)
	}
	c.settle(counted, now)
	n := c.counted
	for _, f := range c.list {
		n += f.Delta
	}
	c.told, c.toldAt = max(n, 0), now
	return c.told
}

// settle forgets the changes that are counted. What was read before what is
// known, and comes later, says nothing: changes that it lacks may be forgotten.
func (c *changes) settle(counted *social.Counted, now time.Time) {
	if counted.Revision >= c.revision {
		c.counted, c.revision = int(counted.Favorites), counted.Revision
	}
	c.list = slices.DeleteFunc(c.list, func(f social.Favorite) bool {
		about := f.About()
		within := countedWithin
		if counted.Seen[about.Day()].Spilled > 0 {
			within = countedSoon
		}
		return now.Sub(f.At) > within || counted.Has(about)
	})
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

package favorites

import (
	"slices"
	"sync"
	"time"

	"miramundo.dev/shared/social"
)

// Changes of favorites are counted by another process, some seconds later. A caller
// that adds a favorite should see the number go up at once, and should not see it go
// back: so each process remembers the changes that it made, adds them to the number
// read from the database, and forgets a change once the database lists its key among
// those counted.

// Bounds of what is remembered.
const (
	// countedWithin is the time after which a change is taken to be counted, even
	// if its key is not found.
	countedWithin = time.Minute
	// countedSoon is that time on days of which the database does not list all keys:
	// most changes are counted by then, and would count twice.
	countedSoon = 5 * time.Second
	// fresh is how long the number last answered is shown in place of that of the
	// overlay, which follows some seconds later.
	fresh       = 10 * time.Second
	maxChannels = 10_000
)

// recent remembers the changes of the last minute that this process made. The zero
// recent is empty and ready to use; its methods may be called concurrently.
type recent struct {
	mu       sync.Mutex
	channels map[string]*changes // guarded by mu
}

// changes are those of one channel.
type changes struct {
	list       []social.Favorite // the changes that counted does not include
	counted    int               // the newest number read from the database
	revision   int64             // of counted
	answered   int               // the number answered last
	answeredAt time.Time         // zero before the first answer
	at         time.Time         // of the last change
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

// forget makes room: it drops the channels whose changes are counted by now, or all
// of them.
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

// total returns how many people have a channel as a favorite: the counted number and
// the changes of this process since. It forgets the changes that are counted.
func (r *recent) total(channel string, counted *social.Counted, now time.Time) int {
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
	c.answered, c.answeredAt = max(n, 0), now
	return c.answered
}

// settle forgets the changes that are counted. A number with an older revision than
// the one known was read earlier and is not taken: the changes that it lacks may be
// forgotten already.
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

// last returns the number last answered for a channel, if that is fresh.
func (r *recent) last(channel string, now time.Time) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.channels[channel]
	if c == nil || c.answeredAt.IsZero() || now.Sub(c.answeredAt) > fresh {
		return 0, false
	}
	return c.answered, true
}

package functions

import (
	"sync/atomic"
	"time"
)

// A clock stands still until it is moved. Its methods may be called concurrently, since
// what follows the database reads it too.
type clock struct{ at atomic.Int64 }

// newClock returns a clock that shows noon.
func newClock() *clock {
	c := new(clock)
	c.at.Store(noon.UnixNano())
	return c
}

func (c *clock) now() time.Time { return time.Unix(0, c.at.Load()).UTC() }

// pass moves the clock and returns what it shows.
func (c *clock) pass(d time.Duration) time.Time { return time.Unix(0, c.at.Add(int64(d))).UTC() }

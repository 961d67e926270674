package media

// Timestamps of transport streams count 90 kHz in 33 bits. Those of other
// containers are brought to the same.
const (
	hertz    = 90_000
	wrap     = 1<<33 - 1
	longStep = 10 * hertz // no two timestamps of one stream are further apart, unless it was cut
	disorder = hertz      // nor further in the wrong order
)

// A clock measures the bytes between timestamps that stand in them. Where time
// jumps, neither the bytes nor the time count.
type clock struct {
	now     span
	first   span // where the first picture stood that can be shown alone
	latest  span // and the last
	keys    int  // how many
	last    uint64
	at      int
	ticking bool
}

// A span is a time and the bytes in it.
type span struct {
	ticks, bytes int64
}

func (s span) seconds() float64 { return float64(s.ticks) / hertz }

// tick tells the time that is written at a place. Times of several tracks may
// be a little out of order.
func (c *clock) tick(at int, now uint64) {
	step, back := (now-c.last)&wrap, (c.last-now)&wrap
	if c.ticking && back > 0 && back <= disorder {
		return
	}
	if c.ticking && step <= longStep {
		c.now.ticks += int64(step)
		c.now.bytes += int64(at - c.at)
	}
	c.last, c.at, c.ticking = now, at, true
}

// jump says that the next time has nothing to do with the last.
func (c *clock) jump() { c.ticking = false }

// key says that a picture that can be shown alone begins where the last time
// was told.
func (c *clock) key() {
	if c.keys == 0 {
		c.first = c.now
	}
	c.latest = c.now
	c.keys++
}

// bitrate is that of whole groups of pictures, since the picture that begins
// one takes many times the bytes of the others; and otherwise that of all:
// where the groups are less than half of it, and where the last, of which data
// hold a part, is nearly whole.
func (c *clock) bitrate() int {
	groups := c.groups()
	tail := c.now.ticks - c.latest.ticks
	if 2*groups.ticks >= c.now.ticks && 4*tail*int64(c.keys-1) < 3*groups.ticks {
		if rate := bitrate(groups.bytes, groups.seconds()); rate > 0 {
			return rate
		}
	}
	return bitrate(c.now.bytes, c.now.seconds())
}

// groups are the pictures from the first that can be shown alone to the last.
func (c *clock) groups() span {
	return span{c.latest.ticks - c.first.ticks, c.latest.bytes - c.first.bytes}
}

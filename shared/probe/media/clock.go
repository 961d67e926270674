package media

// Bitrates are measured between timestamps. Over video, whole groups of
// pictures are taken, because the picture that begins a group is many times
// larger than the others.

// Timestamps of transport streams count 90 kHz in 33 bits. Those of other
// containers are brought to the same.
const (
	hertz    = 90_000
	wrap     = 1<<33 - 1
	longStep = 10 * hertz // no two timestamps of one stream are further apart, unless it was cut
	disorder = hertz      // nor further in the wrong order
)

// A clock adds up bytes between timestamps. Where time jumps, neither the
// bytes nor the time count.
type clock struct {
	now     span
	first   span // at the first key picture
	latest  span // at the last key picture
	keys    int  // number of key pictures
	last    uint64
	at      int
	ticking bool
}

// A span is a time and the bytes in it.
type span struct {
	ticks, bytes int64
}

func (s span) seconds() float64 { return float64(s.ticks) / hertz }

// tick adds a timestamp and its position. Timestamps of several tracks may be
// slightly out of order.
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

// jump says that the next timestamp is unrelated to the last.
func (c *clock) jump() { c.ticking = false }

// key says that a key picture begins at the last timestamp.
func (c *clock) key() {
	if c.keys == 0 {
		c.first = c.now
	}
	c.latest = c.now
	c.keys++
}

// bitrate returns the rate over whole groups of pictures. It returns the rate
// over all bytes when the groups cover less than half of the time, or when
// the last group, which is cut off, is nearly complete.
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

// groups returns the span from the first key picture to the last.
func (c *clock) groups() span {
	return span{c.latest.ticks - c.first.ticks, c.latest.bytes - c.first.bytes}
}

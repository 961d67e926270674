package upstream

import (
	"sync/atomic"
	"time"
)

const (
	second     = time.Second     // for which what an address answered is not asked for again
	maxBackOff = 8 * time.Second // the same for one that failed again and again
)

// A target is what a request asks for, and as whom. Everyone who asks for the
// same gets the same answer.
type target struct {
	url, referrer, agent string
	directives           Directives
}

func (t target) weight() int64 { return int64(len(t.url) + len(t.referrer) + len(t.agent)) }

// A source is the memory of what a target answered.
type source struct {
	memo[result, *result]

	edge  edge
	lanes [lanes]lane // of requests that wait for what is not there yet
}

// A lane is for requests of one sort that wait. A few are under way at a time;
// when one fails, no other is sent for a while.
type lane struct {
	places  chan struct{}          // holds a token for each request that waits
	refusal atomic.Pointer[result] // of the last one, when it failed; nil otherwise
}

// A result is what an address answered.
type result struct {
	body   []byte
	status int
	url    string // after redirects, without directives
	sum    uint64 // of the body
	began  time.Time
	at     time.Time // when it was whole
	until  time.Time // before which the target is not asked again
	err    error
	fails  int // in a row, this one included
}

// recordWeight is about what a record weighs besides its texts.
const recordWeight = 512

func (r *result) weight() int64 { return int64(cap(r.body) + len(r.url)) }

func (r *result) over(*result) *result { return r }

// source returns the source of a target, a new one if need be.
func (c *Cache) source(t target, now time.Time) *source {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sources[t]
	if s == nil {
		s = &source{}
		for i := range s.lanes {
			s.lanes[i].places = make(chan struct{}, maxBlocked)
		}
		s.total, s.frame, s.born = &c.bytes, recordWeight+t.weight(), c.seconds(now)
		c.sources[t] = s
	}
	s.touch(c.seconds(now))
	return s
}

// whole returns the target that t asks the changes of.
func (t target) whole() target {
	t.directives = Directives{}
	return t
}

package upstream

import (
	"sync/atomic"
	"time"

	"miramundo.dev/hop/upstream/lowlatency"
	"miramundo.dev/hop/upstream/memo"
)

// This file holds what addresses answered. One source serves all streams that
// have the same address, referrer and user agent, so that an origin sees one
// request a second however the catalog refers to it.

const (
	askInterval = time.Second     // an address is asked at most once in this time
	maxBackOff  = 2 * time.Second // the longest time from one failing request to the next; it doubles from askInterval
	retryTime   = 2 * time.Second // for which an address that hung is asked again, unless it is known to be slow

	patientAgain = 16 // after as many failures, an origin that hangs gets the time of a first request once
)

// A target is an upstream request: address, headers and directives. Equal
// targets share one answer.
type target struct {
	url, referrer, agent string
	directives           lowlatency.Directives
}

func (t target) weight() int64 { return int64(len(t.url) + len(t.referrer) + len(t.agent)) }

// A source holds the last answer of a target.
type source struct {
	memo.Memo[result, *result]

	edge   edge
	wanted demand                 // for the fetch under way
	lanes  [lowlatency.Lanes]lane // for requests that wait for an unpublished segment or part
}

// A lane admits a few blocking requests of one kind at a time. After one of
// them fails, the lane refuses others until the failed result expires.
type lane struct {
	places  chan struct{}          // holds a token for each request that waits
	refusal atomic.Pointer[result] // of the last one, when it failed; nil otherwise
}

// A result is the answer of an address, or the error of asking it.
type result struct {
	body   []byte
	status int
	url    string // after redirects, without directives
	sum    uint64 // of the body
	began  time.Time
	at     time.Time // when it was complete
	until  time.Time // the target is not asked again before
	err    error
	fails  int           // consecutive failures, this one included
	hung   bool          // the failure was that the origin took too long
	took   time.Duration // of the last request that was answered
}

// recordWeight is the approximate size in bytes of an entry without its
// strings.
const recordWeight = 512

func (r *result) Weight() int64 { return int64(cap(r.body) + len(r.url)) }

func (r *result) Merge(*result) *result { return r }

// source returns the source of a target, and adds it when it is missing.
func (c *Cache) source(t target, now time.Time) *source {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sources[t]
	if s == nil {
		s = &source{}
		for i := range s.lanes {
			s.lanes[i].places = make(chan struct{}, maxBlocked)
		}
		s.Init(&c.bytes, recordWeight+t.weight(), c.seconds(now))
		c.sources[t] = s
	}
	s.Touch(c.seconds(now))
	return s
}

// whole returns the target of the complete playlist that t asks a part of.
func (t target) whole() target {
	t.directives = lowlatency.Directives{}
	return t
}

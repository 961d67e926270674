package upstream

import (
	"sync"
	"time"
)

// Many origins redirect every request to a server of a content network, often
// with a session in the address. Following the redirects each second would
// open a session each second, so the address where they ended is asked
// directly while that works. It is given up when it fails, when its playlist
// stops changing, and when it is not used for edgeTime.

// edgeTime is how long an unused edge is remembered, and for how long edges
// are not tried for a target that needs its redirects.
const edgeTime = time.Minute

// An edge is the address that the redirects of a target ended at. Its methods
// may be called concurrently.
type edge struct {
	mu          sync.Mutex
	url         string    // empty when unknown, or when the target does not redirect
	used        time.Time // when it last answered
	direct      bool      // it has answered a direct request
	misses      int       // consecutive edges that did not answer a direct request
	pausedUntil time.Time // no edge is used before
}

// start returns the address to ask for a target: the edge, or url when no
// edge is in use.
func (e *edge) start(url string, now time.Time) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.url == "" || now.Sub(e.used) >= edgeTime {
		return url
	}
	return e.url
}

// reset forgets the edge.
func (e *edge) reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.url = ""
}

// fail forgets an edge that did not answer. When several edges in a row fail
// direct requests, the origin needs its redirects, usually for a cookie that
// they set; then no edge is tried for edgeTime.
func (e *edge) fail(now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.direct {
		e.misses = 0
	} else if e.misses++; e.misses > 1 {
		e.pausedUntil = now.Add(edgeTime)
	}
	e.url, e.direct = "", false
}

// record remembers the address end that an answer came from, if there were
// redirects, and whether it was asked directly.
func (e *edge) record(end, url string, direct bool, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.url, e.used, e.direct = "", now, direct
	if end != url && !now.Before(e.pausedUntil) {
		e.url = end
	}
}

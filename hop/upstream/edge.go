package upstream

import (
	"sync"
	"time"
)

// edgeTime is how long the end of redirects is gone to directly since its last
// use, and how long it is not when that is of no use.
const edgeTime = time.Minute

// An edge is where the redirects of a target ended. Its methods may be called
// concurrently.
type edge struct {
	mu     sync.Mutex
	url    string    // empty when it is not known, or when there are no redirects
	used   time.Time // when it answered last
	direct bool      // it has answered who went there directly
	vain   int       // how many in a row have not
	barred time.Time // until when no other is tried
}

// start returns the address at which to ask for a target.
func (e *edge) start(url string, now time.Time) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.url == "" || now.Sub(e.used) >= edgeTime {
		return url
	}
	return e.url
}

// leave forgets where redirects ended.
func (e *edge) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.url = ""
}

// flee is leave when that place did not answer. When one after the other does
// not answer who goes there directly, they need the redirects, for the cookie
// they set: no other is tried for a while.
func (e *edge) flee(now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.direct {
		e.vain = 0
	} else if e.vain++; e.vain > 1 {
		e.barred = now.Add(edgeTime)
	}
	e.url, e.direct = "", false
}

// settleAt remembers where redirects ended, when there were any, and whether
// that was gone to directly. An origin that leads each request to a session of
// its own is so asked for one session only.
func (e *edge) settleAt(end, url string, direct bool, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.url, e.used, e.direct = "", now, direct
	if end != url && !now.Before(e.barred) {
		e.url = end
	}
}

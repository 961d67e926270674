package main

import (
	"net/http"
	"sync"
	"time"
)

// A drain counts the requests under way, since the framework's server cannot
// be shut down: it is left when none remain. Its zero value is ready.
type drain struct {
	mu    sync.Mutex
	open  int           // requests under way; guarded by mu
	empty chan struct{} // closed when a drain that began is done; guarded by mu
}

// wrap returns h, counted. Once the drain began, answers ask for the
// connection to be closed, so that callers go elsewhere, and are sent before
// they count as done: the server sends what is left when h has returned, and
// the process may have ended by then.
func (d *drain) wrap(h http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if d.enter() {
			w.Header().Set("Connection", "close")
		}
		defer d.leave()
		h.ServeHTTP(w, r)
		if d.began() {
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// began reports whether someone waits, or has waited.
func (d *drain) began() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.empty != nil
}

func (d *drain) enter() (draining bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open++
	return d.empty != nil
}

func (d *drain) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open--
	d.finish()
}

// finish ends the wait when no request remains. The caller holds mu.
func (d *drain) finish() {
	if d.empty == nil || d.open > 0 {
		return
	}
	select {
	case <-d.empty:
	default:
		close(d.empty)
	}
}

// wait returns true when no request is under way, or false after patience.
func (d *drain) wait(patience time.Duration) bool {
	d.mu.Lock()
	if d.empty == nil {
		d.empty = make(chan struct{})
	}
	d.finish()
	empty := d.empty
	d.mu.Unlock()
	select {
	case <-empty:
		return true
	case <-time.After(patience):
		return false
	}
}

package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"miramundo.dev/hop/upstream"
	"miramundo.dev/shared/catalog"
)

// The address of a stream promises a playlist, and its origin may send something
// else: a radio station, a transport stream, a DASH manifest. Package upstream
// recognizes that by the first bytes. What was found is remembered here, so that
// the next requests are answered at once; after a while one of them has the origin
// asked again, beside its own answer, so that a repaired origin is noticed. The
// first time that is soon, since an origin may send something else just once.
//
// The job that measures streams finds the same, and every instance learns it with
// the catalog: a stream is then redirected from its first request on, and the
// origin is asked again in the same way.

// Bounds of what is remembered.
const (
	maxTurned  = 8192             // streams; beyond them any other one is forgotten
	againAfter = 10 * time.Minute // the origin is asked again
	retryAsk   = time.Minute      // it is asked again when it did not answer, or was found only now
)

// A finding is what a stream was found to be.
type finding struct {
	url      string    // of the stream when that was found
	location string    // where callers are redirected; empty when they may not be
	playlist bool      // it is a playlist, though it was measured to be something else
	until    time.Time // the origin is not asked again before
	asking   bool      // the origin is being asked
}

// turned remembers streams that are not what their addresses promise. Its methods
// may be called concurrently.
type turned struct {
	mu sync.RWMutex
	of map[catalog.StreamID]*finding // guarded by mu, with what it points to
}

// A turn is what look returns of a finding.
type turn struct {
	location string
	due      bool // the caller must have the origin asked again
}

// look returns what a stream turned out to be instead of a playlist. It reports
// false for a stream that is thought to be a playlist.
func (t *turned) look(st *stream, now time.Time) (turn, bool) {
	measured := st.Kind != catalog.StreamHLS
	t.mu.RLock()
	f := t.of[st.ID]
	if f != nil && f.url != st.URL {
		f = nil
	}
	if f == nil && !measured || f != nil && f.playlist {
		t.mu.RUnlock()
		return turn{}, false
	}
	if f != nil && now.Before(f.until) {
		defer t.mu.RUnlock()
		return turn{location: f.location}, true
	}
	t.mu.RUnlock()
	if f == nil {
		t.put(st, finding{location: st.location, until: now.Add(againAfter)})
		return turn{location: st.location}, true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	due := !f.asking
	f.asking = true
	return turn{f.location, due}, true
}

// put remembers what a stream was found to be.
func (t *turned) put(st *stream, f finding) {
	f.url = st.URL
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.of[st.ID]; !known && len(t.of) >= maxTurned {
		for id := range t.of {
			delete(t.of, id)
			break
		}
	}
	t.of[st.ID] = &f
}

// forget forgets what a stream was found to be.
func (t *turned) forget(id catalog.StreamID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, id)
}

// retry has the origin of a stream asked again later, since it did not answer.
func (t *turned) retry(id catalog.StreamID, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f := t.of[id]; f != nil {
		f.asking, f.until = false, at
	}
}

// note remembers what the origin of a stream sends, and returns where callers are
// redirected: to the address that sends it, or to the list that leads there. The
// origin is asked again after the time again.
func (s *Server) note(st *stream, found *upstream.Other, again time.Duration) (location string) {
	if found.Entry != "" {
		location = s.streams.secure(found.Entry)
	}
	if location == "" {
		location = s.streams.secure(st.URL)
	}
	s.turned.put(st, finding{location: location, until: s.Now().Add(again)})
	return location
}

// askAgain asks the origin of a stream that was not a playlist what it sends now.
func (s *Server) askAgain(ctx context.Context, st *stream, req upstream.Request) {
	_, err := s.Playlists.Get(ctx, req)
	other, found := errors.AsType[*upstream.Other](err)
	switch {
	case found:
		s.note(st, other, againAfter)
	case err != nil:
		s.turned.retry(st.ID, s.Now().Add(retryAsk))
	case st.Kind == catalog.StreamHLS:
		s.turned.forget(st.ID)
	default:
		s.turned.put(st, finding{playlist: true})
	}
}

package feeds

import (
	"sync"
	"weak"

	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/identity"
)

// fresh is for how long a list is right while nothing that it was made of
// changes, in seconds: measurements grow old.
const fresh = 600

// A key says what a list depends on, beside the catalog.
type key struct {
	owner    identity.Owner
	revision int64 // of the library
	place    place
	format   string // in which it is kept
	country  string // of the caller
	period   int64  // in which it was written, counted in fresh
	shown    uint64 // the version of the guide, when it is one
}

// Bounds of a shelf, in bytes: of all lists, and of one.
const (
	maxShelf = 48 << 20
	maxList  = maxShelf / 2 // the guide of a full library takes a quarter
)

// A shelf keeps lists that were written from one view of the catalog, since
// players read an unchanged list again and again. The zero shelf is empty.
type shelf struct {
	mu    sync.Mutex
	view  weak.Pointer[index.View] // not kept alive
	lists map[key]file
	keys  []key // the oldest first
	bytes int
}

// get returns the list of a key that was written from v.
func (s *shelf) get(v *index.View, k key) (file, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.view != weak.Make(v) {
		return file{}, false
	}
	c, ok := s.lists[k]
	return c, ok
}

// put keeps a list that was written from v, in the place of the oldest ones.
// Those of another view go.
func (s *shelf) put(v *index.View, k key, c file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := weak.Make(v); s.view != p || s.lists == nil {
		s.view, s.lists, s.keys, s.bytes = p, map[key]file{}, nil, 0
	}
	if _, ok := s.lists[k]; ok || len(c.Data) > maxList {
		return
	}
	for len(s.keys) > 0 && s.bytes+len(c.Data) > maxShelf {
		oldest := s.keys[0]
		s.bytes -= len(s.lists[oldest].Data)
		delete(s.lists, oldest)
		s.keys = s.keys[1:]
	}
	s.lists[k] = c
	s.keys = append(s.keys, k)
	s.bytes += len(c.Data)
}

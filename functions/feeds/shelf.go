package feeds

import (
	"sync"
	"weak"

	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/library"
)

// fresh is how long a list is served, in seconds, although nothing that it depends
// on has changed: the measurements by which streams are chosen grow old.
const fresh = 600

// A key is everything that a cached file depends on, besides the catalog.
type key struct {
	token   string          // which opened the library
	version library.Version // of the library
	place   place
	format  string // in which it is cached; lineup for players of Xtream Codes
	country string // of the caller
	period  int64  // when it was written, in units of fresh
	shown   uint64 // the version of the programmes, for a guide

	published int64 // when a public library was published last; 0 for the owner's feeds
}

// Bounds of a shelf, in bytes: of all files, and of one.
const (
	maxShelf = 48 << 20
	maxList  = maxShelf / 2 // the guide of a full library takes a quarter
)

// A shelf caches the files that were written from one view of the catalog, and
// evicts the oldest. Files of an earlier view are dropped at once. The zero shelf is
// empty and ready to use; its methods may be called concurrently.
type shelf struct {
	mu    sync.Mutex
	view  weak.Pointer[index.View] // weak, so that the cache does not keep an old catalog in memory
	lists map[key]file
	keys  []key // the oldest first
	bytes int
}

// get returns the file of a key that was written from v.
func (s *shelf) get(v *index.View, k key) (file, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.view != weak.Make(v) {
		return file{}, false
	}
	c, ok := s.lists[k]
	return c, ok
}

// put caches a file that was written from v.
func (s *shelf) put(v *index.View, k key, c file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := weak.Make(v); s.view != p || s.lists == nil {
		s.view, s.lists, s.keys, s.bytes = p, map[key]file{}, nil, 0
	}
	size := c.memory()
	if _, ok := s.lists[k]; ok || size > maxList {
		return
	}
	for len(s.keys) > 0 && s.bytes+size > maxShelf {
		oldest := s.keys[0]
		s.bytes -= s.lists[oldest].memory()
		delete(s.lists, oldest)
		s.keys = s.keys[1:]
	}
	s.lists[k] = c
	s.keys = append(s.keys, k)
	s.bytes += size
}

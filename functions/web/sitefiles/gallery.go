package sitefiles

import (
	"container/list"
	"context"
	"sync"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
)

// Preview pictures are drawn when they are first requested: there are tens of
// thousands of channels, and few of them are ever shared. A crawler that requests
// all of them must not take the instance's memory or CPU from its visitors, so the
// cache has a limit in bytes, and few pictures are drawn at a time. The others wait in a
// queue that holds all pictures of a page of search results at once and more: a crawler
// that requests a hundred together gets a hundred. Callers beyond the queue are refused with
// a fault that asks them to retry.

// Limits of a gallery.
const (
	galleryBytes    = 16 << 20 // size of the cached pictures
	galleryPainters = 2        // pictures drawn at a time; each takes 20 ms and some megabytes
	galleryWaiting  = 256      // callers that draw or wait to draw, for three seconds at most; further ones are refused
)

// A gallery caches drawn pictures and evicts the least recently used ones. It may
// be used concurrently. Use newGallery to make one.
type gallery struct {
	waiting, drawing chan struct{} // semaphores

	mu    sync.Mutex               // guards the fields below
	byKey map[string]*list.Element // elements of used
	used  list.List                // of cachedPicture, most recently used first
	bytes int                      // total size of the pictures
}

// A cachedPicture is a picture with its key.
type cachedPicture struct {
	key     string
	picture api.Content
}

// newGallery returns an empty gallery.
func newGallery() *gallery {
	return &gallery{waiting: make(chan struct{}, galleryWaiting), drawing: make(chan struct{}, galleryPainters), byKey: map[string]*list.Element{}}
}

// get returns the picture of a key, calling draw when it is not cached. It returns
// fault.ErrUnavailable when too many callers wait already, or when ctx is done
// before draw could start. Errors of draw are returned and not cached.
func (g *gallery) get(ctx context.Context, key string, draw func() (api.Content, error)) (api.Content, error) {
	if p, ok := g.find(key); ok {
		return p, nil
	}
	select {
	case g.waiting <- struct{}{}:
		defer func() { <-g.waiting }()
	default:
		return api.Content{}, fault.ErrUnavailable
	}
	select {
	case g.drawing <- struct{}{}:
		defer func() { <-g.drawing }()
	case <-ctx.Done():
		return api.Content{}, fault.ErrUnavailable.Because(ctx.Err())
	}
	if p, ok := g.find(key); ok { // drawn while we waited
		return p, nil
	}
	p, err := draw()
	if err == nil {
		g.keep(key, p)
	}
	return p, err
}

// find returns a cached picture and marks it as used.
func (g *gallery) find(key string) (api.Content, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e, ok := g.byKey[key]
	if !ok {
		return api.Content{}, false
	}
	g.used.MoveToFront(e)
	return e.Value.(cachedPicture).picture, true
}

// keep caches a picture, and evicts the least recently used ones beyond the limit.
func (g *gallery) keep(key string, p api.Content) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.byKey[key]; ok {
		return
	}
	g.byKey[key] = g.used.PushFront(cachedPicture{key, p})
	g.bytes += len(p.Data)
	for g.bytes > galleryBytes {
		last := g.used.Remove(g.used.Back()).(cachedPicture)
		delete(g.byKey, last.key)
		g.bytes -= len(last.picture.Data)
	}
}

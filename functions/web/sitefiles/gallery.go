package sitefiles

import (
	"container/list"
	"context"
	"sync"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
)

// Limits of a gallery.
const (
	galleryBytes    = 16 << 20 // of kept pictures
	galleryPainters = 2        // pictures drawn at a time: each takes 20 ms and some megabytes
	galleryWaiting  = 64       // callers that wait for a drawing; more are refused
)

// A gallery caches drawn pictures and evicts the least recently used. Use
// newGallery to make one.
type gallery struct {
	waiting, drawing chan struct{}

	mu    sync.Mutex
	by    map[string]*list.Element // of a framed
	used  list.List                // last used first
	bytes int
}

// framed is a picture with its key.
type framed struct {
	key     string
	picture api.Content
}

func newGallery() *gallery {
	return &gallery{waiting: make(chan struct{}, galleryWaiting), drawing: make(chan struct{}, galleryPainters), by: map[string]*list.Element{}}
}

// get returns the picture of a key, drawing it when it is not cached. It returns
// fault.ErrUnavailable when too many callers wait.
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

// find returns a cached picture.
func (g *gallery) find(key string) (api.Content, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e, ok := g.by[key]
	if !ok {
		return api.Content{}, false
	}
	g.used.MoveToFront(e)
	return e.Value.(framed).picture, true
}

// keep caches a picture, and evicts the least recently used ones.
func (g *gallery) keep(key string, p api.Content) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.by[key]; ok {
		return
	}
	g.by[key] = g.used.PushFront(framed{key, p})
	g.bytes += len(p.Data)
	for g.bytes > galleryBytes {
		last := g.used.Remove(g.used.Back()).(framed)
		delete(g.by, last.key)
		g.bytes -= len(last.picture.Data)
	}
}

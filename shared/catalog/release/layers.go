package release

import (
	"context"
	"sync"
	"time"

	"miramundo.dev/shared/catalog/index"
)

// A Layer is a part of the overlay beside the blocks, such as what probes
// found. It knows its part already: neither method waits, or asks a database.
type Layer interface {
	// Lay puts what the layer knows into o. What it put there must stay as it
	// is, and never be older than what it once put into another.
	Lay(o *index.Overlay)

	// Changed returns a channel that holds a token when there is more to lay
	// than when a token was last taken.
	Changed() <-chan struct{}
}

// followLayers shows what layers have to say, until ctx is done: a while after
// the first word of it, so that a burst of changes is shown at once.
func (l *Live) followLayers(ctx context.Context, pause time.Duration) {
	word := make(chan struct{}, 1)
	var listeners sync.WaitGroup
	defer listeners.Wait()
	for _, layer := range l.layers {
		listeners.Go(func() { l.listen(ctx, layer, word) })
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-word:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
			l.relay()
		}
	}
}

// listen gives word of each change of a layer, until ctx is done.
func (l *Live) listen(ctx context.Context, layer Layer, word chan<- struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-layer.Changed():
			l.mu.Lock()
			l.stale = true
			l.mu.Unlock()
		}
		select {
		case word <- struct{}{}:
		default: // there is word already
		}
	}
}

// relay shows what is shown with the layers as they are now, unless that is
// done. A problem stays one.
func (l *Live) relay() {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := *l.shown.Load()
	if !l.stale || s.view == nil {
		return
	}
	s.view = l.made()
	l.shown.Store(&s)
}

// lay puts the layers into o. The caller holds mu.
func (l *Live) lay(o *index.Overlay) {
	l.stale = false // what changes from here on is said anew
	for _, layer := range l.layers {
		layer.Lay(o)
	}
}

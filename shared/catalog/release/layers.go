package release

import (
	"context"
	"sync"
	"time"

	"miramundo.dev/shared/catalog/index"
)

// A Layer is a part of the overlay beside the blocks, such as the results of
// probes. It has its part in memory: neither method waits or reads a database.
type Layer interface {
	// AddTo adds the layer to o. What it adds must not change after that, and
	// must not be older than what it added to another overlay before.
	AddTo(o *index.Overlay)

	// Changed returns a channel that holds a token when the layer has changed
	// since a token was last taken.
	Changed() <-chan struct{}
}

// followLayers shows the changes of layers until ctx is done: each some time
// after it came, so that a burst of changes is shown at once.
func (l *Live) followLayers(ctx context.Context, pause time.Duration) {
	changes := make(chan struct{}, 1)
	var listeners sync.WaitGroup
	defer listeners.Wait()
	for _, layer := range l.layers {
		listeners.Go(func() { l.listen(ctx, layer, changes) })
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-changes:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
			l.showLayers()
		}
	}
}

// listen signals each change of a layer to changes, until ctx is done.
func (l *Live) listen(ctx context.Context, layer Layer, changes chan<- struct{}) {
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
		case changes <- struct{}{}:
		default: // a signal is already pending
		}
	}
}

// showLayers replaces the view by one with the layers as they are now, unless
// they are shown already. It does not change the problem in the state.
func (l *Live) showLayers() {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := *l.shown.Load()
	if !l.stale || s.view == nil {
		return
	}
	s.view = l.newView()
	l.shown.Store(&s)
}

// addLayers adds the layers to o. The caller holds mu.
func (l *Live) addLayers(o *index.Overlay) {
	l.stale = false // a change from here on is signaled again
	for _, layer := range l.layers {
		layer.AddTo(o)
	}
}

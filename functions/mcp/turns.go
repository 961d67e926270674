package mcp

import (
	"context"
	"runtime"
)

// A call of a tool allocates about half a megabyte for a short time, most of it in
// buffers of the SDK. Only some requests are answered at once, so that a thousand
// callers do not need half a gigabyte; the others wait for their turn. Many of those
// that are answered wait for the database, so there are more turns than processors.
const (
	turnsPerProcessor = 32
	mostWaiting       = 4096
)

// turns bound how many requests are answered at once and how many wait.
type turns struct {
	running chan struct{}
	waiting chan struct{}
}

func newTurns() *turns {
	return &turns{make(chan struct{}, turnsPerProcessor*runtime.GOMAXPROCS(0)), make(chan struct{}, mostWaiting)}
}

// take waits for a turn and returns what ends it. It returns ErrBusy when too many
// requests wait already, and the error of ctx when that ends first.
func (t *turns) take(ctx context.Context) (end func(), err error) {
	select {
	case t.running <- struct{}{}:
		return func() { <-t.running }, nil
	default:
	}
	select {
	case t.waiting <- struct{}{}:
		defer func() { <-t.waiting }()
	default:
		return nil, ErrBusy
	}
	select {
	case t.running <- struct{}{}:
		return func() { <-t.running }, nil
	case <-ctx.Done():
		return nil, ErrBusy.Because(ctx.Err())
	}
}

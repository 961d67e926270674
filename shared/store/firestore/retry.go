package firestore

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"miramundo.dev/shared/store"
)

// A write that collides with one of another process is refused, and then nothing is
// written. It is made again after a pause. Pauses are random, so that the writers do
// not meet again, and their limit doubles.
const (
	writeTime  = 10 * time.Second // for a write or a transaction, with what it waits and its retries
	firstPause = 16 * time.Millisecond
	maxPause   = 500 * time.Millisecond
)

// refused reports whether err means that a write was not made and may succeed when
// it is made again.
func refused(err error) bool {
	code := status.Code(err)
	return code == codes.Aborted || code == codes.ResourceExhausted
}

// put makes a single write by f. See retry.
func put(ctx context.Context, what string, f func(context.Context) error) error {
	return retry(ctx, what, refused, f)
}

// retry runs f until it succeeds or fails with an error that is not a conflict. After
// conflicts until the end of writeTime it returns store.ErrBusy. A run that is cut off
// then may have written: its error is another one.
func retry(ctx context.Context, what string, conflict func(error) bool, f func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	inner, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	for limit := firstPause; ; limit = min(2*limit, maxPause) {
		err := f(inner)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return errors.Join(ctx.Err(), err)
		case !conflict(err):
			return explain(what, err)
		case !pause(inner, rand.N(limit)):
			return errors.Join(ctx.Err(), store.ErrBusy.Because(err))
		}
	}
}

// pause waits for a time. It reports false when ctx ends.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

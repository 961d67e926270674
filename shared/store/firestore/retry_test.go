package firestore

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"miramundo.dev/shared/store"
)

var (
	errAborted = status.Error(codes.Aborted, "the documents are locked")
	errDown    = status.Error(codes.Unavailable, "no connection")
)

// TestPut checks how a write ends after conflicts, in the time of a synctest bubble.
func TestPut(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(ctx context.Context, try int) error
		want  error
		tries func(n int) bool
	}{
		{"succeeds", func(context.Context, int) error { return nil }, nil, exactly(1)},
		{"succeeds at last", func(_ context.Context, try int) error {
			if try < 5 {
				return errAborted
			}
			return nil
		}, nil, exactly(5)},
		{"never succeeds", func(context.Context, int) error { return errAborted }, store.ErrBusy, func(n int) bool { return n > 10 }},
		{"is cut off after a conflict", func(ctx context.Context, try int) error {
			if try == 1 {
				return errAborted
			}
			<-ctx.Done()
			return ctx.Err()
		}, context.DeadlineExceeded, exactly(2)},
		{"gets no answer", func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }, context.DeadlineExceeded, exactly(1)},
		{"fails", func(context.Context, int) error { return errDown }, errDown, exactly(1)},
		{"fails for a reason", func(context.Context, int) error { return status.Error(codes.AlreadyExists, "") }, store.ErrExists, exactly(1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				err := put(t.Context(), "set things/a", func(ctx context.Context) error {
					tries++
					return c.write(ctx, tries)
				})
				if !errors.Is(err, c.want) || !c.tries(tries) {
					t.Errorf("%v after %d tries, want %v", err, tries, c.want)
				}
			})
		})
	}
}

func exactly(want int) func(int) bool { return func(got int) bool { return got == want } }

// TestPutCancelled cancels a write: it is not made again.
func TestPutCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := put(ctx, "set things/a", func(context.Context) error { cancel(); return errAborted })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("put = %v, want the end of its context", err)
	}
	again := func(context.Context) error { t.Error("a write after the end of its context"); return nil }
	if err := put(ctx, "set things/a", again); !errors.Is(err, context.Canceled) {
		t.Errorf("put = %v, want the end of its context", err)
	}
}

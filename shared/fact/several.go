package fact

import (
	"context"
	"errors"

	"miramundo.dev/shared/bus"
)

// A Counting counts the facts of one book, as a [Counter] does.
type Counting interface {
	Count(ctx context.Context, subscription string, e bus.Event) error
	Receive(ctx context.Context, b bus.Bus) error
}

// Several counts the facts of several books, which have no subscription in common.
type Several []Counting

// Count counts the fact of an event by the counter of its subscription. It returns what
// [Counter.Count] does.
func (s Several) Count(ctx context.Context, subscription string, e bus.Event) error {
	err := error(bus.ErrSubscription.With("subscription", subscription))
	for _, c := range s {
		if err = c.Count(ctx, subscription, e); !errors.Is(err, bus.ErrSubscription) {
			return err
		}
	}
	return err
}

// Receive counts the events of all books until ctx is done, when it returns nil, or
// until a subscription stays out of reach.
func (s Several) Receive(ctx context.Context, b bus.Bus) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error)
	for _, c := range s {
		go func() { ended <- c.Receive(ctx, b) }()
	}
	var first error
	for range s {
		if err := <-ended; err != nil && first == nil {
			first = err
			stop()
		}
	}
	return first
}

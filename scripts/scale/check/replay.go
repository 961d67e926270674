package check

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// senders is how many requests are made at a time.
const senders = 8

// replay makes the requests of a day within a time, each at its moment or as soon as one
// of the senders is free. It ends once all are answered.
func (c *crowd) replay(ctx context.Context, d Day, within time.Duration) (took time.Duration, err error) {
	steps := make(chan step)
	group, ctx := errgroup.WithContext(ctx)
	start := time.Now()
	group.Go(func() error {
		defer close(steps)
		for _, s := range d.steps {
			wait := time.NewTimer(time.Until(start.Add(time.Duration(s.at * float64(within)))))
			select {
			case <-wait.C:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case steps <- s:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range senders {
		group.Go(func() error {
			for s := range steps {
				if err := c.send(ctx, s); err != nil {
					return fmt.Errorf("replay: %w", err)
				}
			}
			return nil
		})
	}
	err = group.Wait()
	return time.Since(start), err
}

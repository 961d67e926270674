package machine

import (
	"context"
	"sync"
	"time"
)

// A Clock runs jobs in place of the cloud's scheduler.
type Clock struct {
	Run   func(ctx context.Context, name string) // returns when the job is done
	Every map[string]time.Duration               // how often each job runs
}

// Tick runs each job again and again until ctx is done, and returns when none
// is under way. The first run of each is one period from now: what has to run
// at the start was run by then.
func (c *Clock) Tick(ctx context.Context) {
	var jobs sync.WaitGroup
	for name, every := range c.Every {
		jobs.Go(func() {
			t := time.NewTicker(every)
			defer t.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-t.C:
					if ctx.Err() == nil { // when both are so, select takes either
						c.Run(ctx, name)
					}
				}
			}
		})
	}
	jobs.Wait()
}

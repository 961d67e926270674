package machine

import (
	"context"
	"sync"
	"time"
)

// A clock runs jobs in place of the cloud's scheduler.
type clock struct {
	run   func(ctx context.Context, name string) // returns when the job is done
	every map[string]time.Duration               // how often each job runs
}

// tick runs each job again and again until ctx is done, and returns when none
// is under way. The first run of each is one period from now: what has to run
// at the start was run by then.
func (c *clock) tick(ctx context.Context) {
	var jobs sync.WaitGroup
	for name, every := range c.every {
		jobs.Go(func() {
			t := time.NewTicker(every)
			defer t.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-t.C:
					if ctx.Err() == nil { // when both are so, select takes either
						c.run(ctx, name)
					}
				}
			}
		})
	}
	jobs.Wait()
}

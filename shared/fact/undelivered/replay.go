package undelivered

import (
	"context"
	"errors"
	"fmt"
)

// Job is the name of the job that calls ReplayAll. It makes the bus patient beyond its
// own limits: what failed for as long as the bus tries is tried again every few hours,
// for as long as the dead letter is kept.
const Job = "events-replay"

// Replayed is the result of a replay.
type Replayed struct {
	Replayed map[string]int `json:"replayed"` // by subscription; those without a dead letter are absent
}

// ReplayAll replays the dead letters of every subscription. Those that can never be
// handled stay, unless rejected is true: after a repair of what handlers can read.
func (d *Desk) ReplayAll(ctx context.Context, rejected bool) (Replayed, error) {
	done := Replayed{map[string]int{}}
	var errs []error
	for _, subs := range d.o.Topology {
		for _, sub := range subs {
			n, err := d.o.Bus.ReplayAll(ctx, sub, rejected)
			if err != nil {
				errs = append(errs, fmt.Errorf("dead letters of %s: %w", sub, err))
			}
			if n > 0 {
				done.Replayed[sub] = n
			}
		}
	}
	return done, errors.Join(errs...)
}

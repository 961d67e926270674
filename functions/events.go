package functions

import (
	"context"

	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/social/counting"
)

// Aggregate counts the events of every subscription in a process to which none
// are pushed: on one machine. It returns nil when ctx is done, or the error that
// keeps a subscription out of reach.
func Aggregate(ctx context.Context, p *compose.Parts) error {
	return counting.New(counting.Options{DB: p.DB, Now: p.Now}).Receive(ctx, p.Bus)
}

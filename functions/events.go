package functions

import (
	"context"

	"miramundo.dev/functions/aggregate"
	"miramundo.dev/functions/reports"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/job"
)

// Aggregate counts the events of every subscription in a process to which none
// are pushed: on one machine. It returns nil when ctx is done, or the error that
// keeps a subscription out of reach.
func Aggregate(ctx context.Context, p *compose.Parts) error {
	c := aggregate.NewCounter(aggregate.Options{DB: p.DB, Now: p.Now})
	return c.Receive(ctx, p.Bus, subscriptions()...)
}

// sweepReportsJob is the name of the job that publishes the reports that could
// not be published when they came.
const sweepReportsJob = "report-sweep"

// Jobs returns the jobs of the functions that count.
func Jobs(p *compose.Parts) []job.Job {
	return []job.Job{
		{Name: sweepReportsJob, Run: func(ctx context.Context, _ job.Order) (any, error) {
			sent, err := reports.NewOutbox(p.DB, p.Bus, p.Log, p.Now).Sweep(ctx)
			return map[string]int{"sent": sent}, err
		}},
		{Name: aggregate.RefreshJob, Run: func(ctx context.Context, _ job.Order) (any, error) {
			return aggregate.Refresh(ctx, p.DB)
		}},
	}
}

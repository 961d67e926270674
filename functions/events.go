package functions

import (
	"context"
	"slices"

	"miramundo.dev/functions/aggregate"
	"miramundo.dev/functions/reports"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/social"
)

// newAggregate makes the server that takes pushed events. What they change is
// shown by a job.
func newAggregate(d Deps) any {
	c := aggregate.NewCounter(aggregate.Options{DB: d.DB, Now: d.Now, Later: true})
	return aggregate.New(c, d.Config.EventsToken)
}

// newReports makes the server that takes reports.
func newReports(d Deps) any {
	return reports.New(reports.Options{
		DB: d.DB, Bus: d.Bus, Catalog: d.Catalog, Overlay: d.Overlay, BaseURL: d.Config.BaseURL, Log: d.Log, Now: d.Now,
	})
}

// Aggregate counts the events of every subscription where none are pushed: on
// one machine. It returns nil when ctx is done, or why a subscription stays out
// of reach.
func (d Deps) Aggregate(ctx context.Context) error {
	c := aggregate.NewCounter(aggregate.Options{DB: d.DB, Now: d.Now})
	var subscriptions []string
	for _, of := range social.Topology() {
		subscriptions = append(subscriptions, of...)
	}
	return c.Receive(ctx, d.Bus, slices.Sorted(slices.Values(subscriptions))...)
}

// SweepJob publishes the reports that could not be published when they came.
const SweepJob = "report-sweep"

func (d Deps) sweepReports() job.Job {
	return job.Job{Name: SweepJob, Run: func(ctx context.Context, _ job.Order) (any, error) {
		sent, err := reports.NewOutbox(d.DB, d.Bus, d.Log, d.Now).Sweep(ctx)
		return map[string]int{"sent": sent}, err
	}}
}

func (d Deps) refreshOverlay() job.Job {
	return job.Job{Name: aggregate.RefreshJob, Run: func(ctx context.Context, _ job.Order) (any, error) {
		return aggregate.Refresh(ctx, d.DB)
	}}
}

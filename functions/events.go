package functions

import (
	"context"
	"maps"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/fact/undelivered"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/counting"
	"miramundo.dev/shared/usage"
	visits "miramundo.dev/shared/visit"
)

// Topology returns the topics of all facts, with their subscriptions.
func Topology() bus.Topology {
	all := social.Topology()
	maps.Copy(all, visits.Topology())
	maps.Copy(all, usage.Topology())
	return all
}

// Aggregate counts the events of every subscription in a process to which none
// are pushed: on one machine. It returns nil when ctx is done, or the error that
// keeps a subscription out of reach.
func Aggregate(ctx context.Context, p *compose.Parts) error {
	return counters(p, false).Receive(ctx, p.Bus)
}

// counters returns what counts the facts of every book. With later, a job shows the
// counts of channels.
func counters(p *compose.Parts, later bool) fact.Several {
	return fact.Several{
		counting.New(counting.Options{DB: p.DB, Now: p.Now, Later: later}),
		fact.NewCounter(visits.Book, fact.Options[*visits.Counted]{DB: p.DB, Now: p.Now}),
		fact.NewCounter(usage.Book, fact.Options[*usage.Counted]{DB: p.DB, Now: p.Now}),
	}
}

// eventDesk returns what lists the events that were not counted, and acts on them.
func eventDesk(p *compose.Parts) *undelivered.Desk {
	return undelivered.New(undelivered.Options{DB: p.DB, Bus: p.Bus, Outbox: p.Outbox(), Topology: Topology(), Now: p.Now})
}

// newReplayJob returns the job that replays dead letters. With force, which only the
// operator can order, it also replays what was rejected.
func newReplayJob(p *compose.Parts) (job.Job, error) {
	return job.Job{Name: undelivered.Job, Run: func(ctx context.Context, o job.Order) (any, error) {
		return eventDesk(p).ReplayAll(ctx, o.Force)
	}}, nil
}

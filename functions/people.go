package functions

import (
	"context"

	"miramundo.dev/functions/comments"
	"miramundo.dev/functions/favorites"
	"miramundo.dev/functions/history"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/social/outbox"
)

func newHistory(d Deps) any { return history.New(d.DB, d.Catalog, d.links(), d.Now) }

func newFavorites(d Deps) any {
	return favorites.New(favorites.Options{
		DB: d.DB, Outbox: d.outbox(), Overlay: d.Overlay, Catalog: d.Catalog, Links: d.links(), Now: d.Now,
	})
}

func newComments(d Deps) any {
	return comments.New(comments.Options{DB: d.DB, Outbox: d.outbox(), Catalog: d.Catalog, Links: d.links(), Now: d.Now})
}

// outbox returns what sends the events that are kept with what they tell of.
func (d Deps) outbox() *outbox.Outbox {
	return &outbox.Outbox{DB: d.DB, Bus: d.Bus, Log: d.Log, Now: d.Now}
}

// OutboxJob sends the events that could not be sent when they came.
const OutboxJob = "outbox-sweep"

func (d Deps) sweepOutbox() job.Job {
	return job.Job{Name: OutboxJob, Run: func(ctx context.Context, _ job.Order) (any, error) {
		sent, err := d.outbox().Sweep(ctx)
		return map[string]int{"sent": sent}, err
	}}
}

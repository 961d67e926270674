// Package counting counts what people do and shows the counts.
//
// A counter counts the facts of package social in the document of their channel.
// What it counted is shown in one of two ways. On one machine the counter itself
// writes the overlay, with the counts of many channels in one write, before it
// acknowledges the events. In the cloud [Refresh] writes the overlay as a job,
// with whatever has changed since it ran last: there each write costs, and a
// function that waits for a batch is paid for waiting.
package counting

import (
	"context"
	"strconv"
	"time"

	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

// Options are the choices that a counter leaves open.
type Options struct {
	DB     store.DB
	Now    func() time.Time
	Gather time.Duration // see [fact.Options]
	Show   time.Duration // how long the counts of one shard of the overlay are gathered
	Later  bool          // leave the overlay to Refresh
}

// New returns a counter of what people do.
func New(o Options) *fact.Counter[*social.Counted] {
	c := fact.Options[*social.Counted]{DB: o.DB, Now: o.Now, Gather: o.Gather}
	if !o.Later {
		c.Then = newDisplay(o).add
	}
	return fact.NewCounter(social.Book, c)
}

// A display writes counts into the overlay, those of one shard together.
type display struct {
	db     store.DB
	shards *fact.Batches[counted]
}

// counted is a channel of which done awaits that it is shown.
type counted struct {
	*social.Counted
	done func(error)
}

func newDisplay(o Options) *display {
	d := &display{db: o.DB}
	d.shards = fact.NewBatches(o.Show, d.show)
	return d
}

func (d *display) add(channel string, c *social.Counted, done func(error)) {
	d.shards.Add(strconv.Itoa(social.ShardOf(channel)), counted{c, done})
}

// show shows channels of a shard.
func (d *display) show(shard string, batch []counted) {
	changed := make([]social.Counted, len(batch))
	for i, c := range batch {
		changed[i] = *c.Counted
	}
	ctx, cancel := context.WithTimeout(context.Background(), fact.Timeout)
	defer cancel()
	n, err := strconv.Atoi(shard)
	if err == nil {
		err = fact.Guard(func() error { return social.ShowCounts(ctx, d.db, n, changed) })
	}
	for _, c := range batch {
		c.done(err)
	}
}

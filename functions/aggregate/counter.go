package aggregate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

// Options are the choices that a Counter leaves open.
type Options struct {
	DB  store.DB
	Now func() time.Time
	// Gather is how long events of one channel are gathered before they are
	// counted together; zero gathers only what comes while others are counted.
	Gather time.Duration
	// Show is how long counts of one shard are gathered before they are shown
	// together; likewise.
	Show time.Duration
	// Later leaves what is shown to Refresh: where each write costs, and where
	// whoever pushes is paid for the time that it waits.
	Later bool
}

// Bounds of the work.
const (
	maxBatch = 500              // facts that one transaction counts
	patience = 20 * time.Second // that a transaction may take
)

// A Counter counts facts, each once however often it comes, in batches. Its
// methods may be called concurrently.
type Counter struct {
	o        Options
	channels *batches[waiting]
	shards   *batches[counted]
}

// A waiting fact has somebody waiting for it to be counted.
type waiting struct {
	fact social.Fact
	done chan<- error // has room
}

// A counted channel has somebody waiting for it to be shown.
type counted struct {
	social.Counted
	done []chan<- error
}

// NewCounter returns a counter that keeps its documents in o.DB.
func NewCounter(o Options) *Counter {
	c := &Counter{o: o}
	c.channels = newBatches(o.Gather, c.countBatch)
	c.shards = newBatches(o.Show, c.showBatch)
	return c
}

// Count returns when the fact that e tells of is counted, and shown unless that
// comes later, now or before. It returns bus.ErrEvent when e is none or too old, bus.ErrSubscription
// when nothing is known of the subscription, or that of the database: the event
// must then come again.
func (c *Counter) Count(_ context.Context, subscription string, e bus.Event) error {
	fact, err := social.FactOf(subscription, e)
	if err != nil {
		return err
	}
	about := social.AboutOf(fact)
	if err := timely(about.At, c.o.Now()); err != nil {
		return bus.ErrEvent.Because(err)
	}
	done := make(chan error, 1)
	c.channels.add(about.Channel, waiting{fact, done})
	return <-done
}

// timely refuses facts of days whose keys are forgotten, since they might have
// been counted, and of days that have not come.
func timely(at, now time.Time) error {
	if age := now.Sub(at); age > keepDays*day || age < -day {
		return fmt.Errorf("a fact of %s", at.UTC().Format(time.DateOnly))
	}
	return nil
}

// countBatch counts facts of a channel, and has it shown.
func (c *Counter) countBatch(channel string, batch []waiting) {
	facts := make([]social.Fact, len(batch))
	dones := make([]chan<- error, len(batch))
	for i, w := range batch {
		facts[i], dones[i] = w.fact, w.done
	}
	kept, err := c.count(channel, facts)
	if _, refused := errors.AsType[*fault.Error](err); refused && len(batch) > 1 {
		for _, w := range batch { // so that one does not stop the others
			c.countBatch(channel, []waiting{w})
		}
		return
	}
	if err != nil || c.o.Later {
		answer(dones, err)
		return
	}
	c.shards.add(strconv.Itoa(social.ShardOf(channel)), counted{kept, dones})
}

// showBatch shows channels of a shard.
func (c *Counter) showBatch(shard string, batch []counted) {
	var dones []chan<- error
	changed := make([]social.Counted, len(batch))
	for i, one := range batch {
		changed[i] = one.Counted
		dones = append(dones, one.done...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	n, err := strconv.Atoi(shard)
	if err == nil {
		err = guarded(func() error { return social.ShowCounts(ctx, c.o.DB, n, changed) })
	}
	answer(dones, err)
}

func answer(dones []chan<- error, err error) {
	for _, done := range dones {
		done <- err
	}
}

// guarded makes an error of a panic, so that one defect does not end the
// process that counts all.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("counting panics: %v", r)
		}
	}()
	return f()
}

// count counts the facts of a channel that were not counted before, and returns
// what is then known of it.
func (c *Counter) count(channel string, facts []social.Fact) (kept social.Counted, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err = guarded(func() error {
		return c.o.DB.Update(ctx, func(tx store.Tx) error {
			l, err := read(tx, channel, facts)
			if err != nil {
				return err
			}
			if l.count(facts) {
				err = l.write(tx, c.o.Now())
			}
			kept = l.kept
			return err
		})
	})
	return kept, err
}

package fact

import (
	"context"
	"errors"
	"fmt"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// This file gathers facts by subject and counts those of one subject in one
// transaction, so that a hundred facts at once cost what one does. An event is
// acknowledged when the transaction that counts its fact has been committed; a
// process that ends before that gets the event again, and the ledger recognizes
// it.

// Options are the choices that a Counter leaves open.
type Options[D Document] struct {
	DB  store.DB
	Now func() time.Time
	// Gather is how long facts of one subject are gathered before they are
	// counted together; zero gathers only what comes while others are counted.
	Gather time.Duration
	// Then, when set, is called with each document that facts were counted in,
	// before their events are acknowledged: done must be called once, with the
	// error for which the events should come again.
	Then func(subject string, doc D, done func(error))
}

// Timeout is how long one transaction of a counter may take.
const Timeout = 20 * time.Second

// A Counter counts the facts of a book. Its methods may be called concurrently,
// as may those of counters of the same book in other processes.
type Counter[D Document] struct {
	book     Book[D]
	o        Options[D]
	subjects *Batches[waiting[D]]
}

// waiting is a fact whose event is acknowledged once it is counted.
type waiting[D Document] struct {
	item[D]
	done chan<- error // has room
}

// NewCounter returns a counter of the facts of b.
func NewCounter[D Document](b Book[D], o Options[D]) *Counter[D] {
	c := &Counter[D]{book: b, o: o}
	c.subjects = NewBatches(o.Gather, c.countBatch)
	return c
}

// Count counts the fact of an event of a subscription, unless it was counted
// before, and returns when that is committed. It returns bus.ErrEvent when the
// event has no valid fact, or one that is too old or of a day to come, and
// bus.ErrSubscription when the book counts nothing of the subscription. After
// any other error the event must come again.
func (c *Counter[D]) Count(_ context.Context, subscription string, e bus.Event) error {
	kind, err := c.book.kind(subscription)
	if err != nil {
		return err
	}
	f, err := kind.Decode(e)
	if err != nil {
		return err
	}
	about := f.About()
	if err := checkTime(about.At, c.o.Now()); err != nil {
		return bus.ErrEvent.Because(err)
	}
	done := make(chan error, 1)
	c.subjects.Add(about.Subject, waiting[D]{item[D]{f, kind}, done})
	return <-done
}

// checkTime refuses facts of days whose marks are forgotten, since they might
// have been counted, and of days that have not come.
func checkTime(at, now time.Time) error {
	switch age := now.Sub(at); {
	case age > keepDays*day:
		return fmt.Errorf("the fact of %s is older than %d days, so it may have been counted", dayOf(at), keepDays)
	case age < -day:
		return fmt.Errorf("the clock that stamped the fact was ahead: replayed after %s it is counted", dayOf(at.Add(-day)))
	}
	return nil
}

// countBatch counts facts of a subject and reports the result to each.
func (c *Counter[D]) countBatch(subject string, batch []waiting[D]) {
	facts := make([]item[D], len(batch))
	for i, w := range batch {
		facts[i] = w.item
	}
	doc, err := c.count(subject, facts)
	if _, refused := errors.AsType[*fault.Error](err); refused && len(batch) > 1 {
		for _, w := range batch { // so that one bad fact does not stop the others
			c.countBatch(subject, []waiting[D]{w})
		}
		return
	}
	done := func(err error) {
		for _, w := range batch {
			w.done <- err
		}
	}
	if err != nil || c.o.Then == nil {
		done(err)
		return
	}
	c.o.Then(subject, doc, done)
}

// count counts the facts of a subject that were not counted before, and returns
// the document of the subject after that.
func (c *Counter[D]) count(subject string, facts []item[D]) (doc D, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), Timeout)
	defer cancel()
	err = Guard(func() error {
		return c.o.DB.Update(ctx, func(tx store.Tx) error {
			p, err := c.book.readPage(tx, subject, facts)
			if err != nil {
				return err
			}
			if p.count(facts) {
				err = p.write(tx, c.o.Now())
			}
			doc = p.doc
			return err
		})
	})
	return doc, err
}

// Guard returns the error of f, or an error in place of its panic, so that one
// defect does not end the process that counts everything.
func Guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("counting panics: %v", r)
		}
	}()
	return f()
}

// Receive counts the events of all subscriptions of the book until ctx is done,
// when it returns nil, or until one of them stays out of reach.
func (c *Counter[D]) Receive(ctx context.Context, b bus.Bus) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error)
	for _, k := range c.book.Kinds {
		go func() {
			err := b.Receive(ctx, k.Subscription, func(ctx context.Context, e bus.Event) error {
				return c.Count(ctx, k.Subscription, e)
			})
			if err != nil {
				err = fmt.Errorf("receive %s: %w", k.Subscription, err)
			}
			ended <- err
		}()
	}
	var first error
	for range c.book.Kinds {
		if err := <-ended; err != nil && first == nil {
			first = err
			stop()
		}
	}
	return first
}

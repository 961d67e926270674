// Package audience publishes plays and playlist latencies to the bus.
//
// A play is published once per person, channel and day. The package does not
// count: an event's key is made from the person's pseudonym of the day and
// the channel, so a play that is published twice, by another hop or after a
// crash, has one key and is counted once.
package audience

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/played"
)

// Options are what a Counter uses. Bus and People are required.
type Options struct {
	Bus    bus.Bus
	People *identity.People // its key must be the same at all hops and after a restart
	Now    func() time.Time // nil is time.Now
	Log    *slog.Logger     // nil is the default logger

	// Played is called with the key of each play that is published, which is the same
	// at all hops. Nil is not called.
	Played func(key string, at time.Time)

	Remembered int // plays of the day that are remembered; 0 is 1,048,576, in 8 MiB
	Waiting    int // plays queued for the bus; 0 is 16,384, in up to 8 MiB
	Sums       int // pairs of channel and country whose latencies are summed at a time; 0 is 16,384
}

func (o *Options) fill() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.Remembered = orDefault(o.Remembered, 1<<20)
	o.Waiting = orDefault(o.Waiting, 1<<14)
	o.Sums = orDefault(o.Sums, 1<<14)
}

func orDefault(n, preset int) int {
	if n > 0 {
		return n
	}
	return preset
}

// How events are published.
const (
	batch       = 100                    // events in one call
	gatherTime  = 200 * time.Millisecond // for which the first play of a batch waits for others
	sumPeriod   = 10 * time.Second       // for which latencies are summed
	publishTime = 10 * time.Second       // timeout of one call
	minBackoff  = 200 * time.Millisecond
	maxBackoff  = 30 * time.Second
	logPause    = time.Minute // between two log records of one problem
)

// A Counter publishes plays and latencies in the background. Play and Latency
// never wait for the bus, and may be called concurrently. While the bus
// fails, events are kept within the bounds of Options and retried. Events
// that do not fit are dropped, counted and logged.
type Counter struct {
	o     Options
	first *played.Plays
	queue queue
	sums  sums

	wake    chan struct{}   // signals that a play is queued; of capacity 1
	closing chan struct{}   // closed by Close
	ctx     context.Context // canceled when queued events are given up
	cancel  context.CancelFunc
	done    sync.WaitGroup
	once    sync.Once // for closing

	plays, latencies *publisher
	unpublished      []social.Latency // sums taken and not yet published
}

// New returns a Counter that publishes until it is closed.
func New(o Options) *Counter {
	o.fill()
	c := &Counter{
		o: o, first: played.New(o.People, o.Remembered), queue: queue{max: o.Waiting},
		wake: make(chan struct{}, 1), closing: make(chan struct{}),
	}
	c.sums.init(o.Sums)
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.plays, c.latencies = c.publisher(social.Plays), c.publisher(social.Latencies)
	c.done.Go(c.publishPlays)
	c.done.Go(c.publishLatencies)
	return c
}

// Play records that the caller plays a channel now. Only the first play of a
// person, channel and day in UTC is published; when it must be dropped, the
// next one counts as the first.
func (c *Counter) Play(who identity.Caller, channel string) {
	now := c.o.Now()
	p, mark, ok := c.first.First(who, channel, now)
	if !ok {
		return
	}
	if !c.queue.push(play{p, mark}) {
		c.first.Forget(mark)
		c.plays.drop()
	} else if c.o.Played != nil {
		c.o.Played(p.Key, now)
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Latency records that a caller in a country waited d for the first byte of a
// channel's playlist.
func (c *Counter) Latency(channel, country string, d time.Duration) {
	if !c.sums.add(channel, social.Country(country), d, c.o.Now()) {
		c.latencies.drop()
	}
}

// Close publishes queued events and stops the counter. When ctx is done
// before that, it gives up and returns an error that says how many are lost.
// Plays and latencies after Close are not published.
func (c *Counter) Close(ctx context.Context) error {
	c.once.Do(func() { close(c.closing) })
	stop := context.AfterFunc(ctx, c.cancel)
	defer stop()
	c.done.Wait()
	c.cancel()
	plays, sums := c.queue.len(), c.sums.len()+len(c.unpublished)
	if plays+sums == 0 {
		return nil
	}
	return errors.Join(fmt.Errorf("audience: %d plays and %d sums of latencies were not published", plays, sums), ctx.Err())
}

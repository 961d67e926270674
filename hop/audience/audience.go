// Package audience knows who has played what today, and tells the bus: each
// play once per person, channel and day, and how long playlists took to come.
//
// It counts nothing itself. An event's key is made of the person's name of the
// day and the channel, so that a play told twice, by another hop or after a
// crash, is one to whoever counts keys.
package audience

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social"
)

// Options are what a Counter uses. Bus and People are required.
type Options struct {
	Bus    bus.Bus
	People *identity.People // with a key that outlives the process, a restart tells no play anew
	Now    func() time.Time // nil is time.Now
	Log    *slog.Logger     // nil is the default logger

	Remembered int // plays of the day that are known not to be new; 0 is 1,048,576, in 8 MiB
	Waiting    int // plays that wait for the bus; 0 is 16,384, in up to 8 MiB
	Sums       int // channels and countries whose latencies are summed at a time; 0 is 16,384
}

func (o *Options) fill() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.Remembered = or(o.Remembered, 1<<20)
	o.Waiting = or(o.Waiting, 1<<14)
	o.Sums = or(o.Sums, 1<<14)
}

func or(n, preset int) int {
	if n > 0 {
		return n
	}
	return preset
}

// How events are published.
const (
	batch       = 100                    // events at a time
	gather      = 200 * time.Millisecond // that the first play of a batch waits for others
	every       = 10 * time.Second       // that latencies are summed
	publishTime = 10 * time.Second       // for one batch
	minBackoff  = 200 * time.Millisecond
	maxBackoff  = 30 * time.Second
	quiet       = time.Minute // between two log records of one problem
)

// A Counter tells the bus of plays and latencies. Play and Latency never wait
// for the bus; while it fails, what is to be told is kept, within the bounds of
// Options, and tried again. What does not fit is counted and logged.
type Counter struct {
	o     Options
	marks identity.Marks
	seen  *seen
	queue queue
	sums  sums

	kick    chan struct{}   // a play waits; of capacity 1
	closing chan struct{}   // closed by Close
	alive   context.Context // done when what is left is given up
	kill    context.CancelFunc
	done    sync.WaitGroup
	once    sync.Once // for closing

	plays, latencies *outlet
	untold           []social.Latency // sums that were taken and are not published
}

// New returns a Counter that publishes until it is closed.
func New(o Options) *Counter {
	o.fill()
	c := &Counter{
		o: o, marks: identity.NewMarks(), seen: newSeen(o.Remembered), queue: queue{max: o.Waiting},
		kick: make(chan struct{}, 1), closing: make(chan struct{}),
	}
	c.sums.init(o.Sums)
	c.alive, c.kill = context.WithCancel(context.Background())
	c.plays, c.latencies = c.outlet(social.Plays), c.outlet(social.Latencies)
	c.done.Go(c.publishPlays)
	c.done.Go(c.publishLatencies)
	return c
}

// Play says that the person behind c plays a channel now. Only the first time
// on a day of UTC is told; when that cannot be kept, the next time counts as
// the first.
func (c *Counter) Play(who identity.Caller, channel string) {
	now := c.o.Now()
	day := identity.DayOf(now)
	mark := c.marks.Person(who, day, channel)
	if !c.seen.add(mark, day) {
		return
	}
	p := social.Play{
		Key:     key(c.o.People.Person(who, day), channel, day),
		Channel: strings.Clone(channel), // which may be a part of a large text
		Day:     day.String(),
		Country: social.Country(who.Country),
		At:      now.UTC(),
	}
	if !c.queue.push(play{p, mark}) {
		c.seen.forget(mark)
		c.plays.lose()
	}
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

// key returns the key of a play. The person's ID is secret and of one day, so
// a plain hash of it tells nothing.
func key(person identity.ID, channel string, day identity.Day) string {
	text := fmt.Appendf(nil, "play\x00%s\x00%s\x00%s", person, day, channel)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// Latency says that a caller in a country waited d for the first byte of a
// channel's playlist.
func (c *Counter) Latency(channel, country string, d time.Duration) {
	if !c.sums.add(channel, social.Country(country), d, c.o.Now()) {
		c.latencies.lose()
	}
}

// Close publishes what waits and ends the counter. When ctx is done before
// that, it gives up and returns an error that says how much is lost. Plays and
// latencies that come after Close are not told.
func (c *Counter) Close(ctx context.Context) error {
	c.once.Do(func() { close(c.closing) })
	stop := context.AfterFunc(ctx, c.kill)
	defer stop()
	c.done.Wait()
	c.kill()
	plays, sums := c.queue.len(), c.sums.len()+len(c.untold)
	if plays+sums == 0 {
		return nil
	}
	return errors.Join(fmt.Errorf("audience: %d plays and %d sums of latencies are not told", plays, sums), ctx.Err())
}

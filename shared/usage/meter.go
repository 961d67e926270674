package usage

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"miramundo.dev/shared/agent"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/identity"
)

// Options are what a Meter uses. Bus and People are required.
type Options struct {
	Bus    bus.Bus
	People *identity.People // its keys must be the same at all processes
	Now    func() time.Time // nil is time.Now
	Log    *slog.Logger     // nil logs nothing

	Every time.Duration // between the first count of a tally and its event; 0 is a minute
}

const (
	minute      = time.Minute
	publishTime = 10 * time.Second // timeout of one event
	closeTime   = 2 * time.Second  // timeout of all that is left when the process ends
	maxWaiting  = 60               // tallies that wait for the bus; later counts go into one more
	remembered  = 1 << 14          // visitors of the day whose hash is not computed again, in 128 KiB
)

// A Meter counts what one process answers. Its methods may be called concurrently;
// Play, Add and Close do nothing on a nil Meter. Counting takes a lock for some
// nanoseconds, waits for nothing else, and allocates nothing for what was counted before.
//
// While the bus fails, counts are kept and published later. A tally that was sent
// once keeps its key, because the bus may have it although it reported a failure.
type Meter struct {
	o      Options
	agents agent.Cache[agent.Class]
	marks  identity.Marks
	seen   *identity.MarkSet

	mu      sync.Mutex
	open    batch   // guarded by mu
	waiting []Tally // oldest first; guarded by mu

	wake    chan struct{} // signals that something was counted; of capacity 1
	stop    func()        // ends run, and what it is publishing
	done    sync.WaitGroup
	sending sync.Mutex // held while tallies are published, so that each is sent by one
}

// NewMeter returns a Meter that publishes until it is closed.
func NewMeter(o Options) *Meter {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Every == 0 {
		o.Every = minute
	}
	ctx, stop := context.WithCancel(context.Background())
	m := &Meter{
		o: o, marks: identity.NewMarks(), seen: identity.NewMarkSet(remembered), open: newBatch(),
		wake: make(chan struct{}, 1), stop: stop,
	}
	m.done.Go(func() { m.run(ctx) })
	return m
}

// An Answer is a call that was answered.
type Answer struct {
	Route   string // method and path, or "" when no route matched
	Surface Surface
	Agent   string // User-Agent of the caller
	Status  int
	Bytes   int64
	Took    time.Duration
	At      time.Time // when it was answered
}

// socket is the status of an answer that began a socket: its time is not the
// service's.
const socket = 101

// Answered counts a call, and returns the kind of its caller.
func (m *Meter) Answered(a Answer) agent.Kind {
	class := m.agents.Get(a.Agent, agent.Classify)
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.batchOf(a.At)
	r := b.route(a.Route)
	r.Calls++
	r.Bytes += a.Bytes
	switch {
	case a.Status >= 500:
		r.Server++
	case a.Status >= 400:
		r.Client++
	}
	if a.Status != socket {
		r.Times[bucket(a.Took)]++
	}
	if a.Surface.IsUse() {
		b.surfaces[a.Surface][class.Kind]++
		if class.Kind == agent.Assistant {
			b.families[class.Family]++
		}
	}
	return class.Kind
}

// bucket returns the bucket of a time.
func bucket(d time.Duration) int {
	for i, bound := range Bounds {
		if d <= bound {
			return i
		}
	}
	return len(Bounds)
}

// Visitor counts a person who opened a page. The caller's guest is left out: a person
// has none on the first page, and would be counted again with it.
func (m *Meter) Visitor(c identity.Caller, at time.Time) {
	c.Guest = ""
	day := identity.DayOf(at)
	if !m.seen.Add(m.marks.Person(c, day, Visitors), day) {
		return
	}
	m.sketch(Visitors, m.o.People.Person(c, day), at)
}

// Play counts a play that has a key of 32 hexadecimal digits. A key that was counted
// before, by any process, does not count again.
func (m *Meter) Play(key string, at time.Time) {
	var id identity.ID
	if m == nil {
		return
	}
	if _, err := hex.Decode(id[:], []byte(key)); err == nil {
		m.sketch(Plays, id, at)
	}
}

// sketch adds a thing to a sketch.
func (m *Meter) sketch(name string, id identity.ID, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.batchOf(at).sketch(name).InsertHash(binary.BigEndian.Uint64(id[:]))
}

// Add counts a thing that happened, by the name that it has in a family of labels. A
// name that is too long or not UTF-8, as one from a caller may be, is counted as "other".
func (m *Meter) Add(family, name string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	label := Label(family, name)
	if len(label) > maxName || !utf8.ValidString(label) {
		label = Label(family, other)
	}
	m.batchOf(m.o.Now()).label(label)
}

// batchOf returns the open batch, to which the caller adds something of a time. A count
// of a later day begins a new batch; one of an earlier day, as after the clock was set
// back, is added to the day that is open. The caller holds mu.
func (m *Meter) batchOf(at time.Time) *batch {
	if day := identity.DayOf(at); day > m.open.day {
		m.cut()
		m.open.begin(day)
	}
	if m.open.empty {
		m.open.empty = false
		m.signal()
	}
	if at.After(m.open.last) {
		m.open.last = at
	}
	return &m.open
}

// cut makes a tally of the open batch and empties it. The caller holds mu.
func (m *Meter) cut() {
	if !m.open.empty {
		m.waiting = append(m.waiting, Tally{Key: fact.NewKey(), At: m.open.last.UTC(), Counts: m.open.take()})
	}
}

// run publishes until ctx is done.
func (m *Meter) run(ctx context.Context) {
	for {
		select {
		case <-m.wake:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(m.o.Every):
		case <-ctx.Done():
			return
		}
		if err := m.Publish(ctx); err != nil && ctx.Err() == nil {
			m.o.Log.Warn("usage numbers wait for the bus", "cause", err.Error())
		}
		m.mu.Lock()
		if !m.open.empty || len(m.waiting) > 0 {
			m.signal()
		}
		m.mu.Unlock()
	}
}

// signal makes run publish once the time between two tallies has passed.
func (m *Meter) signal() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// Publish publishes what was counted before the call, oldest first, and returns the
// error for which some of it waits.
func (m *Meter) Publish(ctx context.Context) error {
	m.sending.Lock()
	defer m.sending.Unlock()
	for cut := false; ; {
		m.mu.Lock()
		if !cut && len(m.waiting) < maxWaiting {
			m.cut()
			cut = true
		}
		if len(m.waiting) == 0 {
			m.mu.Unlock()
			return nil
		}
		next := m.waiting[0]
		m.mu.Unlock()
		if err := m.send(ctx, next); err != nil {
			return err
		}
		m.mu.Lock()
		m.waiting = m.waiting[1:]
		m.mu.Unlock()
	}
}

// send publishes a tally. One that the bus refuses would be refused again, so it is
// logged and given up.
func (m *Meter) send(ctx context.Context, t Tally) error {
	ctx, cancel := context.WithTimeout(ctx, publishTime)
	defer cancel()
	e, err := fact.Encode(t)
	if err == nil {
		err = e.Check()
	}
	if err != nil {
		m.o.Log.Error("usage numbers are lost", "cause", err.Error())
		return nil
	}
	return m.o.Bus.Publish(ctx, Topic, e)
}

// Close publishes what was counted and stops the meter. It takes two seconds at most,
// and returns an error that says how much is lost when the bus does not answer in
// that time. Counts after Close are not published.
func (m *Meter) Close() error {
	if m == nil {
		return nil
	}
	m.stop()
	m.done.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := m.Publish(ctx)
	if err == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return errors.Join(fmt.Errorf("usage: %d tallies were not published", len(m.waiting)), err)
}

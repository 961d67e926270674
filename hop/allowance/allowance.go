// Package allowance knows how long each network has watched today, and when
// that was all that is free.
//
// A network's day is the set of its minutes in which it was seen watching, so
// devices that watch at a time count once, and several hops agree by joining
// their sets. The sets are kept as
//
//	allowances/{id}    a document, of one network and day; gone a day after it
//
// where the id is a keyed hash of both: no address is kept.
package allowance

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// ErrSpent tells a network that has watched all that is free today. Its fields
// are limit_minutes and used_minutes, resets_at (RFC 3339, in UTC), and what
// Options.Offer adds.
var ErrSpent = fault.New(fault.Unpaid, "free_minutes_spent")

// Options are what a Meter uses. DB and People are required.
type Options struct {
	DB      store.DB
	People  *identity.People // with a key that outlives the process and is the same at all hops
	Minutes int              // that are free on a day of UTC; 0 turns the meter off
	Now     func() time.Time // nil is time.Now
	Log     *slog.Logger     // nil is the default logger

	// Paid tells whether a caller whose free minutes are spent has paid, and
	// may go on. It must not block. Nil means that nobody has.
	Paid func(identity.Caller) bool

	// Offer returns the fault that a caller gets, made of e, an ErrSpent with
	// its fields: it may add what can be bought. Nil adds nothing.
	Offer func(c identity.Caller, e *fault.Error) *fault.Error

	Networks int // kept in memory; 0 is 65,536, in about 24 MiB
}

func (o *Options) fill() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Networks <= 0 {
		o.Networks = 1 << 16
	}
}

// A Meter counts the minutes of networks. A nil Meter counts nothing and
// allows everything.
type Meter struct {
	o      Options
	marks  identity.Marks
	table  table
	loads  chan struct{} // a network waits to be read; of capacity 1
	saves  chan struct{} // a network waits to be written; of capacity 1
	closed chan struct{}
	alive  context.Context // done when what is unsaved is given up
	kill   context.CancelFunc
	done   sync.WaitGroup
	once   sync.Once // for closing
	told   struct{ full, read, write quiet }
}

// New returns a Meter that reads and writes the database in the background
// until it is closed; nil when o.Minutes is 0.
func New(o Options) *Meter {
	if o.Minutes <= 0 {
		return nil
	}
	o.fill()
	m := &Meter{
		o: o, marks: identity.NewMarks(),
		loads: make(chan struct{}, 1), saves: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	m.table.init(o.Networks)
	m.alive, m.kill = context.WithCancel(context.Background())
	m.done.Go(m.loading)
	m.done.Go(m.saving)
	return m
}

// Watch says that c watches now. It returns ErrSpent when c's network has
// watched all that is free in other minutes of today: a minute that has begun
// stays allowed. It never waits for the database: a network that is new here is
// allowed until its minutes are read, and while the database does not answer
// those seen here count.
func (m *Meter) Watch(c identity.Caller) error {
	if m == nil || !c.Addr.IsValid() {
		return nil
	}
	now := m.o.Now()
	day := identity.DayOf(now)
	mark := m.marks.Network(c, day)
	used, v := m.table.watch(mark, now, m.o.Minutes)
	if v == unknown {
		n := &network{id: m.o.People.Network(c, day), day: day}
		if !m.table.add(mark, n) {
			m.full(now)
			return nil
		}
		signal(m.loads)
		used, v = m.table.watch(mark, now, m.o.Minutes)
	}
	switch v {
	case urgent:
		signal(m.saves)
	case spent:
		return m.spent(c, day, used)
	}
	return nil
}

// spent returns what c is told, if anything.
func (m *Meter) spent(c identity.Caller, day identity.Day, used int) error {
	if m.o.Paid != nil && m.o.Paid(c) {
		return nil
	}
	e := &fault.Error{Kind: ErrSpent.Kind, Code: ErrSpent.Code, Fields: map[string]any{
		"limit_minutes": m.o.Minutes,
		"used_minutes":  used,
		"resets_at":     (day + 1).Start().Format(time.RFC3339),
	}}
	if m.o.Offer != nil {
		return m.o.Offer(c, e)
	}
	return e
}

// full says that networks are not counted, and asks for what makes room.
func (m *Meter) full(now time.Time) {
	m.table.crowded.Store(true)
	signal(m.saves)
	if m.told.full.over(now) {
		m.o.Log.Error("free minutes of some networks are not counted, because too many watch", "networks", m.o.Networks)
	}
}

// Close writes what is unsaved and ends the meter. When ctx is done before
// that, it gives up and returns an error that says how much is lost.
func (m *Meter) Close(ctx context.Context) error {
	if m == nil {
		return nil
	}
	m.once.Do(func() { close(m.closed) })
	stop := context.AfterFunc(ctx, m.kill)
	defer stop()
	m.done.Wait()
	m.kill()
	if n := m.table.unsaved(); n > 0 {
		return fmt.Errorf("allowance: minutes of %d networks are not saved: %w", n, context.Cause(ctx))
	}
	return nil
}

// signal wakes who waits for c, now or when it next waits.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

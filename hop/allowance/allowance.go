// Package allowance counts the free minutes that each network watches a day,
// and refuses more.
//
// A network's day is the set of minutes in which it was seen watching, so
// devices that watch at the same time count once, and several hops agree by
// merging their sets. The sets are stored as
//
//	allowances/{id}    the minutes of one network on one day; expires a day after it
//
// where the id is a keyed hash of network and day: no address is stored.
//
// Requests never wait for the database while minutes are free. Counting happens in
// memory; one goroutine reads the minutes of networks that are new to this hop,
// another writes minutes that are not saved yet, within 30 seconds. A hop that is
// killed loses at most one minute of each network.
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

// ErrSpent refuses a network that has watched all free minutes of today. Its
// fields are limit_minutes and used_minutes, and resets_at (RFC 3339, in UTC).
var ErrSpent = fault.New(fault.Unpaid, "free_minutes_spent")

// Options are what a Meter uses. DB and People are required.
type Options struct {
	DB      store.DB
	People  *identity.People // its key must be the same at all hops and after a restart
	Minutes int              // free minutes on a day in UTC; 0 turns the meter off
	Now     func() time.Time // nil is time.Now
	Log     *slog.Logger     // nil is the default logger

	// Paid reports whether a caller without free minutes has paid and may go
	// on. It is asked without a lock held, and may take a moment. Nil means that
	// no caller has.
	Paid func(identity.Caller) bool

	Networks int // networks kept in memory; 0 is 65,536, about 24 MiB
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

// A Meter counts the minutes of networks. Its methods may be called
// concurrently. A nil Meter counts nothing and allows everything.
type Meter struct {
	o      Options
	marks  identity.Marks
	table  table
	loads  chan struct{} // signals that a network is to be read; of capacity 1
	saves  chan struct{} // signals that a network is to be written; of capacity 1
	closed chan struct{}
	ctx    context.Context // canceled when unsaved minutes are given up
	cancel context.CancelFunc
	done   sync.WaitGroup
	once   sync.Once // for closing
	logs   struct{ full, read, write logLimiter }
}

// New returns a Meter that reads and writes the database in the background
// until it is closed. It returns nil when o.Minutes is 0.
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
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.done.Go(m.readLoop)
	m.done.Go(m.writeLoop)
	return m
}

// Watch counts the current minute for c's network. It returns ErrSpent when
// the network has used all free minutes of today before this minute; a minute
// that has begun stays allowed.
//
// While minutes are free Watch never waits for the database: a network that is new
// to this hop is allowed until its minutes are read, and while the database does not
// answer, only the minutes seen by this hop count.
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
			m.noRoom(now)
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

// spent returns the fault for c, or nil when c has paid.
func (m *Meter) spent(c identity.Caller, day identity.Day, used int) error {
	if m.o.Paid != nil && m.o.Paid(c) {
		return nil
	}
	return &fault.Error{Kind: ErrSpent.Kind, Code: ErrSpent.Code, Fields: map[string]any{
		"limit_minutes": m.o.Minutes,
		"used_minutes":  used,
		"resets_at":     (day + 1).Start().Format(time.RFC3339),
	}}
}

// noRoom logs that a network is not counted, and asks the writer to make
// room.
func (m *Meter) noRoom(now time.Time) {
	m.table.full.Store(true)
	signal(m.saves)
	if m.logs.full.allow(now) {
		m.o.Log.Error("free minutes of some networks are not counted, because the table is full", "networks", m.o.Networks)
	}
}

// Close writes unsaved minutes and stops the meter. When ctx is done before
// that, it gives up and returns an error that says how many networks lose
// minutes.
func (m *Meter) Close(ctx context.Context) error {
	if m == nil {
		return nil
	}
	m.once.Do(func() { close(m.closed) })
	stop := context.AfterFunc(ctx, m.cancel)
	defer stop()
	m.done.Wait()
	m.cancel()
	if n := m.table.unsaved(); n > 0 {
		return fmt.Errorf("allowance: minutes of %d networks are not saved: %w", n, context.Cause(ctx))
	}
	return nil
}

// signal wakes the receiver of c, now or when it next waits.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

package allowance

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/store"
)

// This file keeps the table and the database alike. Reading and writing merge
// sets of minutes, so their order does not matter, and a transaction that is
// repeated changes nothing. Failures are retried with growing pauses, and
// logged once a minute.

// Bounds of database calls.
const (
	readBatch   = 100
	writeBatch  = 50
	callTimeout = 10 * time.Second
	checkEvery  = time.Second // between two searches for networks that are due
	sweepEvery  = time.Minute
	minBackoff  = 500 * time.Millisecond
	maxBackoff  = time.Minute
)

// collection has a document for each network and day.
const collection store.Path = "allowances"

// A document is the stored form of a network's day. Fields may be added.
type document struct {
	Minutes  []byte     `json:"minutes"` // minute m of the day is bit m%8 of byte m/8
	Day      string     `json:"day"`
	ExpireAt store.Time `json:"expire_at"`
}

func (c networkCopy) path() store.Path { return collection.Join(c.network.id.String()) }

// document returns c's document with the minutes s.
func (c networkCopy) document(s *minutes) document {
	day := c.network.day
	return document{Minutes: s[:], Day: day.String(), ExpireAt: store.At((day + 2).Start())}
}

// parse returns the minutes of a document. It returns none when the document
// is missing or damaged: a network may start anew, but must not fail for a
// day.
func parse(d store.Doc) (s minutes) {
	var doc document
	if d.Decode != nil && d.Decode(&doc) == nil && len(doc.Minutes) == len(s) {
		copy(s[:], doc.Minutes)
	}
	return s
}

// readLoop reads the minutes of networks that are new to this hop. A failed
// read is not repeated: each of these networks has an unsaved minute, and
// writing reads too.
func (m *Meter) readLoop() {
	backoff := minBackoff
	for m.wait(m.loads, 0) {
		for batch := m.table.unread(readBatch); len(batch) > 0 && !m.closing(); batch = m.table.unread(readBatch) {
			if err := m.load(batch); err != nil {
				m.logFailure(&m.logs.read, "read", err)
				m.pause(&backoff)
				continue
			}
			backoff = minBackoff
		}
	}
}

func (m *Meter) load(batch []networkCopy) error {
	ctx, cancel := context.WithTimeout(m.ctx, callTimeout)
	defer cancel()
	docs, err := m.o.DB.GetAll(ctx, paths(batch))
	if err != nil {
		return err
	}
	for i, c := range batch {
		s := parse(docs[i])
		c.read(&s, m.o.Minutes)
	}
	return nil
}

func paths(batch []networkCopy) []store.Path {
	all := make([]store.Path, len(batch))
	for i, c := range batch {
		all[i] = c.path()
	}
	return all
}

// writeLoop writes what is due, until the meter is closed and everything is
// written, or until its context is canceled.
func (m *Meter) writeLoop() {
	backoff, swept := minBackoff, m.o.Now()
	for m.wait(m.saves, checkEvery) {
		if err := m.save(m.table.full.Swap(false)); err != nil {
			m.logFailure(&m.logs.write, "write", err)
			m.pause(&backoff)
			continue
		}
		backoff = minBackoff
		if now := m.o.Now(); now.Sub(swept) >= sweepEvery {
			m.table.sweep(now)
			swept = now
		}
	}
	for m.ctx.Err() == nil && m.save(true) != nil {
		m.pause(&backoff)
	}
}

// save writes the networks that are due, or all with unsaved minutes.
func (m *Meter) save(all bool) error {
	due := m.table.due(m.o.Now(), all)
	for len(due) > 0 {
		n := min(len(due), writeBatch)
		if err := m.write(due[:n]); err != nil {
			return err
		}
		due = due[n:]
	}
	return nil
}

// write merges the minutes of networks with those in the database, on both
// sides.
func (m *Meter) write(batch []networkCopy) error {
	ctx, cancel := context.WithTimeout(m.ctx, callTimeout)
	defer cancel()
	joined := make([]minutes, len(batch))
	err := m.o.DB.Update(ctx, func(tx store.Tx) error {
		docs, err := tx.GetAll(paths(batch))
		if err != nil {
			return err
		}
		for i, c := range batch {
			joined[i] = parse(docs[i])
			joined[i].join(&c.seen)
			if err := tx.Set(c.path(), c.document(&joined[i])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, c := range batch {
		c.saved(&joined[i])
	}
	return nil
}

// wait waits for a signal, or for d when it is not 0, and reports whether the
// meter is still open.
func (m *Meter) wait(signal <-chan struct{}, d time.Duration) bool {
	var tick <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		tick = timer.C
	}
	select {
	case <-signal:
	case <-tick:
	case <-m.closed:
	}
	return !m.closing()
}

func (m *Meter) closing() bool {
	select {
	case <-m.closed:
		return true
	default:
		return false
	}
}

// pause waits before the next attempt, and doubles the next pause. A meter
// that is closing waits only for the shortest time.
func (m *Meter) pause(backoff *time.Duration) {
	d, closed := *backoff, m.closed
	*backoff = min(2*d, maxBackoff)
	if m.closing() {
		d, closed = minBackoff, nil
	}
	timer := time.NewTimer(d/2 + rand.N(d))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-closed:
	case <-m.ctx.Done():
	}
}

func (m *Meter) logFailure(q *logLimiter, what string, err error) {
	if q.allow(m.o.Now()) {
		m.o.Log.Warn("free minutes are counted in memory only, because the database fails", "to", what, "cause", err.Error())
	}
}

// A logLimiter allows one log record a minute.
type logLimiter struct{ until atomic.Int64 } // in seconds of Unix time

func (q *logLimiter) allow(now time.Time) bool {
	until := q.until.Load()
	return now.Unix() >= until && q.until.CompareAndSwap(until, now.Add(time.Minute).Unix())
}

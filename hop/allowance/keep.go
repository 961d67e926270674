package allowance

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/store"
)

// How the database is asked.
const (
	readBatch  = 100
	writeBatch = 50
	askTime    = 10 * time.Second
	look       = time.Second // between two looks for what is due
	sweepEvery = time.Minute
	minBackoff = 500 * time.Millisecond
	maxBackoff = time.Minute
)

// collection has a document for each network and day.
const collection store.Path = "allowances"

// A document is the day of a network, as it is kept. Fields may be added.
type document struct {
	Minutes  []byte     `json:"minutes"` // minute m of the day is bit m%8 of byte m/8
	Day      string     `json:"day"`
	ExpireAt store.Time `json:"expire_at"`
}

func (c copied) path() store.Path { return collection.Join(c.network.id.String()) }

// document returns c's document with the minutes s.
func (c copied) document(s *minutes) document {
	day := c.network.day
	return document{Minutes: s[:], Day: day.String(), ExpireAt: store.At((day + 2).Start())}
}

// parse returns the minutes in a document: none when there is none, or when it
// is not as it should be, since it is better to start anew than to fail for a
// day.
func parse(d store.Doc) (s minutes) {
	var doc document
	if d.Decode != nil && d.Decode(&doc) == nil && len(doc.Minutes) == len(s) {
		copy(s[:], doc.Minutes)
	}
	return s
}

// loading reads the minutes of networks that are new here. When that fails it
// is not tried again: each of them has an unsaved minute, and writing reads
// too.
func (m *Meter) loading() {
	backoff := minBackoff
	for m.wait(m.loads, 0) {
		for batch := m.table.unread(readBatch); len(batch) > 0 && !m.closing(); batch = m.table.unread(readBatch) {
			if err := m.load(batch); err != nil {
				m.complain(&m.told.read, "read", err)
				m.pause(&backoff)
				continue
			}
			backoff = minBackoff
		}
	}
}

func (m *Meter) load(batch []copied) error {
	ctx, cancel := context.WithTimeout(m.alive, askTime)
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

func paths(batch []copied) []store.Path {
	all := make([]store.Path, len(batch))
	for i, c := range batch {
		all[i] = c.path()
	}
	return all
}

// saving writes what is due, until the meter is closed and all is written, or
// it is given up.
func (m *Meter) saving() {
	backoff, swept := minBackoff, m.o.Now()
	for m.wait(m.saves, look) {
		if err := m.save(m.table.crowded.Swap(false)); err != nil {
			m.complain(&m.told.write, "write", err)
			m.pause(&backoff)
			continue
		}
		backoff = minBackoff
		if now := m.o.Now(); now.Sub(swept) >= sweepEvery {
			m.table.sweep(now)
			swept = now
		}
	}
	for m.alive.Err() == nil && m.save(true) != nil {
		m.pause(&backoff)
	}
}

// save writes the networks that are due, or all.
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

// write joins the minutes of networks with those that the database has, in
// both places.
func (m *Meter) write(batch []copied) error {
	ctx, cancel := context.WithTimeout(m.alive, askTime)
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

// wait waits for a signal, or for d when it is not 0, and tells whether the
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

// pause waits before the database is asked again, and longer the next time. A
// meter that closes has little time.
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
	case <-m.alive.Done():
	}
}

func (m *Meter) complain(q *quiet, what string, err error) {
	if q.over(m.o.Now()) {
		m.o.Log.Warn("free minutes are counted in memory alone, because the database fails", "to", what, "cause", err.Error())
	}
}

// A quiet tells whether a problem may be logged again: once a minute.
type quiet struct{ until atomic.Int64 } // in seconds of Unix time

func (q *quiet) over(now time.Time) bool {
	until := q.until.Load()
	return now.Unix() >= until && q.until.CompareAndSwap(until, now.Add(time.Minute).Unix())
}

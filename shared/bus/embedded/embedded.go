// Package embedded implements [bus.Bus] in a SQLite file, the one that also
// stores the documents.
//
// Each subscription has a row for each of its events, with the time when it
// is due and the number of its attempts. Taking an event moves its due time
// to the end of a lease, so an event that a process took and did not finish
// is delivered again by itself. A handled event is deleted; an event that is
// rejected, or failed as often as the policy allows, is marked dead, with the error
// of its last attempt.
package embedded

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/store/embedded/sqlite"
)

const schema = `
CREATE TABLE IF NOT EXISTS events (
	subscription TEXT NOT NULL,
	event TEXT NOT NULL,
	data BLOB NOT NULL,
	attributes TEXT NOT NULL, -- JSON
	at INTEGER NOT NULL,      -- when published; this and due in microseconds
	attempts INTEGER NOT NULL DEFAULT 0,
	due INTEGER NOT NULL,     -- when it may be taken
	dead INTEGER NOT NULL DEFAULT 0) -- one of the states below`

// The states of an event: it waits, it failed too often, or it can never be handled.
const (
	waits    = 0
	gaveUp   = 1
	rejected = 2
)

// failureColumn was added to the table later. A file of before gets it when it is
// opened.
const (
	hasFailure    = `SELECT count(*) FROM pragma_table_info('events') WHERE name = 'failure'`
	failureColumn = `ALTER TABLE events ADD COLUMN failure TEXT NOT NULL DEFAULT ''`
)

const schemaDue = `CREATE INDEX IF NOT EXISTS events_due ON events(subscription, dead, due)`

// Options are the settings of a bus. The zero value uses the defaults given.
type Options struct {
	Lease    time.Duration // of an event being handled, renewed while its process lives; 30 s
	Retry    bus.Retry     // how failed events are delivered again; its Keep is the age at which any event is deleted; bus.Patient
	Parallel int           // events that one Receive handles at a time; 8
	Now      func() time.Time
	Log      *slog.Logger // logs refused events
}

func (o *Options) fill() {
	o.Lease = orDefault(o.Lease, 30*time.Second)
	o.Retry = o.Retry.Or(bus.Patient)
	o.Parallel = orDefault(o.Parallel, 8)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
}

func orDefault[T int | time.Duration](v, preset T) T {
	if v > 0 {
		return v
	}
	return preset
}

// A Bus stores and delivers events in a file. See [bus.Bus].
type Bus struct {
	file     *sqlite.File
	topology bus.Topology
	o        Options
	hub      hub
	stop     context.CancelFunc
	once     sync.Once // for Close
}

var _ bus.Bus = (*Bus)(nil)

// On returns a bus of topology in f. Its Close closes f; On closes f when it
// fails.
func On(f *sqlite.File, topology bus.Topology, o Options) (*Bus, error) {
	o.fill()
	ctx, stop := context.WithCancel(context.Background())
	b := &Bus{file: f, topology: topology, o: o, stop: stop}
	err := f.Write(ctx, createTable)
	if err != nil {
		stop()
		return nil, errors.Join(fmt.Errorf("events: %w", err), f.Close())
	}
	go b.keepUp(ctx)
	return b, nil
}

// createTable creates what the bus needs of the file and the file does not have.
func createTable(tx *sqlite.Tx) error {
	if _, err := tx.Exec(schema); err != nil {
		return err
	}
	if _, err := tx.Exec(schemaDue); err != nil {
		return err
	}
	rows, err := tx.Query(hasFailure)
	if err != nil {
		return err
	}
	var has int
	for rows.Next() {
		err = errors.Join(err, rows.Scan(&has))
	}
	if err := errors.Join(err, rows.Err(), rows.Close()); err != nil || has > 0 {
		return err
	}
	_, err = tx.Exec(failureColumn)
	return err
}

// Close stops the background work and closes the file. Receive calls should
// have ended; events that they still handle are delivered again.
func (b *Bus) Close() (err error) {
	b.once.Do(func() {
		b.stop()
		err = b.file.Close()
	})
	return err
}

// Publish implements [bus.Bus]. All events become durable together.
func (b *Bus) Publish(ctx context.Context, topic string, events ...bus.Event) error {
	subs, ok := b.topology[topic]
	if !ok {
		return bus.ErrTopic.With("topic", topic)
	}
	for _, e := range events {
		if err := e.Check(); err != nil {
			return err
		}
	}
	return b.file.Write(ctx, func(tx *sqlite.Tx) error {
		for i := range events {
			e := &events[i]
			e.ID, e.At = rand.Text(), b.o.Now().UTC()
			if err := insert(tx, subs, e); err != nil {
				return err
			}
		}
		tx.After(func() { b.hub.notify(subs) })
		return nil
	})
}

// insert adds e to each of the subscriptions.
func insert(tx *sqlite.Tx, subs []string, e *bus.Event) error {
	attributes, err := json.Marshal(e.Attributes)
	if err != nil {
		return err
	}
	at := e.At.UnixMicro()
	for _, sub := range subs {
		_, err := tx.Exec("INSERT INTO events (subscription, event, data, attributes, at, due) VALUES (?, ?, ?, ?, ?, ?)",
			sub, e.ID, e.Data, string(attributes), at, at)
		if err != nil {
			return err
		}
	}
	return nil
}

// Reject implements [bus.Bus].
func (b *Bus) Reject(ctx context.Context, subscription string, e bus.Event) error {
	if _, err := b.topology.Topic(subscription); err != nil {
		return err
	}
	return b.file.Write(ctx, func(tx *sqlite.Tx) error {
		if err := insert(tx, []string{subscription}, &e); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE events SET dead = ?, attempts = ?, failure = ? WHERE subscription = ? AND event = ?",
			rejected, e.Attempt, shorten(e.Failure), subscription, e.ID)
		return err
	})
}

const selectBacklog = `SELECT coalesce(sum(dead = 0), 0), coalesce(sum(dead = 0 AND failure <> ''), 0),
min(CASE WHEN dead = 0 THEN at END), coalesce(sum(dead > 0), 0) FROM events WHERE subscription = ?`

// Backlog implements [bus.Bus].
func (b *Bus) Backlog(ctx context.Context, subscription string) (l bus.Backlog, counted bool, err error) {
	if _, err := b.topology.Topic(subscription); err != nil {
		return l, false, err
	}
	var oldest *int64
	err = b.file.Scan(ctx, selectBacklog, []any{subscription}, &l.Waiting, &l.Failed, &oldest, &l.Dead)
	if err != nil {
		return bus.Backlog{}, false, err
	}
	if oldest != nil {
		l.Oldest = time.UnixMicro(*oldest).UTC()
	}
	return l, true, nil
}

// DeadLetters implements [bus.Bus].
func (b *Bus) DeadLetters(ctx context.Context, subscription string, limit int) (events []bus.Event, err error) {
	if _, err := b.topology.Topic(subscription); err != nil {
		return nil, err
	}
	rows, err := b.file.Query(ctx, "SELECT "+columns+" FROM events WHERE subscription = ? AND dead > 0 ORDER BY at, rowid LIMIT ?",
		subscription, max(limit, 0))
	if err != nil {
		return nil, err
	}
	taken, err := scan(rows)
	for _, t := range taken {
		events = append(events, t.event)
	}
	return events, err
}

// Replay implements [bus.Bus]. The event is due at once.
func (b *Bus) Replay(ctx context.Context, subscription, id string) (bool, error) {
	found, err := b.settleDead(ctx, subscription, "UPDATE events SET dead = 0, attempts = 0, failure = '', due = ?", id, b.o.Now().UnixMicro())
	if found {
		b.hub.notify([]string{subscription})
	}
	return found, err
}

// ReplayAll implements [bus.Bus]. The events are due at once.
func (b *Bus) ReplayAll(ctx context.Context, subscription string, withRejected bool) (int, error) {
	if _, err := b.topology.Topic(subscription); err != nil {
		return 0, err
	}
	last := gaveUp
	if withRejected {
		last = rejected
	}
	n, err := b.change(ctx, "UPDATE events SET dead = 0, attempts = 0, failure = '', due = ? WHERE subscription = ? AND dead BETWEEN ? AND ?",
		b.o.Now().UnixMicro(), subscription, gaveUp, last)
	if n > 0 {
		b.hub.notify([]string{subscription})
	}
	return int(n), err
}

// Drop implements [bus.Bus].
func (b *Bus) Drop(ctx context.Context, subscription, id string) (bool, error) {
	return b.settleDead(ctx, subscription, "DELETE FROM events", id)
}

// settleDead runs a statement on a dead letter, and reports whether there is one.
func (b *Bus) settleDead(ctx context.Context, subscription, statement, id string, args ...any) (found bool, err error) {
	if _, err := b.topology.Topic(subscription); err != nil {
		return false, err
	}
	err = b.file.Write(ctx, func(tx *sqlite.Tx) error {
		res, err := tx.Exec(statement+" WHERE subscription = ? AND event = ? AND dead > 0", append(args, subscription, id)...)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		found = n > 0
		return err
	})
	return found, err
}

// A delivery is an event that was taken, or a dead one.
type delivery struct {
	row   int64
	event bus.Event
}

const columns = "rowid, event, data, attributes, at, attempts, failure, dead"

// scan reads rows of columns.
func scan(rows *sql.Rows) (found []delivery, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var d delivery
		var attributes []byte
		var at, state int64
		e := &d.event
		if err := rows.Scan(&d.row, &e.ID, &e.Data, &attributes, &at, &e.Attempt, &e.Failure, &state); err != nil {
			return nil, err
		}
		e.Rejected = state == rejected
		if err := json.Unmarshal(attributes, &e.Attributes); err != nil {
			return nil, err
		}
		e.At = time.UnixMicro(at).UTC()
		found = append(found, d)
	}
	return found, rows.Err()
}

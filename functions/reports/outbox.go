package reports

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

// RetentionDays is how long a report is kept as it came.
const RetentionDays = 30

// A record is the document of a report.
type record struct {
	Channel string     `json:"channel_id"`
	OK      bool       `json:"ok"`
	Code    string     `json:"code,omitempty"`
	IP      string     `json:"ip"` // read by the operator alone
	Browser string     `json:"browser"`
	OS      string     `json:"os"`
	Country string     `json:"country"`
	Day     string     `json:"day"`
	At      store.Time `json:"at"`
	// Sent is false while the event has still to be published, and else not
	// there: most reports are written once.
	Sent     *bool      `json:"sent,omitempty"`
	ExpireAt store.Time `json:"expire_at"`
}

func (r record) place() social.Place {
	return social.Place{Browser: r.Browser, OS: r.OS, Country: r.Country}
}

// event returns the report that r was made of.
func (r record) event(key string) social.Report {
	return social.Report{
		Key: key, Channel: r.Channel, OK: r.OK, Code: r.Code,
		Browser: r.Browser, OS: r.OS, Country: r.Country, At: r.At.Time,
	}
}

const collection store.Path = "reports"

// How long a publisher waits for the bus, and for how long it then does not
// try: callers should not wait for what is known not to answer.
const (
	publishTime = 2 * time.Second
	restTime    = 5 * time.Second
)

// An Outbox keeps reports and publishes them: those that the bus did not take,
// later. Its methods may be called concurrently.
type Outbox struct {
	db   store.DB
	bus  bus.Bus
	log  *slog.Logger
	now  func() time.Time
	rest atomic.Int64 // until when the bus is let alone, in Unix microseconds
}

// NewOutbox returns the outbox that lies in db.
func NewOutbox(db store.DB, b bus.Bus, log *slog.Logger, now func() time.Time) *Outbox {
	return &Outbox{db: db, bus: b, log: log, now: now}
}

// Put publishes and keeps a report that came from a network address. It
// reports false when its key was there before.
func (o *Outbox) Put(ctx context.Context, r social.Report, ip string) (created bool, err error) {
	e, err := r.Event()
	if err != nil {
		return false, err
	}
	kept := record{
		Channel: r.Channel, OK: r.OK, Code: r.Code, IP: ip, Browser: r.Browser, OS: r.OS, Country: r.Country,
		Day: dayOf(r.At), At: store.At(r.At), ExpireAt: store.At(r.At.AddDate(0, 0, RetentionDays)),
	}
	if !o.publish(ctx, e) {
		kept.Sent = new(bool)
	}
	err = o.db.Create(ctx, collection.Join(r.Key), kept)
	if errors.Is(err, store.ErrExists) {
		return false, nil
	}
	return err == nil, err
}

// publish reports whether the bus took e, also when ctx is done: a caller who
// leaves says nothing of the bus.
func (o *Outbox) publish(ctx context.Context, e bus.Event) bool {
	now := o.now()
	if now.UnixMicro() < o.rest.Load() {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTime)
	defer cancel()
	if err := o.bus.Publish(ctx, social.Reports, e); err != nil {
		o.rest.Store(now.Add(restTime).UnixMicro())
		o.log.Warn("reports are kept to be sent later", "cause", err.Error())
		return false
	}
	return true
}

// sweepBatch is how many reports Sweep publishes at once.
const sweepBatch = 100

// Sweep publishes the reports that the bus did not take when they came, and
// returns how many. One that is published twice is counted once.
func (o *Outbox) Sweep(ctx context.Context) (sent int, err error) {
	q := store.Query{Collection: collection, Where: []store.Filter{{Field: "sent", Op: store.Eq, Value: false}}, Limit: sweepBatch}
	for {
		n, err := o.sweep(ctx, q)
		sent += n
		if err != nil || n < sweepBatch {
			return sent, err
		}
	}
}

// sweep publishes what q finds. What cannot be read is told, and does not stop
// the rest.
func (o *Outbox) sweep(ctx context.Context, q store.Query) (int, error) {
	var keys []string
	var events []bus.Event
	var spoiled error
	for doc, err := range o.db.Query(ctx, q) {
		if err != nil {
			return 0, err
		}
		e, err := eventOf(doc)
		if err != nil {
			spoiled = errors.Join(spoiled, fmt.Errorf("report %s: %w", doc.ID, err))
			continue
		}
		keys, events = append(keys, doc.ID), append(events, e)
	}
	if len(events) == 0 {
		return 0, spoiled
	}
	if err := o.bus.Publish(ctx, social.Reports, events...); err != nil {
		return 0, err
	}
	for _, key := range keys {
		if err := o.settle(ctx, key); err != nil {
			return 0, err
		}
	}
	return len(keys), spoiled
}

// eventOf returns the event of a record.
func eventOf(doc store.Doc) (bus.Event, error) {
	var kept record
	if err := doc.Decode(&kept); err != nil {
		return bus.Event{}, err
	}
	return kept.event(doc.ID).Event()
}

// settle marks a report as sent.
func (o *Outbox) settle(ctx context.Context, key string) error {
	return o.db.Update(ctx, func(tx store.Tx) error {
		var kept record
		err := tx.Get(collection.Join(key), &kept)
		if errors.Is(err, store.ErrNotFound) || err == nil && kept.Sent == nil {
			return nil
		}
		if err != nil {
			return err
		}
		kept.Sent = nil
		return tx.Set(collection.Join(key), kept)
	})
}

// find returns the record of a key.
func (o *Outbox) find(ctx context.Context, key string) (kept record, err error) {
	err = o.db.Get(ctx, collection.Join(key), &kept)
	return kept, err
}

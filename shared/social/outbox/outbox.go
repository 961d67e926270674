// Package outbox knows the events that are still to be told: each is kept by
// the transaction that makes what it tells of, and goes once the bus has it.
// So no event is lost between the two, whatever ends the process.
//
// It keeps these documents:
//
//	outbox/{key}    a Letter
package outbox

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

const collection = store.Path("outbox")

// A Letter is an event that is to be told. Told twice it counts once: its key
// is the same.
type Letter struct {
	Topic string     `json:"topic"`
	Data  []byte     `json:"data"`
	At    store.Time `json:"at"` // when it was kept

	path store.Path
}

// A Fact is a change that can be told.
type Fact interface {
	social.Fact
	Event() (bus.Event, error)
}

// Write returns the letter that tells of f, or bus.ErrEvent when f cannot be
// told.
func Write(f Fact) (Letter, error) {
	e, err := f.Event()
	if err != nil {
		return Letter{}, err
	}
	about := social.AboutOf(f)
	return Letter{Topic: about.Topic, Data: e.Data, At: store.At(about.At), path: collection.Join(about.Key)}, nil
}

// Keep keeps l in tx, beside what it tells of.
func (l Letter) Keep(tx store.Tx) error { return tx.Create(l.path, l) }

// An Outbox sends letters. Its methods may be called concurrently.
type Outbox struct {
	DB  store.DB
	Bus bus.Bus
	Log *slog.Logger
	Now func() time.Time

	rest atomic.Int64 // until when the bus is let alone, in Unix microseconds
}

// How long a caller waits for its letters to be sent, and for how long the bus
// is then let alone: callers should not wait for what is known not to answer.
const (
	patience = 5 * time.Second
	restTime = 5 * time.Second
)

// Send sends letters that are kept, even when ctx is done. What fails is logged
// and left for Sweep, as are all for a while after the bus took none: what the
// letters tell of is kept in any case.
func (o *Outbox) Send(ctx context.Context, letters ...Letter) {
	if o.Now().UnixMicro() < o.rest.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	for _, l := range letters {
		if err := o.send(ctx, l); err != nil {
			o.Log.WarnContext(ctx, "event waits in the outbox", "topic", l.Topic, "cause", err.Error())
		}
	}
}

func (o *Outbox) send(ctx context.Context, l Letter) error {
	if err := o.Bus.Publish(ctx, l.Topic, bus.Event{Data: l.Data}); err != nil {
		o.rest.Store(o.Now().Add(restTime).UnixMicro())
		return err
	}
	return o.DB.Delete(ctx, l.path)
}

// Young is the age up to which letters are left to those who wrote them.
const Young = time.Minute

// Sweep sends the letters that lie there for longer than Young, as after the
// end of a process or while the bus was away. It returns how many it sent, and
// what failed.
func (o *Outbox) Sweep(ctx context.Context) (sent int, err error) {
	limit := o.Now().Add(-Young)
	for doc, e := range o.DB.Query(ctx, store.Query{Collection: collection}) {
		if e != nil {
			return sent, errors.Join(err, e)
		}
		l := Letter{path: doc.Path}
		if e := doc.Decode(&l); e != nil {
			err = errors.Join(err, e)
			continue
		}
		if l.At.After(limit) {
			continue
		}
		if e := o.send(ctx, l); e != nil {
			return sent, errors.Join(err, e)
		}
		sent++
	}
	return sent, err
}

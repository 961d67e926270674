// Package outbox publishes facts so that none is lost between the database and
// the bus.
//
// A change that is a fact keeps a [Letter] in its own transaction: the event of
// the fact. After that the caller sends the letter, which is then deleted. What
// could not be sent, because the bus did not answer or the process ended, is sent
// by [Outbox.Sweep], which a job calls. An event that is published twice counts
// once, since its key is the same.
//
//	outbox/{key}    a Letter
//
// That costs two writes and a deletion for each change. A fact that is kept
// anyway can do with its own document: its owner publishes first, notes in the
// document when the bus did not take the event, and gives the outbox a [Shelf]
// that finds such documents. Then a fact costs one write.
//
// After the bus has failed it is not asked again for five seconds, so that
// callers do not wait for what is known not to answer.
package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

const collection = store.Path("outbox")

// Job is the name of the job that calls Sweep.
const Job = "outbox-sweep"

// A Letter is an event that is to be published.
type Letter struct {
	Topic string     `json:"topic"`
	Data  []byte     `json:"data"`
	At    store.Time `json:"at"` // of its fact

	path store.Path
}

// Write returns the letter of f, or bus.ErrEvent when f has no event.
func Write(f fact.Fact) (Letter, error) {
	e, err := fact.Encode(f)
	if err != nil {
		return Letter{}, err
	}
	about := f.About()
	return Letter{Topic: about.Topic, Data: e.Data, At: store.At(about.At), path: collection.Join(about.Key)}, nil
}

// Keep keeps l in tx, beside the change that is its fact.
func (l Letter) Keep(tx store.Tx) error { return tx.Create(l.path, l) }

func (l Letter) event() bus.Event { return bus.Event{Data: l.Data} }

// A Shelf is a collection of documents that are letters themselves.
type Shelf struct {
	// Name is the first part of the ids by which the operator names its letters.
	// It has no colon.
	Name string
	// Unsent finds the documents whose events are still to be published, in the
	// order of their ids. With a limit it is asked for page after page.
	Unsent store.Query
	// Read returns the letter of such a document.
	Read func(store.Doc) (Letter, error)
	// Sent takes the document of an id out of Unsent.
	Sent func(ctx context.Context, db store.DB, id string) error
	// Grace is the age up to which letters are left to those who keep them.
	Grace time.Duration
}

// An Outbox sends letters. Its methods may be called concurrently.
type Outbox struct {
	DB      store.DB
	Bus     bus.Bus
	Log     *slog.Logger
	Now     func() time.Time
	Shelves []Shelf // besides its own

	rest atomic.Int64 // until when the bus is not asked, in Unix microseconds
}

const (
	patience = 2 * time.Second // that a caller waits for the bus
	restTime = 5 * time.Second // after the bus has failed
)

// Publish publishes f, even when ctx is done, since a caller who leaves says
// nothing about the bus. It reports whether the bus has the event.
func (o *Outbox) Publish(ctx context.Context, f fact.Fact) (bool, error) {
	l, err := Write(f)
	if err != nil || o.isResting() {
		return false, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return o.publish(ctx, l.Topic, l.event()) == nil, nil
}

// Send sends letters that are kept, even when ctx is done. What fails is logged
// and left for Sweep.
func (o *Outbox) Send(ctx context.Context, letters ...Letter) {
	if o.isResting() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	for _, l := range letters {
		if o.publish(ctx, l.Topic, l.event()) != nil {
			continue
		}
		if err := o.DB.Delete(ctx, l.path); err != nil {
			o.Log.WarnContext(ctx, "a sent letter stays in the outbox", "topic", l.Topic, "cause", err.Error())
		}
	}
}

// isResting reports whether the bus has just failed. A clock that was set back
// since then ends the rest.
func (o *Outbox) isResting() bool {
	left := o.rest.Load() - o.Now().UnixMicro()
	return 0 < left && left <= restTime.Microseconds()
}

// publish publishes events, or lets the bus rest when it fails. An event that
// the bus refuses, such as one of an unknown topic, is not a failure of the bus.
func (o *Outbox) publish(ctx context.Context, topic string, events ...bus.Event) error {
	err := o.Bus.Publish(ctx, topic, events...)
	if err == nil {
		return nil
	}
	if _, refused := errors.AsType[*fault.Error](err); !refused {
		o.rest.Store(o.Now().Add(restTime).UnixMicro())
	}
	o.Log.WarnContext(ctx, "events wait in the outbox", "topic", topic, "cause", err.Error())
	return err
}

// Grace is the age up to which a letter is left to the caller who keeps it.
const Grace = time.Minute

// shelves returns the shelf of o itself and the others.
func (o *Outbox) shelves() []Shelf {
	own := Shelf{
		Name: string(collection), Unsent: store.Query{Collection: collection}, Grace: Grace,
		Read: func(doc store.Doc) (l Letter, err error) { return l, doc.Decode(&l) },
		Sent: func(ctx context.Context, db store.DB, id string) error { return db.Delete(ctx, collection.Join(id)) },
	}
	return append([]Shelf{own}, o.Shelves...)
}

// Sweep sends the letters that were left, and returns how many it sent, and what
// failed. A letter that cannot be read does not stop the others, nor does a
// topic whose events the bus does not take stop the other topics of its page.
func (o *Outbox) Sweep(ctx context.Context) (sent int, err error) {
	for _, shelf := range o.shelves() {
		n, e := o.sweep(ctx, shelf)
		sent, err = sent+n, errors.Join(err, e)
	}
	return sent, err
}

// sweep sends the letters of a shelf, page by page.
func (o *Outbox) sweep(ctx context.Context, shelf Shelf) (sent int, err error) {
	var unread error
	for query := shelf.Unsent; ; {
		p, err := o.find(ctx, shelf, query)
		if err != nil {
			return sent, errors.Join(unread, err)
		}
		unread = errors.Join(unread, p.unread)
		n, err := o.sendPage(ctx, shelf, p.letters)
		sent += n
		if err != nil || query.Limit == 0 || p.found < query.Limit {
			return sent, errors.Join(unread, err)
		}
		query.After = []any{p.last}
	}
}

// left is a letter that was left on a shelf.
type left struct {
	Letter
	id string
}

// A page is what one query finds on a shelf.
type page struct {
	letters []left // that are due, oldest first
	unread  error  // which letters cannot be read
	found   int    // documents, those that are not due included
	last    string // id of the last document
}

// find returns a page of a shelf.
func (o *Outbox) find(ctx context.Context, shelf Shelf, query store.Query) (p page, err error) {
	now := o.Now()
	for doc, err := range o.DB.Query(ctx, query) {
		if err != nil {
			return page{}, err
		}
		p.found, p.last = p.found+1, doc.ID
		l, err := shelf.Read(doc)
		if err == nil {
			err = l.event().Check()
		}
		switch {
		case err != nil:
			p.unread = errors.Join(p.unread, fmt.Errorf("letter %s: %w", doc.Path, err))
		case shelf.Grace == 0 || !l.At.After(now.Add(-shelf.Grace)) || l.At.Ahead(now): // a clock was ahead
			p.letters = append(p.letters, left{l, doc.ID})
		}
	}
	slices.SortStableFunc(p.letters, func(a, b left) int { return a.At.Compare(b.At.Time) })
	return p, nil
}

// atOnce is how many events one call publishes.
const atOnce = 100

// sendPage sends letters, those of each topic in the order given.
func (o *Outbox) sendPage(ctx context.Context, shelf Shelf, letters []left) (sent int, err error) {
	for len(letters) > 0 {
		topic := letters[0].Topic
		var same, rest []left
		for _, l := range letters {
			if l.Topic == topic {
				same = append(same, l)
			} else {
				rest = append(rest, l)
			}
		}
		n, e := o.sendTopic(ctx, shelf, topic, same)
		sent, err = sent+n, errors.Join(err, e)
		letters = rest
	}
	return sent, err
}

// sendTopic publishes letters of a topic and takes them off their shelf, until
// one of both fails.
func (o *Outbox) sendTopic(ctx context.Context, shelf Shelf, topic string, letters []left) (sent int, err error) {
	for batch := range slices.Chunk(letters, atOnce) {
		events := make([]bus.Event, len(batch))
		for i, l := range batch {
			events[i] = l.event()
		}
		if err := o.publish(ctx, topic, events...); err != nil {
			return sent, err
		}
		for _, l := range batch {
			if err := shelf.Sent(ctx, o.DB, l.id); err != nil {
				return sent, err
			}
			sent++
		}
	}
	return sent, nil
}

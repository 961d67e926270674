// Package undelivered lists the events that have not reached their counters, and
// lets the operator send, replay or drop them.
//
// An event is missing at one of three places. A letter of the outbox waits because
// the bus did not take its event. An event of a subscription waits because its handler
// failed, and is delivered again by itself. A dead letter of the bus was delivered as
// often as the bus allows, and its handler failed each time, or can never be handled.
// A job replays the dead letters of the first kind. Every fact counts once, however
// often its event is delivered, so sending and replaying can be repeated without
// harm; dropping means that a fact is never counted.
//
//	event_acts/{id}    an Act of the operator, for 90 days
package undelivered

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// A Verb is what the operator does to one event.
type Verb string

// The verbs.
const (
	SendLetter  Verb = "send_letter"  // publish a letter of the outbox now
	DropLetter  Verb = "drop_letter"  // delete a letter of the outbox without publishing it
	ReplayEvent Verb = "replay_event" // deliver a dead letter again
	DropEvent   Verb = "drop_event"   // delete a dead letter
)

// ErrInvalid means that an order names no event. Its detail "param" is the missing
// or invalid parameter.
var ErrInvalid = fault.New(fault.Invalid, "invalid_event_act")

// Bounds.
const (
	MaxDead   = 50  // dead letters that are listed of each subscription
	MaxActs   = 50  // acts that are listed
	MaxReason = 500 // characters
	MaxName   = 60  // characters

	keepFor  = 90 * 24 * time.Hour // how long an act is stored
	patience = 10 * time.Second    // that the bus has to list its dead letters
)

// Options are what a Desk needs.
type Options struct {
	DB       store.DB
	Bus      bus.Bus
	Outbox   *outbox.Outbox
	Topology bus.Topology
	Now      func() time.Time
}

// A Desk lists undelivered events and acts on them. It may be used concurrently.
type Desk struct{ o Options }

// New returns a desk over o.
func New(o Options) *Desk { return &Desk{o} }

// A Queue is a subscription with its dead letters.
type Queue struct {
	Topic        string
	Subscription string
	Backlog      *bus.Backlog // nil when the bus does not count it
	Dead         []bus.Event  // the oldest first, MaxDead at most
	More         bool         // there may be more
	Problem      string       // why the bus did not list them; then Dead is empty
}

// A Listing is what has not been delivered.
type Listing struct {
	Waiting []outbox.Waiting // the oldest first
	Total   int              // letters that wait, those that are not listed included
	Queues  []Queue          // in the order of their names
}

// Patience is how long an event may wait before it needs attention: the outbox is
// swept every five minutes, and a failed event comes again within ten.
const Patience = 15 * time.Minute

// An Alert sums up a listing.
type Alert struct {
	Waiting int       // letters, and events of subscriptions
	Oldest  time.Time // since when the oldest of them waits; zero when none does
	Dead    int       // dead letters
	More    bool      // there may be more than Dead
	Raised  bool      // something needs attention at the time of the alert
}

// Alert returns the figures of l at a time. It is raised while there is a dead letter,
// an event waits for longer than Patience, or a queue cannot be read.
func (l Listing) Alert(now time.Time) (a Alert) {
	a.Waiting = l.Total
	wait := func(at time.Time) {
		if a.Oldest.IsZero() || at.Before(a.Oldest) {
			a.Oldest = at
		}
	}
	if len(l.Waiting) > 0 {
		wait(l.Waiting[0].At.Time)
	}
	for _, q := range l.Queues {
		a.Raised = a.Raised || q.Problem != ""
		if q.Backlog == nil {
			a.Dead, a.More = a.Dead+len(q.Dead), a.More || q.More
			continue
		}
		a.Waiting, a.Dead = a.Waiting+q.Backlog.Waiting, a.Dead+q.Backlog.Dead
		if q.Backlog.Waiting > 0 {
			wait(q.Backlog.Oldest)
		}
	}
	a.Raised = a.Raised || a.Dead > 0 || !a.Oldest.IsZero() && now.Sub(a.Oldest) > Patience
	return a
}

// List returns the letters of the outbox and the dead letters of every subscription. A
// bus that does not answer is a Problem of its queues and not an error, since the
// outbox is what the operator looks for then.
func (d *Desk) List(ctx context.Context) (l Listing, err error) {
	if l.Waiting, l.Total, err = d.o.Outbox.Waiting(ctx); err != nil {
		return Listing{}, err
	}
	for _, topic := range slices.Sorted(maps.Keys(d.o.Topology)) {
		for _, sub := range d.o.Topology[topic] {
			l.Queues = append(l.Queues, Queue{Topic: topic, Subscription: sub})
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var all errgroup.Group // a bus may wait for seconds before it says that it has none
	for i := range l.Queues {
		all.Go(func() error { return d.fill(ctx, &l.Queues[i]) })
	}
	return l, all.Wait()
}

// fill adds its dead letters to a queue.
func (d *Desk) fill(ctx context.Context, q *Queue) error {
	backlog, counted, err := d.o.Bus.Backlog(ctx, q.Subscription)
	if err == nil {
		q.Dead, err = d.o.Bus.DeadLetters(ctx, q.Subscription, MaxDead)
	}
	if err != nil {
		q.Dead, q.Problem = nil, "the bus does not list its dead letters"
		return nil
	}
	if q.More = len(q.Dead) == MaxDead; counted {
		q.Backlog = &backlog
	}
	return nil
}

// An Order says what the operator wants.
type Order struct {
	Verb         Verb
	Subscription string // of a dead letter
	ID           string // of the letter or event
	Reason       string // required to drop
	By           string // name of the operator
}

// check returns ErrInvalid for an order that says too little.
func (o Order) check() error {
	drops := o.Verb == DropLetter || o.Verb == DropEvent
	ofBus := o.Verb == ReplayEvent || o.Verb == DropEvent
	switch {
	case o.ID == "":
		return ErrInvalid.With("param", "id")
	case ofBus && o.Subscription == "":
		return ErrInvalid.With("param", "subscription")
	case !isText(o.Reason, MaxReason) || drops && o.Reason == "":
		return ErrInvalid.With("param", "reason")
	case o.By == "" || !isText(o.By, MaxName):
		return ErrInvalid.With("param", "by")
	}
	return nil
}

func isText(s string, most int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= most && !strings.ContainsFunc(s, unicode.IsControl)
}

// An Act is something that the operator did to an event.
type Act struct {
	Verb     Verb       `json:"verb"`
	Topic    string     `json:"topic"`
	Event    string     `json:"event"`   // id of the letter or event
	Data     []byte     `json:"data"`    // of an event that was dropped
	Failure  string     `json:"failure"` // why it was a dead letter, where the bus stores it
	Reason   string     `json:"reason"`
	By       string     `json:"by"`
	At       store.Time `json:"at"`
	ExpireAt store.Time `json:"expire_at"`
}

const actsCollection = store.Path("event_acts")

// Acts returns what the operator did last, the newest first, MaxActs at most.
func (d *Desk) Acts(ctx context.Context) (list []Act, err error) {
	q := store.Query{Collection: actsCollection, OrderBy: "at", Desc: true, Limit: MaxActs}
	for doc, err := range d.o.DB.Query(ctx, q) {
		var a Act
		if err == nil {
			err = doc.Decode(&a)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// Act carries out an order and stores it with its reason and name, also when ctx ends
// in between. It reports false, and stores nothing, when the event is not there any
// more. The copy of an event that is dropped is stored before the event is deleted.
func (d *Desk) Act(ctx context.Context, o Order) (changed bool, err error) {
	o.Reason, o.By = strings.TrimSpace(o.Reason), strings.TrimSpace(o.By)
	if err := o.check(); err != nil {
		return false, err
	}
	now := d.o.Now()
	act := Act{Verb: o.Verb, Event: o.ID, Reason: o.Reason, By: o.By, At: store.At(now), ExpireAt: store.At(now.Add(keepFor))}
	switch o.Verb {
	case SendLetter:
		var w outbox.Waiting
		w, changed, err = d.o.Outbox.SendOne(ctx, o.ID)
		act.Topic = w.Topic
	case DropLetter:
		return d.o.Outbox.DropOne(ctx, o.ID, func(w outbox.Waiting) error {
			act.Topic, act.Data, act.Failure = w.Topic, w.Data, w.Problem
			_, err := d.record(ctx, act)
			return err
		})
	case ReplayEvent:
		act.Topic = o.Subscription
		changed, err = d.o.Bus.Replay(ctx, o.Subscription, o.ID)
	case DropEvent:
		return d.dropEvent(ctx, o, act)
	default:
		return false, ErrInvalid.With("param", "act")
	}
	if err != nil || !changed {
		return false, err
	}
	_, err = d.record(context.WithoutCancel(ctx), act) // the act cannot be undone
	return true, err
}

// dropEvent stores a copy of a dead letter and deletes it. The copy is deleted as well
// when somebody else has replayed or dropped the dead letter meanwhile.
func (d *Desk) dropEvent(ctx context.Context, o Order, act Act) (bool, error) {
	dead, err := d.o.Bus.DeadLetters(ctx, o.Subscription, MaxDead)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(dead, func(e bus.Event) bool { return e.ID == o.ID })
	if i < 0 {
		return false, nil
	}
	act.Topic, act.Data, act.Failure = o.Subscription, dead[i].Data, dead[i].Failure
	stored, err := d.record(ctx, act)
	if err != nil {
		return false, err
	}
	changed, err := d.o.Bus.Drop(ctx, o.Subscription, o.ID)
	if err != nil || changed {
		return changed, err
	}
	return false, d.o.DB.Delete(context.WithoutCancel(ctx), stored)
}

// record stores an act and returns its path.
func (d *Desk) record(ctx context.Context, a Act) (store.Path, error) {
	p := actsCollection.Join(rand.Text())
	return p, d.o.DB.Create(ctx, p, a)
}

// Package bus defines the message queue that the service uses.
//
// The interface [Bus] is small on purpose, so that only the packages embedded
// (SQLite) and pubsub depend on a vendor. An implementation is correct when
// it passes bustest.Run.
//
// Delivery is at least once and in no order, so a handler must be idempotent.
package bus

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"miramundo.dev/shared/fault"
)

// Faults of the bus. Any other error means that the backend failed.
var (
	ErrTopic        = fault.New(fault.Invalid, "topic_unknown")
	ErrSubscription = fault.New(fault.Invalid, "subscription_unknown")
	ErrTooLarge     = fault.New(fault.TooLarge, "event_too_large")
	ErrEvent        = fault.New(fault.Invalid, "event_invalid")
)

// MaxData is the greatest size of an event's data, in bytes.
const MaxData = 256 << 10

// maxAttributes leaves room below Pub/Sub's limit of 100 for attributes that
// are added to an event.
const maxAttributes = 90

// An Event is a message with data and attributes.
type Event struct {
	ID         string            // set by Publish; the same at every delivery
	Data       []byte            // not empty, at most MaxData
	Attributes map[string]string // at most 90; names of 1 to 256 bytes, values of up to 1,024
	At         time.Time         // when it was published
	Attempt    int               // 1 at the first delivery; 0 when the backend does not say
	Failure    string            // of a dead letter: the error of its last attempt; empty when the backend does not store it
	Rejected   bool              // of a dead letter: it can never be handled
}

// MaxFailure is the greatest size of Event.Failure, in bytes.
const MaxFailure = 500

// Check returns ErrTooLarge or ErrEvent when e is not valid. Implementations
// call it first, so that all refuse the same events.
func (e Event) Check() error {
	if len(e.Data) > MaxData {
		return ErrTooLarge
	}
	if len(e.Data) == 0 {
		return ErrEvent.Because(fmt.Errorf("no data"))
	}
	if len(e.Attributes) > maxAttributes {
		return ErrEvent.Because(fmt.Errorf("%d attributes", len(e.Attributes)))
	}
	for name, value := range e.Attributes {
		if !attribute(name, value) {
			return ErrEvent.Because(fmt.Errorf("attribute %.40q", name))
		}
	}
	return nil
}

// attribute reports whether an attribute is valid. Pub/Sub reserves some
// names, and our implementation those that begin with "event_".
func attribute(name, value string) bool {
	for _, reserved := range []string{"goog", "CloudPubSub", "event_"} {
		if strings.HasPrefix(name, reserved) {
			return false
		}
	}
	return name != "" && len(name) <= 256 && len(value) <= 1024 &&
		utf8.ValidString(name) && utf8.ValidString(value)
}

// A Handler handles one event. Returning nil acknowledges it; ErrEvent rejects it:
// it becomes a dead letter at once. After any other error or a panic the event is
// delivered again, as the [Retry] of its subscription says. Its ctx ends with that
// of Receive.
type Handler func(ctx context.Context, e Event) error

// A Bus publishes and delivers events. Its methods may be called
// concurrently.
type Bus interface {
	// Publish adds events to a topic and sets their ids. When it returns nil
	// they are durable and will be delivered to every subscription of the
	// topic. When it fails, some may be durable all the same.
	Publish(ctx context.Context, topic string, events ...Event) error

	// Receive delivers the events of a subscription to h, several at a time,
	// until ctx is done. It then waits for the handlers in progress and
	// returns nil; events that they do not finish are delivered again. It
	// returns an error when the backend stays out of reach. Concurrent
	// receivers of one subscription share its events.
	Receive(ctx context.Context, subscription string, h Handler) error

	// Reject adds an event that a subscription delivered to its dead letters, with
	// the reason in Failure. It is for events that are pushed: Receive rejects by
	// itself what its handler cannot handle.
	Reject(ctx context.Context, subscription string, e Event) error

	// Backlog returns how much a subscription has not handled. It reports false
	// when the backend does not count that.
	Backlog(ctx context.Context, subscription string) (Backlog, bool, error)

	// DeadLetters returns up to limit dead letters of a subscription, oldest
	// first, without removing them.
	DeadLetters(ctx context.Context, subscription string, limit int) ([]Event, error)

	// Replay delivers a dead letter of a subscription again, with its id and all
	// the attempts of a new event. It reports false when no dead letter has that
	// id. A backend may deliver the event to the other subscriptions of
	// its topic as well.
	Replay(ctx context.Context, subscription, id string) (bool, error)

	// ReplayAll delivers the dead letters of a subscription again as Replay does,
	// each once, and returns how many. Those that were rejected stay, unless
	// rejected is true.
	ReplayAll(ctx context.Context, subscription string, rejected bool) (int, error)

	// Drop deletes a dead letter of a subscription. It reports false when
	// no dead letter has that id.
	Drop(ctx context.Context, subscription, id string) (bool, error)

	// Close releases the bus.
	Close() error
}

// A Topology lists the topics with the subscriptions of each. The name of a
// subscription is unique.
type Topology map[string][]string

// Topic returns the topic of a subscription, or ErrSubscription.
func (t Topology) Topic(subscription string) (string, error) {
	for topic, subs := range t {
		for _, s := range subs {
			if s == subscription {
				return topic, nil
			}
		}
	}
	return "", ErrSubscription.With("subscription", subscription)
}

// Try calls h with e and returns a panic as an error, so that one bad event
// does not end the process.
func (h Handler) Try(ctx context.Context, e Event) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("bus: the handler panicked: %v", r)
		}
	}()
	return h(ctx, e)
}

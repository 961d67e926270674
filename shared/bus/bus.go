// Package bus carries events from those who know to those who count.
//
// It defines the little that the service needs from a message queue, so that
// only the leaves embedded and pubsub depend on a vendor. An implementation is
// correct when it passes bustest.Run.
//
// Delivery is at least once and in no order: a handler must be idempotent.
package bus

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"miramundo.dev/shared/fault"
)

// Faults of the bus. Every other error means that the backend failed.
var (
	ErrTopic        = fault.New(fault.Invalid, "topic_unknown")
	ErrSubscription = fault.New(fault.Invalid, "subscription_unknown")
	ErrTooLarge     = fault.New(fault.TooLarge, "event_too_large")
	ErrEvent        = fault.New(fault.Invalid, "event_invalid")
)

// MaxData is the greatest size of an event's data, in bytes.
const MaxData = 256 << 10

// maxAttributes leaves room for those that Pub/Sub adds to 100.
const maxAttributes = 90

// MaxAttempts is how often an event is given to a subscription's handler
// before it moves to the subscription's dead letters.
const MaxAttempts = 5

// An Event says that something has happened.
type Event struct {
	ID         string            // set by Publish; the same at every delivery
	Data       []byte            // not empty, at most MaxData
	Attributes map[string]string // at most 90; names of 1 to 256 bytes, values of up to 1,024
	At         time.Time         // when it was published
	Attempt    int               // 1 at the first delivery; 0 when the backend does not say
}

// Check returns ErrTooLarge or ErrEvent when e cannot be carried.
// Implementations call it first, so that all refuse the same events.
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

// attribute tells whether an event can have an attribute. Pub/Sub keeps some
// names for itself, and its implementation here one more.
func attribute(name, value string) bool {
	for _, reserved := range []string{"goog", "CloudPubSub", "event_id"} {
		if strings.HasPrefix(name, reserved) {
			return false
		}
	}
	return name != "" && len(name) <= 256 && len(value) <= 1024 &&
		utf8.ValidString(name) && utf8.ValidString(value)
}

// A Handler takes one event. When it returns nil the event is done; otherwise,
// or when it panics, the event comes again later. Its ctx ends with that of
// Receive.
type Handler func(ctx context.Context, e Event) error

// A Bus carries events. Its methods may be called concurrently.
type Bus interface {
	// Publish adds events to a topic. When it returns nil they are durable and
	// every subscription of the topic will get them. It sets their ids. When
	// it fails, some may be durable all the same.
	Publish(ctx context.Context, topic string, events ...Event) error

	// Receive gives the events of a subscription to h, several at a time,
	// until ctx is done; events under way are then finished or come again, and
	// it returns nil. It returns an error when the backend stays out of reach.
	// Concurrent receivers of one subscription share its events.
	Receive(ctx context.Context, subscription string, h Handler) error

	// DeadLetters returns up to limit of the events that a subscription's
	// handler refused MaxAttempts times, oldest first, and leaves them there.
	DeadLetters(ctx context.Context, subscription string, limit int) ([]Event, error)

	// Close releases the bus.
	Close() error
}

// A Topology names the topics, and the subscriptions of each. A subscription's
// name is unique.
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

// Try gives e to h and makes an error of a panic, so that one bad event does
// not end the process that carries all.
func (h Handler) Try(ctx context.Context, e Event) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("bus: handler panics: %v", r)
		}
	}()
	return h(ctx, e)
}

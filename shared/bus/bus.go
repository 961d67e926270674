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
	"time"

	"miramundo.dev/shared/fault"
)

// Faults of the bus. Every other error means that the backend failed.
var (
	ErrTopic    = fault.New(fault.Invalid, "topic_unknown")
	ErrTooLarge = fault.New(fault.TooLarge, "event_too_large")
)

// MaxData is the greatest size of an event's data, in bytes.
const MaxData = 256 << 10

// MaxAttempts is how often an event is given to a subscription's handler
// before it moves to the subscription's dead letters.
const MaxAttempts = 5

// An Event says that something has happened.
type Event struct {
	ID         string            // set by Publish; the same at every delivery
	Data       []byte            // not empty, at most MaxData
	Attributes map[string]string // at most 100, short
	At         time.Time         // when it was published
	Attempt    int               // 1 at the first delivery; 0 when the backend does not say
}

// A Handler takes one event. When it returns nil the event is done; otherwise
// it comes again later.
type Handler func(ctx context.Context, e Event) error

// A Bus carries events. Its methods may be called concurrently.
type Bus interface {
	// Publish adds events to a topic. When it returns nil they are durable and
	// every subscription of the topic will get them. It sets their ids.
	Publish(ctx context.Context, topic string, events ...Event) error

	// Receive gives the events of a subscription to h, several at a time,
	// until ctx is done; events under way are then finished or come again.
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

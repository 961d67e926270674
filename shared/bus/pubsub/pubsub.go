// Package pubsub implements [bus.Bus] in Cloud Pub/Sub.
//
// Each subscription has its own dead letters: the topic and the subscription
// "{subscription}-dead". An event carries its id as an attribute, because
// Pub/Sub assigns a new message id when a publisher repeats itself and to
// dead letters.
package pubsub

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	ps "cloud.google.com/go/pubsub/v2"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"miramundo.dev/shared/bus"
)

const (
	publishTime = 20 * time.Second // for one Publish, with the client's retries
	adminTime   = 30 * time.Second
	outstanding = 32 // events that one Receive handles at a time
	deadSuffix  = "-dead"
)

// Names of the attributes that carry fields of an event.
const (
	idAttribute      = "event_id"
	atAttribute      = "event_at"      // of a dead letter that was rejected: when the event was published
	failureAttribute = "event_failure" // of the same: why
)

// Config selects a bus.
type Config struct {
	Project  string
	Topology bus.Topology
	Emulator string       // host:port; empty is the cloud
	Make     bool         // create the topics and subscriptions that do not exist; for the emulator
	Retry    bus.Retry    // of the subscriptions that are created; zero is bus.Patient
	Push     string       // address to which those push events, but dead letters; empty: they are pulled
	Log      *slog.Logger // logs the events that handlers refuse; nil is the default logger
}

// A Bus publishes and delivers events through Pub/Sub. See [bus.Bus].
type Bus struct {
	client   *ps.Client
	project  string
	topology bus.Topology
	log      *slog.Logger
	retry    bus.Retry
	push     string
	topics   map[string]*ps.Publisher
	dead     map[string]*ps.Publisher // of the dead letters of each subscription
	close    func() error             // once
}

var _ bus.Bus = (*Bus)(nil)

// alive pings a connection that is silent for half a minute, and gives it up
// when no answer comes: a receiver on one that was cut off on the way would
// otherwise wait for as long as the system takes to notice. The emulator, which
// is on the same machine, is not pinged.
var alive = grpc.WithKeepaliveParams(keepalive.ClientParameters{
	Time: 30 * time.Second, Timeout: 10 * time.Second, PermitWithoutStream: true,
})

// Open returns the bus that c selects. With Make it creates the topology
// first; when the emulator does not accept connections yet, it returns at
// once and retries in the background until ctx is done.
func Open(ctx context.Context, c Config) (*Bus, error) {
	opts := []option.ClientOption{option.WithGRPCDialOption(alive)}
	if c.Emulator != "" {
		opts = []option.ClientOption{
			option.WithEndpoint(c.Emulator),
			option.WithoutAuthentication(),
			option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())),
		}
	}
	client, err := ps.NewClient(ctx, c.Project, opts...)
	if err != nil {
		return nil, fmt.Errorf("pub/sub of project %s: %w", c.Project, err)
	}
	b := &Bus{client: client, project: c.Project, topology: c.Topology, log: c.Log, retry: c.Retry.Or(bus.Patient), push: c.Push}
	if b.log == nil {
		b.log = slog.Default()
	}
	if c.Make {
		if err := b.ensure(ctx, c.Emulator); err != nil {
			return nil, errors.Join(fmt.Errorf("pub/sub: %w", err), client.Close())
		}
	}
	b.topics, b.dead = map[string]*ps.Publisher{}, map[string]*ps.Publisher{}
	for topic, subs := range c.Topology {
		b.topics[topic] = b.publisher(topic)
		for _, sub := range subs {
			b.dead[sub] = b.publisher(sub + deadSuffix)
		}
	}
	b.close = sync.OnceValue(b.shut)
	return b, nil
}

func (b *Bus) publisher(topic string) *ps.Publisher {
	p := b.client.Publisher(topic)
	p.PublishSettings.Timeout = publishTime
	return p
}

// Close sends events that are still queued and releases the bus.
func (b *Bus) Close() error { return b.close() }

func (b *Bus) shut() error {
	for _, publishers := range []map[string]*ps.Publisher{b.topics, b.dead} {
		for _, p := range publishers {
			p.Stop()
		}
	}
	return b.client.Close()
}

// Publish implements [bus.Bus].
func (b *Bus) Publish(ctx context.Context, topic string, events ...bus.Event) error {
	publisher := b.topics[topic]
	if publisher == nil {
		return bus.ErrTopic.With("topic", topic)
	}
	for _, e := range events {
		if err := e.Check(); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, publishTime)
	defer cancel()
	results := make([]*ps.PublishResult, len(events))
	for i := range events {
		results[i] = publisher.Publish(ctx, message(&events[i]))
	}
	var errs []error
	for _, r := range results {
		_, err := r.Get(ctx)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// message gives e a new id and returns it as a Pub/Sub message.
func message(e *bus.Event) *ps.Message {
	e.ID, e.At = rand.Text(), time.Now().UTC()
	return messageOf(*e)
}

// messageOf returns an event with its id as a Pub/Sub message.
func messageOf(e bus.Event) *ps.Message {
	attributes := map[string]string{idAttribute: e.ID}
	for name, value := range e.Attributes {
		attributes[name] = value
	}
	return &ps.Message{Data: e.Data, Attributes: attributes}
}

// Receive implements [bus.Bus].
func (b *Bus) Receive(ctx context.Context, subscription string, h bus.Handler) error {
	if _, err := b.topology.Topic(subscription); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil
	}
	sub := b.client.Subscriber(subscription)
	sub.ReceiveSettings.MaxOutstandingMessages = outstanding
	sub.ReceiveSettings.NumGoroutines = 1
	// By default a lost consumer would hold its events for a minute.
	sub.ReceiveSettings.MaxDurationPerAckExtension = ackDeadline * time.Second
	err := sub.Receive(ctx, func(ctx context.Context, m *ps.Message) {
		e := event(m.ID, m.Data, m.Attributes, m.PublishTime)
		if m.DeliveryAttempt != nil {
			e.Attempt = *m.DeliveryAttempt
		}
		if err := h.Try(ctx, e); err != nil && !b.settleFailure(ctx, subscription, e, err) {
			m.Nack()
			return
		}
		m.Ack()
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// settleFailure logs why an event was not handled. It makes an event that can never be
// handled a dead letter, and reports whether it did.
func (b *Bus) settleFailure(ctx context.Context, subscription string, e bus.Event, failure error) bool {
	b.log.Warn("an event was not handled", "subscription", subscription, "event", e.ID, "attempt", e.Attempt,
		"rejected", bus.Rejects(failure), "error", failure)
	if !bus.Rejects(failure) {
		return false
	}
	e.Failure = failure.Error()
	if err := b.Reject(context.WithoutCancel(ctx), subscription, e); err != nil {
		b.log.Warn("an event was not rejected; it will be delivered again", "subscription", subscription, "event", e.ID, "error", err)
		return false
	}
	return true
}

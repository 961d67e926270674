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
	idAttribute = "event_id"
	deadSuffix  = "-dead"
)

// Config selects a bus.
type Config struct {
	Project  string
	Topology bus.Topology
	Emulator string       // host:port; empty is the cloud
	Make     bool         // create the topics and subscriptions that do not exist; for the emulator
	Log      *slog.Logger // logs the events that handlers refuse; nil is the default logger
}

// A Bus publishes and delivers events through Pub/Sub. See [bus.Bus].
type Bus struct {
	client   *ps.Client
	project  string
	topology bus.Topology
	log      *slog.Logger
	topics   map[string]*ps.Publisher
	close    func() error // once
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
	b := &Bus{client: client, project: c.Project, topology: c.Topology, log: c.Log, topics: map[string]*ps.Publisher{}}
	if b.log == nil {
		b.log = slog.Default()
	}
	if c.Make {
		if err := b.ensure(ctx, c.Emulator); err != nil {
			return nil, errors.Join(fmt.Errorf("pub/sub: %w", err), client.Close())
		}
	}
	for topic := range c.Topology {
		b.topics[topic] = client.Publisher(topic)
		b.topics[topic].PublishSettings.Timeout = publishTime
	}
	b.close = sync.OnceValue(b.shut)
	return b, nil
}

// Close sends events that are still queued and releases the bus.
func (b *Bus) Close() error { return b.close() }

func (b *Bus) shut() error {
	for _, p := range b.topics {
		p.Stop()
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
		if err := h.Try(ctx, e); err != nil {
			b.log.Warn("handler refuses event", "subscription", subscription, "event", e.ID, "attempt", e.Attempt, "error", err)
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

package pubsub

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"miramundo.dev/shared/bus"
)

// This file creates topics and subscriptions for local use and tests, and
// reads dead letters. In the cloud the infrastructure declares the same
// settings.

// Settings of the subscriptions, beside their [bus.Retry].
const (
	ackDeadline  = 30                 // seconds
	maxRetention = 7 * 24 * time.Hour // of the emulator; the cloud allows 31 days
)

func (b *Bus) topicName(topic string) string {
	return "projects/" + b.project + "/topics/" + topic
}

func (b *Bus) subscriptionName(sub string) string {
	return "projects/" + b.project + "/subscriptions/" + sub
}

// reachTime is how long an emulator, which is on the same machine, may take to
// accept a connection.
const reachTime = 500 * time.Millisecond

// ensure creates the topology on the emulator at host, or leaves that to the
// background when the emulator cannot be reached: a process without events
// answers what it can.
func (b *Bus) ensure(ctx context.Context, host string) error {
	err := reach(ctx, host)
	if err == nil {
		return b.make(ctx)
	}
	b.log.WarnContext(ctx, "pub/sub cannot be reached; events wait", "cause", err.Error())
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err = reach(ctx, host); err == nil {
				err = b.make(ctx)
			}
			if err == nil {
				return
			}
		}
	}()
	return nil
}

// reach reports whether something accepts connections at host.
func reach(ctx context.Context, host string) error {
	dialer := net.Dialer{Timeout: reachTime}
	conn, err := dialer.DialContext(ctx, "tcp", host)
	if err != nil {
		return err
	}
	return conn.Close()
}

// make creates the topics and subscriptions that do not exist. Where the bus pushes, those
// that exist push to its address from then on.
func (b *Bus) make(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, adminTime)
	defer cancel()
	for topic, subs := range b.topology {
		if err := b.makeTopic(ctx, topic); err != nil {
			return err
		}
		for _, sub := range subs {
			if err := b.makeSubscription(ctx, topic, sub); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Bus) makeTopic(ctx context.Context, topic string) error {
	_, err := b.client.TopicAdminClient.CreateTopic(ctx, &pb.Topic{Name: b.topicName(topic)})
	return unlessThere("topic "+topic, err)
}

// makeSubscription makes a subscription and what keeps its dead letters.
func (b *Bus) makeSubscription(ctx context.Context, topic, sub string) error {
	dead := sub + deadSuffix
	if err := b.makeTopic(ctx, dead); err != nil {
		return err
	}
	for _, s := range []*pb.Subscription{
		{Name: b.subscriptionName(dead), Topic: b.topicName(dead)},
		{
			Name:  b.subscriptionName(sub),
			Topic: b.topicName(topic),
			DeadLetterPolicy: &pb.DeadLetterPolicy{
				DeadLetterTopic:     b.topicName(dead),
				MaxDeliveryAttempts: int32(b.retry.Attempts),
			},
			RetryPolicy: &pb.RetryPolicy{
				MinimumBackoff: durationpb.New(b.retry.MinBackoff),
				MaximumBackoff: durationpb.New(b.retry.MaxBackoff),
			},
			PushConfig: &pb.PushConfig{PushEndpoint: b.push},
		},
	} {
		s.AckDeadlineSeconds = ackDeadline
		s.MessageRetentionDuration = durationpb.New(min(b.retry.Keep, maxRetention))
		s.ExpirationPolicy = &pb.ExpirationPolicy{} // never
		_, err := b.client.SubscriptionAdminClient.CreateSubscription(ctx, s)
		if b.push != "" && s.PushConfig != nil && status.Code(err) == codes.AlreadyExists { // made by a process that has ended, or does not push
			err = b.client.SubscriptionAdminClient.ModifyPushConfig(ctx, &pb.ModifyPushConfigRequest{Subscription: s.Name, PushConfig: s.PushConfig})
		}
		if err := unlessThere("subscription "+sub, err); err != nil {
			return err
		}
	}
	return nil
}

func unlessThere(what string, err error) error {
	if err == nil || status.Code(err) == codes.AlreadyExists {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Reject implements [bus.Bus]. It publishes the event to the dead letters, as
// Pub/Sub does with one that failed too often.
func (b *Bus) Reject(ctx context.Context, subscription string, e bus.Event) error {
	if _, err := b.topology.Topic(subscription); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, publishTime)
	defer cancel()
	m := messageOf(event(e.ID, e.Data, e.Attributes, e.At)) // a pushed event still has the attribute of its id
	m.Attributes[failureAttribute] = strings.ToValidUTF8(e.Failure[:min(len(e.Failure), bus.MaxFailure)], "")
	m.Attributes[atAttribute] = e.At.UTC().Format(time.RFC3339Nano)
	_, err := b.dead[subscription].Publish(ctx, m).Get(ctx)
	return err
}

// Backlog implements [bus.Bus]. Pub/Sub does not count: its metrics
// num_undelivered_messages and oldest_unacked_message_age do.
func (b *Bus) Backlog(_ context.Context, subscription string) (bus.Backlog, bool, error) {
	_, err := b.topology.Topic(subscription)
	return bus.Backlog{}, false, err
}

const (
	pullTime = 2 * time.Second // wait for dead letters before concluding that there are none
	pullMax  = 100
)

// DeadLetters implements [bus.Bus]. It pulls the dead letters and returns
// them to the queue, so concurrent calls may each see a part.
func (b *Bus) DeadLetters(ctx context.Context, subscription string, limit int) ([]bus.Event, error) {
	if _, err := b.topology.Topic(subscription); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	name := b.subscriptionName(subscription + deadSuffix)
	pulled, err := b.pull(ctx, name, limit)
	giveBack := b.giveBack(ctx, name, pulled)
	found := map[string]bus.Event{} // some are delivered twice
	for _, m := range pulled {
		e := eventOf(m)
		found[e.ID] = e
	}
	events := make([]bus.Event, 0, len(found))
	for _, e := range found {
		events = append(events, e)
	}
	slices.SortFunc(events, func(x, y bus.Event) int { return x.At.Compare(y.At) })
	return events, errors.Join(err, giveBack)
}

// maxSearch is how many dead letters are looked through for one.
const maxSearch = 500

// Replay implements [bus.Bus]. It publishes the event to its topic and
// acknowledges the dead letter after that, so that a failure in between leaves
// both. Every subscription of the topic gets the event.
func (b *Bus) Replay(ctx context.Context, subscription, id string) (bool, error) {
	topic, err := b.topology.Topic(subscription)
	if err != nil {
		return false, err
	}
	return b.settleDead(ctx, subscription, id, func(e bus.Event) error { return b.again(ctx, topic, e) })
}

// ReplayAll implements [bus.Bus]. It stops when it has pulled maxSearch dead letters
// that stay, or no other.
func (b *Bus) ReplayAll(ctx context.Context, subscription string, rejected bool) (n int, err error) {
	topic, err := b.topology.Topic(subscription)
	if err != nil {
		return 0, err
	}
	name := b.subscriptionName(subscription + deadSuffix)
	seen := map[string]bool{} // a replayed event may be a dead letter again meanwhile
	var stay []*pb.ReceivedMessage
	for len(stay) < maxSearch && err == nil {
		var pulled, replayed []*pb.ReceivedMessage
		pulled, err = b.pull(ctx, name, pullMax)
		fresh := false
		for _, m := range pulled {
			e := eventOf(m)
			if seen[e.ID] || e.Rejected && !rejected {
				fresh, stay = fresh || !seen[e.ID], append(stay, m)
				seen[e.ID] = true
				continue
			}
			if err = b.again(ctx, topic, e); err != nil {
				stay = append(stay, m)
				break
			}
			fresh, seen[e.ID], replayed = true, true, append(replayed, m)
		}
		if len(replayed) > 0 {
			err = errors.Join(err, b.acknowledge(ctx, name, replayed))
			n += len(replayed)
		}
		if !fresh {
			break
		}
	}
	return n, errors.Join(err, b.giveBack(ctx, name, stay))
}

// again publishes an event to its topic.
func (b *Bus) again(ctx context.Context, topic string, e bus.Event) error {
	ctx, cancel := context.WithTimeout(ctx, publishTime)
	defer cancel()
	_, err := b.topics[topic].Publish(ctx, messageOf(e)).Get(ctx)
	return err
}

// Drop implements [bus.Bus].
func (b *Bus) Drop(ctx context.Context, subscription, id string) (bool, error) {
	if _, err := b.topology.Topic(subscription); err != nil {
		return false, err
	}
	return b.settleDead(ctx, subscription, id, func(bus.Event) error { return nil })
}

// settleDead acknowledges the dead letter with an id when settle returns nil. It
// reports false when that dead letter is not among those that it can pull, which
// is also the case while another call looks at it.
func (b *Bus) settleDead(ctx context.Context, subscription, id string, settle func(bus.Event) error) (bool, error) {
	name := b.subscriptionName(subscription + deadSuffix)
	pulled, err := b.pull(ctx, name, maxSearch)
	var mine, others []*pb.ReceivedMessage
	var dead bus.Event
	for _, m := range pulled {
		e := eventOf(m)
		if e.ID == id {
			mine, dead = append(mine, m), e
		} else {
			others = append(others, m)
		}
	}
	if len(mine) > 0 {
		if e := settle(dead); e != nil {
			return false, errors.Join(e, b.giveBack(ctx, name, pulled))
		}
		err = b.acknowledge(ctx, name, mine)
	}
	return len(mine) > 0 && err == nil, errors.Join(err, b.giveBack(ctx, name, others))
}

// acknowledge deletes messages.
func (b *Bus) acknowledge(ctx context.Context, name string, pulled []*pb.ReceivedMessage) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), adminTime)
	defer cancel()
	return b.client.SubscriptionAdminClient.Acknowledge(ctx, &pb.AcknowledgeRequest{Subscription: name, AckIds: ackIDs(pulled)})
}

func ackIDs(pulled []*pb.ReceivedMessage) []string {
	ids := make([]string, len(pulled))
	for i, m := range pulled {
		ids[i] = m.AckId
	}
	return ids
}

// pull pulls up to limit messages.
func (b *Bus) pull(ctx context.Context, name string, limit int) (pulled []*pb.ReceivedMessage, err error) {
	for len(pulled) < limit {
		ctx, cancel := context.WithTimeout(ctx, pullTime)
		res, err := b.client.SubscriptionAdminClient.Pull(ctx, &pb.PullRequest{
			Subscription: name,
			MaxMessages:  int32(min(limit-len(pulled), pullMax)),
		})
		late := ctx.Err() != nil
		cancel()
		if err != nil && !late {
			return pulled, err
		}
		if late || len(res.ReceivedMessages) == 0 {
			return pulled, nil
		}
		pulled = append(pulled, res.ReceivedMessages...)
	}
	return pulled, nil
}

// giveBack lets messages be pulled again at once.
func (b *Bus) giveBack(ctx context.Context, name string, pulled []*pb.ReceivedMessage) error {
	if len(pulled) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), adminTime)
	defer cancel()
	return b.client.SubscriptionAdminClient.ModifyAckDeadline(ctx, &pb.ModifyAckDeadlineRequest{
		Subscription: name, AckIds: ackIDs(pulled), AckDeadlineSeconds: 0,
	})
}

// Names of the attributes that Pub/Sub adds to a dead letter.
const (
	deadPrefix    = "CloudPubSubDeadLetter"
	deadPublished = deadPrefix + "SourceTopicPublishTime"
)

// eventOf returns the event of a dead letter.
func eventOf(m *pb.ReceivedMessage) bus.Event {
	return event(m.Message.MessageId, m.Message.Data, m.Message.Attributes, m.Message.PublishTime.AsTime())
}

// event converts a message to the event that was published.
func event(id string, data []byte, attributes map[string]string, at time.Time) bus.Event {
	e := bus.Event{ID: id, Data: data, At: at.UTC(), Attributes: map[string]string{}}
	for name, value := range attributes {
		switch {
		case name == idAttribute:
			e.ID = value
		case name == deadPublished, name == atAttribute:
			if t, err := time.Parse(time.RFC3339, value); err == nil {
				e.At = t.UTC()
			}
		case name == failureAttribute:
			e.Failure, e.Rejected = value, true
		case !strings.HasPrefix(name, deadPrefix):
			e.Attributes[name] = value
		}
	}
	return e
}

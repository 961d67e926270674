package bustest

import (
	"context"
	"errors"
	"slices"

	"miramundo.dev/shared/bus"
)

// ErrBroken is returned by every call on a broken bus.
var ErrBroken = errors.New("bustest: the bus does not answer")

// Broken returns a bus whose every call fails with [ErrBroken].
func Broken() bus.Bus { return broken{} }

type broken struct{}

func (broken) Publish(context.Context, string, ...bus.Event) error { return ErrBroken }
func (broken) Receive(context.Context, string, bus.Handler) error  { return ErrBroken }
func (broken) Close() error                                        { return nil }
func (broken) DeadLetters(context.Context, string, int) ([]bus.Event, error) {
	return nil, ErrBroken
}
func (broken) Reject(context.Context, string, bus.Event) error { return ErrBroken }
func (broken) Backlog(context.Context, string) (bus.Backlog, bool, error) {
	return bus.Backlog{}, false, ErrBroken
}
func (broken) Replay(context.Context, string, string) (bool, error) { return false, ErrBroken }
func (broken) ReplayAll(context.Context, string, bool) (int, error) { return 0, ErrBroken }
func (broken) Drop(context.Context, string, string) (bool, error)   { return false, ErrBroken }

// Unruly returns b, except that each event is handled twice and the events of
// one Publish come in reverse order, as the contract of [bus.Bus] allows.
func Unruly(b bus.Bus) bus.Bus { return unruly{b} }

type unruly struct{ bus.Bus }

func (u unruly) Publish(ctx context.Context, topic string, events ...bus.Event) error {
	slices.Reverse(events)
	defer slices.Reverse(events)
	return u.Bus.Publish(ctx, topic, events...)
}

func (u unruly) Receive(ctx context.Context, subscription string, h bus.Handler) error {
	return u.Bus.Receive(ctx, subscription, func(ctx context.Context, e bus.Event) error {
		if err := h(ctx, e); err != nil {
			return err
		}
		if e.Attempt > 0 {
			e.Attempt++
		}
		return h(ctx, e)
	})
}

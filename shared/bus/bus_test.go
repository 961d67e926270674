package bus_test

import (
	"context"
	"errors"
	"testing"

	"miramundo.dev/shared/bus"
)

func TestTopic(t *testing.T) {
	top := bus.Topology{"plays": {"count", "keep"}, "other": {"rest"}, "unheard": nil}
	for sub, want := range map[string]string{"count": "plays", "keep": "plays", "rest": "other"} {
		if got, err := top.Topic(sub); got != want || err != nil {
			t.Errorf("Topic(%q) = %q, %v, want %q", sub, got, err, want)
		}
	}
	for _, sub := range []string{"", "plays", "unheard"} {
		if _, err := top.Topic(sub); !errors.Is(err, bus.ErrSubscription) {
			t.Errorf("Topic(%q) = %v, want ErrSubscription", sub, err)
		}
	}
}

func TestTry(t *testing.T) {
	stop := errors.New("stop")
	for name, c := range map[string]struct {
		h    bus.Handler
		want error
	}{
		"done":    {func(context.Context, bus.Event) error { return nil }, nil},
		"refused": {func(context.Context, bus.Event) error { return stop }, stop},
	} {
		if err := c.h.Try(t.Context(), bus.Event{}); !errors.Is(err, c.want) {
			t.Errorf("%s: Try = %v, want %v", name, err, c.want)
		}
	}
	bad := bus.Handler(func(context.Context, bus.Event) error { panic("stop") })
	if err := bad.Try(t.Context(), bus.Event{}); err == nil {
		t.Error("Try of a handler that panics = nil")
	}
}

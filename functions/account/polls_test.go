package account

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"miramundo.dev/shared/account/devicelink"
	"miramundo.dev/shared/account/throttle"
)

func TestPolls(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	p := newPolls(func() time.Time { return now })
	for _, step := range []struct {
		wait   time.Duration
		device string
		want   error
	}{
		{0, "phone", nil},
		{0, "phone", throttle.ErrTooMany},
		{0, "television", nil},
		{time.Second, "phone", throttle.ErrTooMany},
		{600 * time.Millisecond, "phone", nil}, // a little early
		{time.Second, "phone", throttle.ErrTooMany},
		{devicelink.PollEvery, "phone", nil},
	} {
		now = now.Add(step.wait)
		if err := p.take(step.device); !errors.Is(err, step.want) {
			t.Errorf("%s after %v: %v, want %v", step.device, step.wait, err, step.want)
		}
	}
}

// TestPollsAreBounded asks as more devices than are counted.
func TestPollsAreBounded(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	p := newPolls(func() time.Time { return now })
	for i := range maxPolls + 10 {
		if err := p.take(strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.last) != maxPolls {
		t.Errorf("%d devices are counted, want %d", len(p.last), maxPolls)
	}
	now = now.Add(devicelink.PollEvery)
	if err := p.take("late"); err != nil || len(p.last) != 1 {
		t.Errorf("later %d devices are counted (%v), want 1", len(p.last), err)
	}
}

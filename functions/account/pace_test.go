package account

import (
	"errors"
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
		if err := p.Take(step.device); !errors.Is(err, step.want) {
			t.Errorf("%s after %v: %v, want %v", step.device, step.wait, err, step.want)
		}
	}
}

// TestStarts starts sign-ins from one network as fast as it can.
func TestStarts(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	p := newStarts(func() time.Time { return now })
	count := func() (n int) {
		for p.Take("network") == nil {
			n++
		}
		return n
	}
	if n := count(); n != 30 {
		t.Errorf("%d at once, want 30", n)
	}
	now = now.Add(2 * time.Second)
	if n := count(); n != 4 {
		t.Errorf("%d after two seconds, want 4", n)
	}
	now = now.Add(time.Hour)
	if n := count(); n != 30 {
		t.Errorf("%d after an hour, want 30", n)
	}
}

package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
)

// TestOutage checks which fault an outage becomes: the reason and the time of retry
// reach every fault of the kind Unavailable that it causes, and no other.
func TestOutage(t *testing.T) {
	full := fault.NewOutage(fault.StorageFull, 60)
	cause := fmt.Errorf("set things/a: %w", full.Because(errors.New("disk")))
	reason := map[string]any{"reason": "storage_full", "retry_after": 60}
	own := fault.New(fault.Unavailable, "own_unavailable")
	for _, test := range []struct {
		name   string
		got    *fault.Error
		code   string
		fields map[string]any
	}{
		{"no fault", fault.From(cause), "unavailable", reason},
		{"of the infrastructure", fault.From(fault.OrUnavailable(cause)), "unavailable", reason},
		{"a code of its own", fault.From(own.Because(cause)), "own_unavailable", reason},
		{"a time of its own", own.With("retry_after", 5).Because(cause), "own_unavailable", map[string]any{"reason": "storage_full", "retry_after": 5}},
		{"another kind", fault.ErrNotFound.Because(cause), "not_found", nil},
		{"another cause", fault.From(fault.OrUnavailable(errors.New("disk"))), "unavailable", nil},
		{"neither", fault.From(errors.New("disk")), "internal", nil},
	} {
		if diff := cmp.Diff(test.fields, test.got.Fields); test.got.Code != test.code || diff != "" {
			t.Errorf("%s: %s, want %s (-want +got):\n%s", test.name, test.got.Code, test.code, diff)
		}
	}
	if own.Fields != nil || len(full.Error()) == 0 {
		t.Errorf("the declared fault has the fields %v, and the outage reads %q", own.Fields, full)
	}
	if busy := fault.NewOutage(fault.Busy, 1); !errors.Is(cause, full) || errors.Is(cause, busy) {
		t.Error("an outage matches another reason than its own")
	}
}

package bus

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestPatient checks the policy of the service: within the limits of Pub/Sub, quick at
// first, and patient enough for a repair that takes a night.
func TestPatient(t *testing.T) {
	r := Patient
	if r.MinBackoff <= 0 || r.MaxBackoff > 600*time.Second || r.Attempts < 5 || r.Attempts > 100 || r.Keep > 31*24*time.Hour {
		t.Errorf("Pub/Sub does not allow %+v", r)
	}
	var pauses []time.Duration
	for _, attempt := range []int{1, 2, 3, 6, 7, 8, 99} {
		pauses = append(pauses, r.Backoff(attempt)/time.Second)
	}
	if diff := cmp.Diff([]time.Duration{10, 20, 40, 320, 600, 600, 600}, pauses); diff != "" {
		t.Errorf("seconds before the next attempt (-want +got):\n%s", diff)
	}
	if span := r.Span(); span < 12*time.Hour || span >= r.Keep {
		t.Errorf("an event is tried for %v of %v", span, r.Keep)
	}
}

package rank_test

import (
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/rank"
)

func TestDead(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	at := func(age time.Duration) *string { s := now.Add(-age).Format(time.RFC3339); return &s }
	for _, test := range []struct {
		name   string
		health *catalog.StreamHealth
		want   bool
	}{
		{"never measured", nil, false},
		{"online", &catalog.StreamHealth{Status: "online"}, false},
		{"blocked", &catalog.StreamHealth{Status: "blocked"}, false},
		{"unknown", &catalog.StreamHealth{Status: "unknown"}, false},
		{"offline", &catalog.StreamHealth{Status: "offline"}, true},
		{"timeout", &catalog.StreamHealth{Status: "timeout", CheckedAt: at(time.Hour)}, true},
		{"error", &catalog.StreamHealth{Status: "error", CheckedAt: at(rank.Stale)}, true},
		{"error of long ago", &catalog.StreamHealth{Status: "error", CheckedAt: at(rank.Stale + time.Second)}, false},
	} {
		s := rank.Candidate{Stream: &catalog.StreamRecord{}, Health: test.health}
		if got := rank.Dead(&s, rank.Caller{Now: now}); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

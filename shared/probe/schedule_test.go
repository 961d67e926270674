package probe

import (
	"math"
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
)

const someID catalog.StreamID = 0x0123456789abcdef

// TestDueAfter checks the pauses that do not depend on a stream's own time.
func TestDueAfter(t *testing.T) {
	for _, test := range []struct {
		name  string
		s     State
		after time.Duration
	}{
		{"could not be tried", State{Missed: 1, MissedAt: noon}, time.Hour},
		{"nor again", State{Missed: 3, MissedAt: noon}, 4 * time.Hour},
		{"nor ever", State{Missed: 1 << 20, MissedAt: noon}, 20 * time.Hour},
		{"could not be tried once known", State{Status: Online, At: on(-9), Missed: 1, MissedAt: noon}, time.Hour},
		{"fails", State{Status: Offline, At: noon, FailingSince: noon, Failures: 1}, time.Hour},
		{"fails again", State{Status: Timeout, At: noon, FailingSince: on(-1), Failures: 2}, 3 * time.Hour},
		{"fails a third time", State{Status: Error, At: noon, FailingSince: on(-4), Failures: 3}, 8 * time.Hour},
	} {
		for _, plays := range []int64{0, 1000} {
			if at, every := test.s.Due(someID, plays); !at.Equal(noon.Add(test.after)) || every != test.after {
				t.Errorf("%s, %d plays: after %v of %v, want %v", test.name, plays, at.Sub(noon), every, test.after)
			}
		}
	}
	var never State
	if at, every := never.Due(someID, 0); !at.IsZero() || every != daily {
		t.Errorf("never measured: %v, %v", at, every)
	}
}

// TestDueEvery checks the intervals of streams that are known, and that each
// comes at its own time, not too soon and not too late after any measurement.
func TestDueEvery(t *testing.T) {
	failing := func(since time.Duration) State {
		return State{Status: Offline, FailingSince: noon.Add(-since), Failures: 50}
	}
	day := 24 * time.Hour
	for _, test := range []struct {
		name  string
		s     State
		plays int64
		want  time.Duration
	}{
		{"online", State{Status: Online}, 0, 20 * time.Hour},
		{"online, played", State{Status: Online}, 1, 10 * time.Hour},
		{"online, played more", State{Status: Online}, 10, 6 * time.Hour},
		{"online, played most", State{Status: Online}, 100, 3 * time.Hour},
		{"plays that nobody can have", State{Status: Online}, -5, 20 * time.Hour},
		{"blocked", State{Status: Blocked}, 0, 20 * time.Hour},
		{"blocked, played", State{Status: Blocked}, 100, 3 * time.Hour},
		{"failing", failing(2 * day), 0, 20 * time.Hour},
		{"failing, played", failing(2 * day), 10, 6 * time.Hour},
		{"failing for long", failing(14 * day), 0, 3 * day},
		{"failing for long, played", failing(14 * day), 1000, 3 * day},
		{"failing for very long", failing(60 * day), 0, 7 * day},
		{"failing since ever", State{Status: Offline, Failures: 9}, 0, 7 * day},
	} {
		for i := range 200 {
			id := catalog.StreamID(mix(uint64(i)))
			s := test.s
			s.At = noon
			at, every := s.Due(id, test.plays)
			if every != test.want {
				t.Fatalf("%s: every %v, want %v", test.name, every, test.want)
			}
			if wait := at.Sub(noon); wait <= every*14/100 || wait > every*115/100 {
				t.Fatalf("%s: waits %v of %v", test.name, wait, every)
			}
			s.FailingSince = s.FailingSince.Add(at.Sub(noon)) // of the same age
			s.At = at.Add(time.Minute)
			if next, _ := s.Due(id, test.plays); next.Sub(at).Round(time.Microsecond) != every {
				t.Fatalf("%s: comes again after %v, want %v", test.name, next.Sub(at), every)
			}
		}
	}
}

// TestSlots checks that the slots of streams are even, and that those of a
// shard lie together.
func TestSlots(t *testing.T) {
	const n, parts = 60_000, 50
	var counts [parts]int
	for i := range n {
		id := catalog.StreamID(mix(uint64(i) + 1))
		at := Slot(id)
		if shard := int(at * Shards); shard != ShardOf(id) || at < 0 || at >= 1 {
			t.Fatalf("slot %v of shard %d", at, ShardOf(id))
		}
		counts[int(at*parts)]++
	}
	for i, c := range counts {
		if math.Abs(float64(c)-n/parts) > n/parts/5 {
			t.Errorf("%d streams of %d in part %d, want about %d", c, n, i, n/parts)
		}
	}
}

package probe

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
)

var noon = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

// on returns a time some hours after noon.
func on(hours float64) time.Time { return noon.Add(time.Duration(hours * float64(time.Hour))) }

var picture = Facts{Height: 1080, Bitrate: 4_000_000, Codecs: "avc1.64001f,mp4a.40.2", CORS: true}

func good(at time.Time) Result {
	return Result{At: at, Status: Online, Latency: 200 * time.Millisecond, Height: 1080, Bitrate: 4_000_000, Codecs: picture.Codecs, CORS: true}
}

// TestAfter measures one stream again and again.
func TestAfter(t *testing.T) {
	var s State
	for _, step := range []struct {
		name string
		r    Result
		want func(*State)
	}{
		{"could not be tried", Result{At: on(0), Status: Unknown, Reason: "busy"}, func(s *State) { s.Missed, s.MissedAt = 1, on(0) }},
		{"nor again", Result{At: on(1), Status: "fine"}, func(s *State) { s.Missed, s.MissedAt = 2, on(1) }},
		{"refused", Result{At: on(2), Status: Blocked, Reason: "forbidden", Height: 5}, func(s *State) {
			*s = State{Status: Blocked, Reason: "forbidden", At: on(2)}
		}},
		{"works, to the nanosecond", good(on(3).Add(123456789)), func(s *State) {
			*s = State{Status: Online, At: on(3), Score: 100, ScoredAt: on(3), OnlineAt: on(3), Latency: 200 * time.Millisecond, Facts: picture}
		}},
		{"an old result", Result{At: on(2.5), Status: Error}, func(*State) {}},
		{"fails", Result{At: on(51), Status: Timeout, Reason: "silent"}, func(s *State) {
			s.Status, s.Reason, s.At = Timeout, "silent", on(51)
			s.Score, s.ScoredAt = 50, on(51)
			s.FailingSince, s.Failures, s.Latency = on(51), 1, 0
		}},
		{"fails otherwise", Result{At: on(52), Status: Offline, Reason: "gone", Height: 240}, func(s *State) {
			s.Status, s.Reason, s.At = Offline, "gone", on(52)
			s.Score, s.ScoredAt = 49.28316, on(52)
			s.Failures = 2
		}},
		{"could not be tried in between", Result{At: on(53), Status: Unknown}, func(s *State) { s.Missed, s.MissedAt = 1, on(53) }},
		{"refused after that", Result{At: on(54), Status: Blocked}, func(s *State) {
			s.Status, s.Reason, s.At = Blocked, "", on(54)
			s.FailingSince, s.Failures, s.Missed, s.MissedAt = time.Time{}, 0, 0, time.Time{}
		}},
		{"works without a picture", Result{At: on(100), Status: Online, Codecs: "mp3", Closed: true, Kind: catalog.StreamAudio}, func(s *State) {
			s.Status, s.At, s.OnlineAt, s.ScoredAt = Online, on(100), on(100), on(100)
			s.Score = 69.64158 // the mean, after two days
			s.Facts = Facts{Codecs: "mp3", Closed: true, Kind: catalog.StreamAudio}
		}},
	} {
		want := s
		step.want(&want)
		s = s.After(step.r)
		if d := cmp.Diff(want, s); d != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, d)
		}
	}
}

// TestAfterHostile checks that whatever a result holds, the state stays within
// its bounds and is read again as it was kept.
func TestAfterHostile(t *testing.T) {
	hostile := Result{
		At: noon, Status: Online, Reason: strings.Repeat("é\x00", 300), Latency: 1 << 62, Height: 1 << 40, Bitrate: 1 << 60,
		Codecs: "avc1\n\u202e" + strings.Repeat("x", 500),
	}
	for _, r := range []Result{
		hostile,
		{At: noon, Status: Online, Latency: -1, Height: -1, Bitrate: -1},
		{At: noon, Status: Error, Reason: "\xff\xfe"},
		{At: noon.In(time.FixedZone("X", 3600)), Status: Online},
	} {
		s := State{}.After(r)
		if len(s.Codecs) > maxText || len(s.Reason) > maxText || s.Height < 0 || s.Bitrate < 0 || s.Latency < 0 || s.Latency > maxLatency {
			t.Errorf("%+v", s)
		}
		rows, err := unpackStates(packStates([]row[State]{{7, s}}))
		if err != nil || len(rows) != 1 {
			t.Fatalf("%+v: %v, %v", s, rows, err)
		}
		if d := cmp.Diff(s, rows[0].of); d != "" {
			t.Errorf("read again (-stored +read):\n%s", d)
		}
	}
}

// TestNext checks when what readers see changes, and when CheckedAt follows.
func TestNext(t *testing.T) {
	s := State{Status: Online, At: on(0), Score: 90.4, ScoredAt: on(0), OnlineAt: on(0), Latency: 400 * time.Millisecond, Facts: picture}
	first, changed := Shown{}.Next(s)
	want := Shown{Status: Online, Scored: true, Score: 90, CheckedAt: on(0), OnlineAt: on(0), Latency: 400 * time.Millisecond, Facts: picture}
	if d := cmp.Diff(want, first); d != "" || !changed {
		t.Fatalf("changed %v (-want +got):\n%s", changed, d)
	}
	for _, test := range []struct {
		name    string
		change  func(*State)
		changed bool
		checked time.Time
	}{
		{"the same a while later", func(s *State) { s.At, s.OnlineAt = on(3), on(3) }, false, on(0)},
		{"the fraction of the score", func(s *State) { s.At, s.Score = on(1), 89.6 }, false, on(0)},
		{"online at a later step", func(s *State) { s.At, s.OnlineAt = on(20), on(20) }, true, on(0)},
		{"the score", func(s *State) { s.At, s.Score = on(1), 89.4 }, true, on(1)},
		{"the status", func(s *State) { s.At, s.Status = on(1), Blocked }, true, on(1)},
		{"six days and 23 hours", func(s *State) { s.At = on(6*24 + 23) }, false, on(0)},
		{"a week", func(s *State) { s.At = on(7 * 24) }, true, on(7 * 24)},
		{"a little latency", func(s *State) { s.At, s.Latency = on(1), 500*time.Millisecond }, false, on(0)},
		{"much latency", func(s *State) { s.At, s.Latency = on(1), 501*time.Millisecond }, true, on(0)},
		{"no latency", func(s *State) { s.At, s.Latency = on(1), 0 }, true, on(0)},
		{"a little bitrate", func(s *State) { s.At, s.Bitrate = on(1), 4_400_000 }, false, on(0)},
		{"much bitrate", func(s *State) { s.At, s.Bitrate = on(1), 3_599_999 }, true, on(0)},
		{"resolution", func(s *State) { s.At, s.Height = on(1), 720 }, true, on(0)},
		{"codecs", func(s *State) { s.At, s.Codecs = on(1), "" }, true, on(0)},
		{"other pages", func(s *State) { s.At, s.CORS = on(1), false }, true, on(0)},
		{"headers", func(s *State) { s.At, s.Closed = on(1), true }, true, on(0)},
		{"nothing told", func(s *State) { s.Status, s.At = "", time.Time{} }, false, on(0)},
	} {
		next := s
		test.change(&next)
		got, changed := first.Next(next)
		if changed != test.changed || changed != (got != first) || !got.CheckedAt.Equal(test.checked) {
			t.Errorf("%s: changed %v, want %v; checked %v, want %v", test.name, changed, test.changed, got.CheckedAt, test.checked)
		}
	}
}

// TestNextSettles shows what became of many made-up measurements: what is shown
// is never further off than it may be, and showing it again changes nothing.
func TestNextSettles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	statuses := []Status{Online, Online, Online, Offline, Blocked, Timeout, Error, Unknown}
	var s State
	var shown Shown
	at := noon
	for range 5000 {
		at = at.Add(time.Duration(rng.Int64N(int64(30 * time.Hour))))
		r := good(at)
		r.Status, r.Latency = statuses[rng.IntN(len(statuses))], time.Duration(rng.Int64N(int64(10*time.Second)))
		s = s.After(r)
		before := shown
		shown, _ = shown.Next(s)
		if s.At.IsZero() {
			continue
		}
		if again, changed := shown.Next(s); changed {
			t.Fatalf("shown again: %s", cmp.Diff(shown, again))
		}
		if shown.Status != s.Status || s.At.Sub(shown.CheckedAt) >= checkedStep || s.OnlineAt.Sub(shown.OnlineAt) >= onlineStep {
			t.Fatalf("shown %+v of %+v", shown, s)
		}
		moved := !shown.CheckedAt.Equal(before.CheckedAt)
		allowed := shown.Status != before.Status || shown.Score != before.Score || s.At.Sub(before.CheckedAt) >= checkedStep
		if moved && !allowed {
			t.Fatalf("checked_at moved from %v to %v without a change", before.CheckedAt, shown.CheckedAt)
		}
	}
}

func TestMeasurement(t *testing.T) {
	number := func(n int) *int { return &n }
	text := func(s string) *string { return &s }
	for _, test := range []struct {
		name  string
		shown Shown
		want  catalog.Measurement
	}{
		{"all known", Shown{Status: Online, Scored: true, Score: 93, CheckedAt: noon, OnlineAt: noon, Latency: 250 * time.Millisecond, Facts: Facts{720, 3_000_000, "avc1.4d401f", true, true, catalog.StreamTS}},
			catalog.Measurement{
				Health:   catalog.StreamHealth{Status: "online", Score: number(93), CheckedAt: text("2026-03-15T12:00:00Z"), Resolution: text("720p"), Bitrate: number(3_000_000), LatencyMS: number(250)},
				OnlineAt: noon, Closed: true, Codecs: "avc1.4d401f", CORS: true, Kind: catalog.StreamTS,
			}},
		{"first found blocked", Shown{Status: Blocked, CheckedAt: noon},
			catalog.Measurement{Health: catalog.StreamHealth{Status: "blocked", CheckedAt: text("2026-03-15T12:00:00Z")}}},
		{"dead", Shown{Status: Offline, Scored: true, CheckedAt: noon, Facts: Facts{Height: 417}},
			catalog.Measurement{Health: catalog.StreamHealth{Status: "offline", Score: number(0), CheckedAt: text("2026-03-15T12:00:00Z"), Resolution: text("417p")}}},
	} {
		if d := cmp.Diff(test.want, test.shown.measurement()); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, d)
		}
	}
}

// TestLatency keeps what is known apart from what is not: no latency rounds to
// zero.
func TestLatency(t *testing.T) {
	for _, test := range []struct{ is, want time.Duration }{
		{0, 0}, {-time.Second, 0}, {1, time.Millisecond}, {time.Millisecond, time.Millisecond},
		{1500 * time.Microsecond, 2 * time.Millisecond}, {48 * time.Hour, maxLatency},
	} {
		if got := (State{}).After(Result{Status: Online, Latency: test.is}).Latency; got != test.want {
			t.Errorf("%v is stored as %v, want %v", test.is, got, test.want)
		}
	}
}

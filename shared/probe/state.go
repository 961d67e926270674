package probe

import (
	"math"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
)

// States are values: After and Next compute the following state from the last
// one and a result, without a clock or a database, and the job stores what they
// return. A State has all that the schedule and the score need; a Shown is the
// part that readers see, changed as seldom as accuracy allows, since every change
// is sent to every instance.

// A State summarizes the measurements of a stream. Its times are UTC in whole
// seconds. The zero State is that of a stream never measured.
type State struct {
	Status Status    // of the last conclusive measurement; empty before the first
	Reason string    // of Status
	At     time.Time // of the last conclusive measurement

	Score    float64   // from 0 to 100
	ScoredAt time.Time // of the last sample; zero before the first, when there is no score

	OnlineAt     time.Time // of the last measurement that found it online
	FailingSince time.Time // of the first of the current run of failures; zero when it does not fail
	Failures     int       // in a row: offline, timeout or error

	Latency time.Duration // of the last measurement, in whole milliseconds
	Facts                 // of the last measurement that found it online

	// Inconclusive measurements change nothing above, but delay the next.
	Missed   int // of them in a row
	MissedAt time.Time
}

// Facts are the properties of the media of a stream; see Result.
type Facts struct {
	Height  int
	Bitrate int
	Codecs  string
	CORS    bool
	Closed  bool
	Kind    string
}

// Bounds of the stored values. Larger ones are clamped.
const (
	maxText    = 120 // bytes of a reason or of codecs
	maxHeight  = 1 << 16
	maxBitrate = 1 << 40
	maxLatency = time.Hour
	maxInARow  = 1 << 20
)

// After returns the state that follows s after a measurement. A result that is
// older than the last one in s changes nothing, so that results may arrive in any
// order.
func (s State) After(r Result) State {
	at := r.At.UTC().Truncate(time.Second)
	if at.Before(s.At) {
		return s
	}
	if !r.Status.Conclusive() {
		s.Missed, s.MissedAt = min(s.Missed+1, maxInARow), at
		return s
	}
	s.Missed, s.MissedAt = 0, time.Time{}
	s.score(&r, at)
	s.Status, s.Reason, s.At = r.Status, Clip(r.Reason), at
	s.Latency = min(max(r.Latency, 0)+time.Millisecond-1, maxLatency).Truncate(time.Millisecond) // zero is not known
	switch r.Status {
	case Online:
		s.OnlineAt = at
		s.FailingSince, s.Failures = time.Time{}, 0
		s.Facts = Facts{min(max(r.Height, 0), maxHeight), min(max(r.Bitrate, 0), maxBitrate), Clip(r.Codecs), r.CORS, r.Closed, knownKind(r.Kind)}
	case Blocked:
		s.FailingSince, s.Failures = time.Time{}, 0
	default:
		if s.Failures == 0 {
			s.FailingSince = at
		}
		s.Failures = min(s.Failures+1, maxInARow)
	}
	return s
}

// ahead is how far clocks of two machines may differ.
const ahead = time.Hour

// InFuture reports whether s was measured more than an hour after now, by a
// clock that was wrong.
func (s *State) InFuture(now time.Time) bool {
	latest := now.Add(ahead)
	return s.At.After(latest) || s.MissedAt.After(latest)
}

// Until returns s without times after now. The stream is due at once; with a time
// in the future it would not be due before that.
func (s State) Until(now time.Time) State {
	now = now.UTC().Truncate(time.Second)
	s.At, s.Missed, s.MissedAt = time.Time{}, 0, time.Time{}
	for _, t := range []*time.Time{&s.ScoredAt, &s.OnlineAt, &s.FailingSince} {
		if t.After(now) {
			*t = now
		}
	}
	return s
}

// score adds the sample of r, if it has one, to the score.
func (s *State) score(r *Result, at time.Time) {
	x, ok := sample(r)
	switch {
	case !ok:
		return
	case s.ScoredAt.IsZero():
		s.Score = math.Round(x*scorePrecision) / scorePrecision
	default:
		s.Score = average(s.Score, at.Sub(s.ScoredAt), x)
	}
	s.ScoredAt = at
}

// knownKind returns a kind as it is stored: itself when streams of it can be
// measured, otherwise none.
func knownKind(kind string) string {
	if slices.Contains(kinds, kind) {
		return kind
	}
	return ""
}

// Conclusive reports whether s is a finding about the stream. Unknown is not.
func (s Status) Conclusive() bool {
	switch s {
	case Online, Offline, Blocked, Timeout, Error:
		return true
	}
	return false
}

// failing reports whether the last measurement found that the stream does not
// work. A stream that refuses the prober is not failing.
func (s *State) failing() bool { return s.Failures > 0 }

// Clip returns a text as it is stored: the printable ASCII of its first maxText
// bytes.
func Clip(text string) string {
	text = text[:min(len(text), maxText)]
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, text)
}

// Shown is the part of a stream's state that readers see, rounded so that it
// changes seldom: an unchanged row is neither written nor sent to followers.
type Shown struct {
	Status    Status
	Scored    bool          // the stream has a score
	Score     int           // from 0 to 100
	CheckedAt time.Time     // of the measurement that changed it, or of one in the week after
	OnlineAt  time.Time     // rounded down to onlineStep
	Latency   time.Duration // may be off by a quarter
	Facts                   // the bitrate may be off by a tenth
}

// The steps of shown values.
const (
	checkedStep = 7 * 24 * time.Hour     // between rewrites of CheckedAt without a change
	onlineStep  = 6 * time.Hour          // of OnlineAt
	latencyStep = 100 * time.Millisecond // a smaller difference of latencies is never shown
)

// Next returns the Shown of a stream in the given state, where s is the last
// one, or zero before the first, and reports whether the two differ.
//
// CheckedAt is renewed when the status or the score changes, or after a week.
// Values that no two measurements agree on are renewed when they are off by more
// than a tenth (the bitrate) or a quarter (the latency), or together with the
// status or the score.
func (s Shown) Next(state State) (Shown, bool) {
	if !state.Status.Conclusive() {
		return s, false
	}
	next := Shown{
		Status: state.Status, Scored: !state.ScoredAt.IsZero(), Score: int(math.Round(state.Score)), CheckedAt: state.At,
		OnlineAt: state.OnlineAt.Truncate(onlineStep), Latency: state.Latency, Facts: state.Facts,
	}
	if next.Status == s.Status && next.Scored == s.Scored && next.Score == s.Score {
		if since := state.At.Sub(s.CheckedAt); since > -ahead && since < checkedStep {
			next.CheckedAt = s.CheckedAt
		}
		if near(next.Latency, s.Latency, max(s.Latency/4, latencyStep)) {
			next.Latency = s.Latency
		}
		if near(next.Bitrate, s.Bitrate, s.Bitrate/10) {
			next.Bitrate = s.Bitrate
		}
	}
	return next, next != s
}

// near reports whether a and b differ by at most apart, and both are known: a
// zero is not.
func near[T int | time.Duration](a, b, apart T) bool {
	return a != 0 && b != 0 && a-b <= apart && b-a <= apart
}

// measurement returns s in the form that the catalog shows. The score points to
// a shared value.
func (s *Shown) measurement() catalog.Measurement {
	h := catalog.StreamHealth{Status: string(s.Status), Resolution: resolution(s.Height)}
	if !s.CheckedAt.IsZero() { // zero after a measurement by a clock far behind
		checked := s.CheckedAt.Format(time.RFC3339)
		h.CheckedAt = &checked
	}
	if s.Scored {
		h.Score = &scores[s.Score]
	}
	if s.Bitrate > 0 {
		bitrate := s.Bitrate
		h.Bitrate = &bitrate
	}
	if ms := int(s.Latency / time.Millisecond); ms > 0 {
		h.LatencyMS = &ms
	}
	return catalog.Measurement{Health: h, OnlineAt: s.OnlineAt, Closed: s.Closed, Codecs: s.Codecs, CORS: s.CORS, Kind: s.Kind}
}

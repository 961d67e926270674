package probe

import (
	"math"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
)

// A State is what the measurements of a stream have come to. Its times are UTC
// in whole seconds. The zero State is that of a stream never measured.
type State struct {
	Status Status // as last found; empty before anything was
	Reason string // of Status
	At     time.Time

	Score    float64   // from 0 to 100
	ScoredAt time.Time // when the last sample came; zero before the first, when there is no score

	OnlineAt     time.Time // when last found online
	FailingSince time.Time // when first found offline, silent or wrong since then
	Failures     int       // of that kind in a row

	Latency time.Duration // of the last measurement, in whole milliseconds
	Facts                 // of the last one that found it online

	// Measurements that told nothing do not count but delay the next.
	Missed   int // of them in a row
	MissedAt time.Time
}

// Facts are what is known of the media of a stream; see Result.
type Facts struct {
	Height  int
	Bitrate int
	Codecs  string
	CORS    bool
	Closed  bool
}

// Bounds of what is kept of a result.
const (
	maxText    = 120 // bytes of a reason or of codecs
	maxHeight  = 1 << 16
	maxBitrate = 1 << 40
	maxLatency = time.Hour
	maxInARow  = 1 << 20
)

// After returns s after a measurement. One that is older than what s knows
// changes nothing.
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
		s.Facts = Facts{min(max(r.Height, 0), maxHeight), min(max(r.Bitrate, 0), maxBitrate), Clip(r.Codecs), r.CORS, r.Closed}
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

// ahead is how far a time may lie ahead of a clock that is right.
const ahead = time.Hour

// InFuture reports whether s has times far in the future of now: it was measured
// under a clock that was wrong.
func (s *State) InFuture(now time.Time) bool {
	latest := now.Add(ahead)
	return s.At.After(latest) || s.MissedAt.After(latest)
}

// Until returns s without times after now. The stream is due at once, since with a
// time in the future it would not be due for as long.
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

// score has the sample of r in the score.
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

// Conclusive reports whether s says anything about the stream.
func (s Status) Conclusive() bool {
	switch s {
	case Online, Offline, Blocked, Timeout, Error:
		return true
	}
	return false
}

// failing reports whether a stream was found not to work, wherever it is asked
// from.
func (s *State) failing() bool { return s.Failures > 0 }

// Clip returns a text as it is stored: the printable part of its beginning.
func Clip(text string) string {
	text = text[:min(len(text), maxText)]
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, text)
}

// Shown is what readers see of a stream. It changes less often than State: what
// did not change need not be written, nor read by everyone who follows.
type Shown struct {
	Status    Status
	Scored    bool
	Score     int
	CheckedAt time.Time
	OnlineAt  time.Time // to onlineStep
	Latency   time.Duration
	Facts
}

// How exactly and how often is shown what is known exactly.
const (
	checkedStep = 7 * 24 * time.Hour
	onlineStep  = 6 * time.Hour
	latencyStep = 100 * time.Millisecond
)

// Next returns what is shown of a stream whose state has become state, in place
// of s, which is zero before the first time; and whether that differs.
//
// CheckedAt follows when the status or the score changes, or after a week. What
// is measured anew each time and never twice the same is shown anew when it is
// off by more than a tenth, the latency by more than a quarter.
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

// near reports whether two figures, of which none is 0, are at most so far
// apart.
func near[T int | time.Duration](a, b, apart T) bool {
	return a != 0 && b != 0 && a-b <= apart && b-a <= apart
}

// measurement returns s as the catalog takes it.
func (s *Shown) measurement() catalog.Measurement {
	h := catalog.StreamHealth{Status: string(s.Status), Resolution: resolution(s.Height)}
	if !s.CheckedAt.IsZero() { // as under a clock that was far behind
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
	return catalog.Measurement{Health: h, OnlineAt: s.OnlineAt, Closed: s.Closed, Codecs: s.Codecs, CORS: s.CORS}
}

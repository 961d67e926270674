package comment

import (
	"slices"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social/speech"
	"miramundo.dev/shared/store"
)

// Rules of repetitions by one owner. The last keptTexts comments are compared, twice as
// many as an owner can post in an hour.
const (
	keptTexts     = 2 * PerHour
	longWindow    = 24 * time.Hour
	shortChannels = 5 // on which an owner can post one short text within an hour
)

// A Pace is what an owner posted lately.
type Pace struct {
	Made      []store.Time `json:"made"`            // of the last hour, oldest first; removed comments count too
	Texts     []saying     `json:"texts,omitempty"` // of the last 24 hours, oldest first and at most keptTexts
	ChangedAt store.Time   `json:"changed_at"`      // when a comment was posted or removed last
}

// A saying is what is remembered of a comment, to recognize repetitions.
type saying struct {
	Channel string       `json:"channel"`
	Print   speech.Print `json:"print"`
	At      store.Time   `json:"at"`
}

// PacePath returns where the pace of an owner is. It is there once the owner has
// commented.
func PacePath(owner identity.Owner) store.Path {
	return store.Path("owners").Join(string(owner), "kept", "comments")
}

// add notes a comment, or returns ErrLimit or ErrRepeated with the seconds after which
// the comment would be accepted.
func (p *Pace) add(s saying) error {
	p.Made = slices.DeleteFunc(p.Made, func(t store.Time) bool { return isOver(t, s.At, time.Hour) })
	if len(p.Made) >= PerHour {
		return limited(ErrLimit, time.Hour-s.At.Sub(p.Made[len(p.Made)-PerHour].Time), time.Hour)
	}
	p.Texts = slices.DeleteFunc(p.Texts, func(t saying) bool { return isOver(t.At, s.At, longWindow) })
	rules := []rule{
		{ErrRepeated, 1, time.Hour, func(t saying) bool { return s.repeats(t) && s.sameChannel(t) }},
		{ErrRepeated, shortChannels, time.Hour, s.repeats},
	}
	if s.Print.Long() {
		rules = []rule{{ErrRepeated, 1, longWindow, s.repeats}}
	}
	if err := check(s, p.Texts, rules...); err != nil {
		return err
	}
	p.Made, p.ChangedAt = append(p.Made, s.At), s.At
	p.Texts = append(p.Texts, s)
	p.Texts = p.Texts[max(0, len(p.Texts)-keptTexts):]
	return nil
}

// A rule refuses a comment with a fault while the earlier comments that it counts, within
// a time, are as many as it allows.
type rule struct {
	fault  *fault.Error
	most   int
	within time.Duration
	counts func(saying) bool
}

// all counts every comment.
func all(saying) bool { return true }

// repeats reports whether one of two comments repeats the other.
func (s saying) repeats(t saying) bool { return s.Print.Repeats(t.Print) }

func (s saying) sameChannel(t saying) bool { return s.Channel == t.Channel }

// check returns the fault of the first rule that refuses a comment, given the comments
// before it, oldest first.
func check(s saying, before []saying, rules ...rule) error {
	for _, r := range rules {
		n := 0
		for _, t := range slices.Backward(before) {
			age := s.At.Sub(t.At.Time)
			if age >= r.within || !r.counts(t) {
				continue
			}
			if n++; n == r.most {
				return limited(r.fault, r.within-age, r.within)
			}
		}
	}
	return nil
}

// limited returns a fault with the seconds to wait, rounded up: at least one, and not
// more than a limit even when the clock was set back.
func limited(err *fault.Error, wait, most time.Duration) error {
	wait = min(max(wait, time.Second), most)
	return err.With("retry_after", int((wait+time.Second-1)/time.Second))
}

// isOver reports whether a comment of a moment does not count any more at now: it was
// made a window ago, or more than a day ahead, by a clock that was wrong. A clock that
// is wrong by less keeps its comments, so that it does not lift the limits.
func isOver(at, now store.Time, window time.Duration) bool {
	age := now.Sub(at.Time)
	return age >= window || age < -24*time.Hour
}

// joined returns the sayings of two owners that become one, oldest first.
func joined(a, b []saying) []saying {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(a, b saying) int { return a.At.Compare(b.At.Time) })
	return all[max(0, len(all)-keptTexts):]
}

package store

import "time"

// A Time is a time as it is stored: UTC, in microseconds, so that equal times
// are equal values in every database and sort as text.
type Time struct{ time.Time }

const timeLayout = "2006-01-02T15:04:05.000000Z"

// At returns t as a Time, truncated to microseconds.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Microsecond)} }

// MarshalText returns t as RFC 3339 of fixed width.
func (t Time) MarshalText() ([]byte, error) {
	return t.UTC().AppendFormat(nil, timeLayout), nil
}

// MarshalJSON returns t as a string of fixed width.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(nil, `"`+timeLayout+`"`), nil
}

// Skew is how far the clocks of two machines may differ. A stored moment that is
// further ahead than it can be was written by a clock that was ahead and was set right
// since. What it bounds must not last until the clock reaches it: Left and Recent
// ignore such a moment.
const Skew = time.Minute

// Left returns how long t is after now, for a moment that is stored at most a time
// ahead. It returns 0 when t has come, or is further ahead.
func (t Time) Left(now time.Time, most time.Duration) time.Duration {
	left := t.Sub(now)
	if left < 0 || left > most+Skew {
		return 0
	}
	return left
}

// Recent reports whether t is less than an age before now, and not ahead of it.
func (t Time) Recent(now time.Time, age time.Duration) bool {
	passed := now.Sub(t.Time)
	return -Skew <= passed && passed < age
}

// Ahead reports whether t is after now, by more than clocks differ.
func (t Time) Ahead(now time.Time) bool { return t.Sub(now) > Skew }

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

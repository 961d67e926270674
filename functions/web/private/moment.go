package private

import (
	"time"

	"miramundo.dev/shared/account"
)

// A Moment is a point in time as a page shows it.
type Moment struct {
	ISO  string // RFC 3339; empty when there was no such point in time
	Text string
}

// Moment returns t in the time zone of a profile, or in UTC, which the text then says.
func (v *Visit) Moment(p account.Profile, t time.Time) Moment {
	if t.IsZero() {
		return Moment{}
	}
	zone, err := time.LoadLocation(p.TimeZone)
	clock := ", 15:04"
	if err != nil || p.TimeZone == "" {
		zone, clock = time.UTC, ", 15:04 UTC"
	}
	t = t.In(zone)
	return Moment{t.Format(time.RFC3339), v.Locale.Date(t.Format(time.DateOnly)) + t.Format(clock)}
}

// Day returns the date of t in the time zone of a profile.
func (v *Visit) Day(p account.Profile, t time.Time) Moment {
	m := v.Moment(p, t)
	if m.ISO == "" {
		return m
	}
	day := m.ISO[:len(time.DateOnly)]
	return Moment{day, v.Locale.Date(day)}
}

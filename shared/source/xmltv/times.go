package xmltv

import (
	"bytes"
	"time"
)

// zones are the zone names that occur in files, in minutes east of UTC. BST
// is British, as the DTD says; other ambiguous names have their North
// American meaning, or are left out.
var zones = map[string]int{
	"Z": 0, "UTC": 0, "UT": 0, "GMT": 0, "WET": 0,
	"BST": 60, "WEST": 60, "CET": 60, "MET": 60, "MEZ": 60,
	"CEST": 120, "MEST": 120, "MESZ": 120, "EET": 120, "SAST": 120,
	"EEST": 180, "MSK": 180,
	"AWST": 480, "JST": 540, "KST": 540, "ACST": 570, "AEST": 600, "ACDT": 630, "AEDT": 660, "NZST": 720, "NZDT": 780,
	"BRT": -180, "BRST": -120, "ART": -180, "CLT": -240, "CLST": -180,
	"NST": -210, "NDT": -150, "AST": -240, "ADT": -180, "EST": -300, "EDT": -240, "CST": -360, "CDT": -300,
	"MST": -420, "MDT": -360, "PST": -480, "PDT": -420, "AKST": -540, "AKDT": -480, "HST": -600,
}

// maxOffset is the greatest distance of a zone from UTC, in minutes.
const maxOffset = 14 * 60

// A clock parses times. When a time has no zone and clocks were put back, it
// means two instants: the clock takes the first that is not before the end of
// the channel's previous programme in the file.
type clock struct {
	zone    *time.Location // nil is UTC
	channel string         // of the last programme
	end     time.Time      // when it ended, or began when that is not known
}

// times returns the start and stop of a programme of channel. ok is false
// when the start is invalid; an invalid stop is zero.
func (c *clock) times(channel string, start, stop []byte) (from, to time.Time, ok bool) {
	if channel != c.channel {
		c.channel, c.end = channel, time.Time{}
	}
	if from, ok = c.instant(start, c.end); !ok {
		return time.Time{}, time.Time{}, false
	}
	to, _ = c.instant(stop, from.Add(time.Second))
	if to.Sub(from) > MaxLength {
		to = time.Time{}
	}
	c.end = from
	if to.After(from) {
		c.end = to
	}
	return from, to, true
}

// instant parses a time: YYYYMMDDhhmmss, whose seconds, minutes and hours may
// be missing, and a zone. Of two instants it takes the first that is not
// before least, or else the first.
func (c *clock) instant(text []byte, least time.Time) (time.Time, bool) {
	text = bytes.TrimSpace(text)
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	wall, ok := date(text[:n])
	if !ok {
		return time.Time{}, false
	}
	zone := bytes.TrimSpace(text[n:])
	if len(zone) == 0 {
		return c.local(wall, least), true
	}
	minutes, ok := offset(zone)
	return wall.Add(-time.Duration(minutes) * time.Minute), ok
}

// date parses digits as a time in UTC. A day may end at 24:00.
func date(digits []byte) (time.Time, bool) {
	if n := len(digits); n < 8 || n > 14 || n%2 != 0 {
		return time.Time{}, false
	}
	var parts [7]int // of the century, year, month, day, hour, minute, second
	for i := 0; i < len(digits); i += 2 {
		parts[i/2] = int(digits[i]-'0')*10 + int(digits[i+1]-'0')
	}
	year, month, day := parts[0]*100+parts[1], time.Month(parts[2]), parts[3]
	hour, minute, second := parts[4], parts[5], parts[6]
	midnight := hour == 24 && minute == 0 && second == 0
	if hour > 23 && !midnight || minute > 59 || second > 59 || year < 1900 || day < 1 {
		return time.Time{}, false
	}
	t := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if t.Month() != month || t.Day() != day {
		return time.Time{}, false
	}
	return t.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second), true
}

// offset parses a zone, in minutes east of UTC: +hhmm, +hh:mm, +hh, or a
// name.
func offset(zone []byte) (int, bool) {
	if zone[0] != '+' && zone[0] != '-' {
		minutes, ok := zones[string(bytes.ToUpper(zone))]
		return minutes, ok
	}
	digits := zone[1:]
	if len(digits) == 5 && digits[2] == ':' {
		digits = append(append(make([]byte, 0, 4), digits[:2]...), digits[3:]...)
	}
	if len(digits) == 2 {
		digits = append(digits[:2:2], "00"...)
	}
	if len(digits) != 4 {
		return 0, false
	}
	minutes := 0
	for i, unit := range []int{600, 60, 10, 1} {
		d := int(digits[i]) - '0'
		if d < 0 || d > 9 {
			return 0, false
		}
		minutes += d * unit
	}
	if zone[0] == '-' {
		minutes = -minutes
	}
	return minutes, digits[2] < '6' && -maxOffset <= minutes && minutes <= maxOffset
}

// local returns the instant at which clocks of the zone show wall. A time
// that they skip is counted from before the skip.
func (c *clock) local(wall, least time.Time) time.Time {
	if c.zone == nil || c.zone == time.UTC {
		return wall
	}
	before, first := c.shows(wall, -24*time.Hour)
	after, second := c.shows(wall, 24*time.Hour)
	switch {
	case second && !first, first && second && before.Before(least) && !after.Before(least):
		return after
	}
	return before
}

// shows returns the instant at which clocks show wall when they have the
// offset that they have at a distance from then, and whether they do.
func (c *clock) shows(wall time.Time, away time.Duration) (time.Time, bool) {
	_, seconds := wall.Add(away).In(c.zone).Zone()
	t := wall.Add(-time.Duration(seconds) * time.Second)
	_, then := t.In(c.zone).Zone()
	return t, then == seconds
}

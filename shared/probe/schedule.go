package probe

import (
	"time"

	"miramundo.dev/shared/catalog"
)

// When a stream is measured again:
//
//	never measured                      at once, ahead of all others
//	inconclusive, n times in a row      after 1 h, 2 h, 4 h ... at most 20 h
//	online or blocked                   every 20 h
//	  of a channel that is played       every 10 h; 10 plays 6 h; 100 plays 3 h
//	failing, the first three times      after 1 h, 3 h, 8 h, which confirm it
//	failing after that                  as if online
//	failing for 14 days                 every 3 days
//	failing for 60 days                 every 7 days
//
// Each stream has a fixed slot within an interval, by its id: the interval is
// divided among the shards, and each shard's part among its streams. So the load
// is even whenever the streams were first measured, and streams that come due
// together are stored in the same shard, in one write. A stream that was just
// measured skips its slot when that is too near, so that it waits at most 1.15
// intervals: 23 h for those of 20 h, and therefore never more than a day.
const (
	daily   = 20 * time.Hour
	leisure = 15 // hundredths of an interval that pass at least between measurements
)

// confirmations are the pauses after the first failures: enough to tell an
// outage from a stream that is gone, on the day it fails.
var confirmations = []time.Duration{time.Hour, 3 * time.Hour, 8 * time.Hour}

// fadings are the intervals of streams that have failed for long, the longest
// first. They save requests to origins that are probably gone.
var fadings = []struct{ failing, every time.Duration }{
	{60 * 24 * time.Hour, 7 * 24 * time.Hour},
	{14 * 24 * time.Hour, 3 * 24 * time.Hour},
}

// audiences are the intervals of streams that are played, most played first.
var audiences = []struct {
	plays int64
	every time.Duration
}{{100, 3 * time.Hour}, {10, 6 * time.Hour}, {1, 10 * time.Hour}, {0, daily}}

// Audience returns the class of streams by how often they are played: 0 for the
// most played.
func Audience(plays int64) int {
	for i, a := range audiences {
		if plays >= a.plays {
			return i
		}
	}
	return len(audiences) - 1
}

// Due returns when a stream in this state is to be measured again, and the
// interval that it waits: an hour late matters more to a short interval. The
// time is zero for a stream never measured. Plays are the recent plays of its
// channel.
func (s *State) Due(id catalog.StreamID, plays int64) (at time.Time, every time.Duration) {
	switch {
	case s.Missed > 0:
		every = min(time.Hour<<min(s.Missed-1, 10), daily)
		return s.MissedAt.Add(every), every
	case s.At.IsZero():
		return time.Time{}, daily
	case s.failing() && s.Failures <= len(confirmations):
		every = confirmations[s.Failures-1]
		return s.At.Add(every), every
	}
	every = s.interval(plays)
	return slotAfter(s.At.Add(every*leisure/100), every, id), every
}

// interval returns the interval between measurements of a stream whose last
// finding is confirmed.
func (s *State) interval(plays int64) time.Duration {
	if s.failing() {
		for _, f := range fadings {
			if s.At.Sub(s.FailingSince) >= f.failing {
				return f.every
			}
		}
	}
	return audiences[Audience(plays)].every
}

// slotAfter returns the first slot of a stream after t, for streams that are
// measured once in an interval. Intervals begin at the Unix epoch.
func slotAfter(t time.Time, every time.Duration, id catalog.StreamID) time.Time {
	at := time.Duration(Slot(id) * float64(every))
	since := time.Duration(t.UnixNano()) - at
	return time.Unix(0, int64((since/every+1)*every+at)).UTC()
}

// Slot returns the position of a stream within an interval, from 0 up to 1. The
// streams of one shard are next to each other.
func Slot(id catalog.StreamID) float64 { return float64(mix(uint64(id))>>11) / (1 << 53) }

// mix returns x with its bits mixed, so that similar ids lie far apart. It is
// the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

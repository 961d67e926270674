// Package social counts what people do with the channels of the catalog.
//
// Each thing that people do is a fact of package fact: a [Play], a [Latency], a
// [Report], a [Favorite] or a [Comment]. [Book] lists them, and counts them in
// the document of their channel. An [Overlay] shows the counts of all channels
// from memory.
//
//	counts/{channel}              a Counted
//	overlays/social/shards/{n}    the counts of some channels, as overlays show them
package social

import (
	"strings"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
)

// The topics of facts. Each has one subscription, of the same name.
const (
	Plays     = "plays"        // of Play
	Latencies = "latencies"    // of Latency
	Reports   = "play-reports" // of Report
	Favorites = "favorites"    // of Favorite
	Comments  = "comments"     // of Comment
)

// Unknown is the country of callers whose country the edge did not name.
const Unknown = "ZZ"

// Country returns the country that an edge names as facts have it: ISO 3166-1
// alpha-2 in upper case, or Unknown.
func Country(s string) string {
	if isCountry(s) {
		if s == "XX" { // the edge does not know the country
			return Unknown
		}
		return s
	}
	if up := strings.ToUpper(s); len(s) == 2 && isCountry(up) {
		return Country(up)
	}
	return Unknown
}

func isCountry(s string) bool {
	return len(s) == 2 && 'A' <= s[0] && s[0] <= 'Z' && 'A' <= s[1] && s[1] <= 'Z'
}

// A Play says that a person plays a channel, for the first time on a day. The
// same person, channel and day give the same Key, in every process.
type Play struct {
	Key     string    `json:"key"` // 32 hexadecimal digits that do not identify the person
	Channel string    `json:"channel"`
	Day     string    `json:"day"`     // in UTC, as 2006-01-02
	Country string    `json:"country"` // ISO 3166-1 alpha-2, or Unknown
	At      time.Time `json:"at"`
	Network string    `json:"network,omitempty"` // as NetworkOf returns it; a play without one has no voice
}

// A Latency sums how long the people of a country waited for the first byte of
// a channel's playlist, over some seconds.
type Latency struct {
	Key     string `json:"key"` // of this sum; 1 to 64 letters and digits
	Channel string `json:"channel"`
	Day     string `json:"day"`     // in UTC, as 2006-01-02
	Country string `json:"country"` // ISO 3166-1 alpha-2, or Unknown
	Samples int    `json:"samples"` // at least 1
	SumMS   int64  `json:"sum_ms"`  // of all samples, in milliseconds
	// LastAt is the moment of the last sample.
	LastAt time.Time `json:"last_at"`
}

// Event returns p as an event of Plays, or bus.ErrEvent when a field is not valid.
func (p Play) Event() (bus.Event, error) { return fact.Encode(p) }

// Event returns l as an event of Latencies, or bus.ErrEvent when a field is not
// valid.
func (l Latency) Event() (bus.Event, error) { return fact.Encode(l) }

// PlayOf returns the play of an event, or bus.ErrEvent.
func PlayOf(e bus.Event) (Play, error) { return fact.Decode[Play](e) }

// LatencyOf returns the latency of an event, or bus.ErrEvent.
func LatencyOf(e bus.Event) (Latency, error) { return fact.Decode[Latency](e) }

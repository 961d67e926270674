// Package social knows what people do with the catalog: the events that tell
// of it, and how they are written.
//
// Who publishes an event does not know who counts. Events come at least once
// and in no order, so each has a Key: whoever counts, counts a key once.
package social

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"miramundo.dev/shared/bus"
)

// The topics of events. Each has one subscription, of the same name, which the
// function aggregate takes.
const (
	Plays     = "plays"     // of Play
	Latencies = "latencies" // of Latency
)

// Topology returns the topics of what people do, with their subscriptions.
func Topology() bus.Topology {
	return bus.Topology{Plays: {Plays}, Latencies: {Latencies}, Reports: {Reports}, Favorites: {Favorites}, Comments: {Comments}}
}

// Unknown is the country of those whose country the edge did not tell.
const Unknown = "ZZ"

// Country returns an edge's word for a country as events carry it: ISO 3166-1
// alpha-2 in upper case, or Unknown.
func Country(s string) string {
	if isCountry(s) {
		if s == "XX" { // what edges say when they do not know
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
// same person, channel and day give the same Key, whichever process publishes
// it and how often.
type Play struct {
	Key     string    `json:"key"` // 32 hexadecimal digits; tells nothing of the person
	Channel string    `json:"channel"`
	Day     string    `json:"day"`     // in UTC, as 2006-01-02
	Country string    `json:"country"` // ISO 3166-1 alpha-2, or Unknown
	At      time.Time `json:"at"`
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

// Event returns p to be published to Plays, or bus.ErrEvent when p has not the
// form that its fields say.
func (p Play) Event() (bus.Event, error) { return encode(p) }

// Event returns l to be published to Latencies, or bus.ErrEvent when l has not
// the form that its fields say.
func (l Latency) Event() (bus.Event, error) { return encode(l) }

// PlayOf returns the play that e tells of, or bus.ErrEvent.
func PlayOf(e bus.Event) (Play, error) { return decode[Play](e) }

// LatencyOf returns the latency that e tells of, or bus.ErrEvent.
func LatencyOf(e bus.Event) (Latency, error) { return decode[Latency](e) }

// An envelope is an event's data. Its version goes up when a reader of the
// version before would misread it.
type envelope[T any] struct {
	Version int `json:"v"`
	Body    T   `json:"body"`
}

const version = 1

// maxData is greater than any event of this package.
const maxData = 2048

func encode[T interface{ check() error }](body T) (bus.Event, error) {
	if err := body.check(); err != nil {
		return bus.Event{}, bus.ErrEvent.Because(err)
	}
	data, err := json.Marshal(envelope[T]{version, body})
	if err != nil {
		return bus.Event{}, bus.ErrEvent.Because(err)
	}
	return bus.Event{Data: data}, nil
}

func decode[T interface{ check() error }](e bus.Event) (body T, err error) {
	if len(e.Data) > maxData {
		return body, bus.ErrEvent.Because(fmt.Errorf("%d bytes", len(e.Data)))
	}
	var in envelope[T]
	if err := json.Unmarshal(e.Data, &in); err != nil {
		return body, bus.ErrEvent.Because(err)
	}
	if in.Version != version {
		return body, bus.ErrEvent.Because(fmt.Errorf("version %d", in.Version))
	}
	if err := in.Body.check(); err != nil {
		return body, bus.ErrEvent.Because(err)
	}
	return in.Body, nil
}

// Package probe stores how well streams work: it defines the result of a
// measurement, folds the results of a stream into a state (state.go, score.go),
// and computes when the stream is due again (schedule.go). Package measure takes
// the measurements, package round is the job that runs them.
//
// It keeps two overlays, in shards by stream:
//
//	overlays/probe          a Shown of each stream: what readers see
//	overlays/probe-state    a State of each stream: what only the job reads
package probe

import (
	"context"
	"time"

	"miramundo.dev/shared/catalog"
)

// A Status is the finding of a measurement, as the interface writes it.
type Status string

// The findings of measurements.
const (
	Online  Status = "online"  // a player would play it
	Offline Status = "offline" // the host or file does not exist, or nothing listens
	Blocked Status = "blocked" // the origin refuses: 401, 403, 429, 451, or a page about a region
	Timeout Status = "timeout" // the origin does not answer in time
	Error   Status = "error"   // the answer is not playable
	Unknown Status = "unknown" // the stream could not be tried
)

// A Target is a stream to be measured.
type Target struct {
	ID         catalog.StreamID
	URL        string
	Kind       string // of the interface; only HLS, DASH, TS, FLV and audio can be measured
	Referrer   string // header that the origin requires; empty when it requires none
	UserAgent  string // likewise
	Popularity int64  // recent plays of its channel
}

// A Result is the result of one measurement.
type Result struct {
	At      time.Time // when it ended
	Status  Status
	Reason  string        // why it is not online: a word of package measure's list, for the operator; empty when online
	Latency time.Duration // to the first byte of the first good answer; 0 when there was none
	Height  int           // of the best picture, in lines; 0 when unknown or without pictures
	Bitrate int           // of the best variant, in bits per second; 0 when unknown
	Codecs  string        // as RFC 6381 lists them; empty when unknown
	CORS    bool          // pages of other sites may read playlist and media
	Closed  bool          // media opened with the stream's headers and not without
	Kind    string        // of its content, when that is another than the target's; empty otherwise

	// Answered is set when some origin sent any response, be it a refusal or a
	// 404. When hardly any stream is answered, our own network has failed.
	Answered bool

	Requests int   // sent
	Bytes    int64 // read of bodies
}

// A Measurer measures a stream, within its own bounds of time and bytes. A
// failure is a Result, not an error. When ctx ends during a measurement, the
// result is Unknown and must not be stored. Measure may be called concurrently.
type Measurer interface {
	Measure(ctx context.Context, t Target) Result
}

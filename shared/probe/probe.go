// Package probe knows how well streams work: what a measurement finds, what
// many of them come to, and when each stream is to be measured again.
//
// It keeps two overlays of shards by stream:
//
//	overlays/probe          a Shown of each stream: what readers see
//	overlays/probe-state    a State of each stream: what only the job reads
package probe

import (
	"context"
	"time"

	"miramundo.dev/shared/catalog"
)

// A Status is what a measurement found, as the interface writes it.
type Status string

// What a measurement finds.
const (
	Online  Status = "online"  // a player would play it
	Offline Status = "offline" // it is not there: no such host or file, or nothing behind it
	Blocked Status = "blocked" // the origin answers, and refuses: 401, 403, 451, or a word of a place
	Timeout Status = "timeout" // the origin does not answer in time
	Error   Status = "error"   // the origin answers with what no player plays
	Unknown Status = "unknown" // it could not be tried
)

// A Target is a stream to be measured.
type Target struct {
	ID         catalog.StreamID
	URL        string
	Kind       string // of the interface; only HLS, DASH, TS, FLV and audio can be measured
	Referrer   string // headers that the stream needs; empty for none
	UserAgent  string
	Popularity int64 // plays lately
}

// A Result is what one measurement found.
type Result struct {
	At      time.Time // when it ended
	Status  Status
	Reason  string        // why it is not online: one word of the package's list, for the operator; empty when online
	Latency time.Duration // to the first byte of the first good answer; 0 when there was none
	Height  int           // of the best picture, in lines; 0 when not known or none
	Bitrate int           // of what a player would play at best, in bits per second; 0 when not known
	Codecs  string        // as RFC 6381 lists them; empty when not known
	CORS    bool          // pages of others may read playlist and media
	Closed  bool          // media opened with the stream's headers and not without

	// Answered says that some origin was reached and said anything at all, be
	// it a refusal or a 404. When nobody answers, it is the own network that fails.
	Answered bool

	Requests int   // that it took
	Bytes    int64 // of bodies that it read
}

// A Measurer measures a stream, within its own bounds of time and bytes. What
// fails is a Result, not an error; when ctx ends it is one with Unknown, which
// says nothing and is not to be kept.
type Measurer interface {
	Measure(ctx context.Context, t Target) Result
}

// Package measure checks whether a stream plays, as a player would.
//
// It sends the requests that a player sends, in the same order, and stops as
// soon as a player would have a picture. One measurement is bounded in time,
// requests and bytes.
package measure

import (
	"cmp"
	"context"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe"
)

// A measurement goes from the stream's address down to media: a playlist leads
// to a variant, the variant to a segment, the segment to a key and an
// initialization. Package content recognizes each response, package manifest
// parses each text, package media the first bytes of media. An error ends the measurement and becomes its verdict
// (reason.go), unless there is another variant or segment to try.

// Bounds of one measurement.
const (
	maxTime     = 45 * time.Second // in all, with waiting for a live playlist to change
	maxQueue    = 3 * maxTime      // in addition, for seats at hosts; enough for three other measurements there
	maxRequests = 12               // a redirect is part of its request
	maxBytes    = 2 << 20          // of bodies, decompressed

	maxList    = 1 << 20   // bytes of a playlist or an MPD
	maxInit    = 256 << 10 // bytes of an initialisation
	maxSegment = 256 << 10 // bytes of a segment with a Content-Length
	maxUnsaid  = 768 << 10 // bytes of a segment without one
	maxMedia   = 1 << 20   // bytes of endless media
	maxKey     = 64        // bytes of a key; a valid one has 16

	maxAdvance = 12 * time.Second // between two reads of a live playlist
	looks      = 2                // reads after the first, within which a live playlist must change
)

// Options are the settings of a Measurer. Origin is required.
type Options struct {
	// Origin makes the requests. Its Shoutcast should be set, for old radio
	// servers, and its PerHost should be the number of requests that one host
	// may see at a time.
	Origin *origin.Client

	// Page is the origin (scheme and host) of the page that would play the
	// stream; empty is "https://miramundo.dev". It is sent with each request,
	// as browsers do.
	Page string

	UserAgent string        // for streams without their own; empty is the client's
	Patience  time.Duration // for one response with its body; 0 is 15 s

	Now  func() time.Time                           // nil is time.Now
	Wait func(ctx context.Context, d time.Duration) // waits for d or until ctx is done; nil uses a timer
}

// A Measurer measures streams by asking their origins. Its methods may be
// called concurrently.
type Measurer struct{ opts Options }

var _ probe.Measurer = (*Measurer)(nil)

// New returns a measurer.
func New(opts Options) *Measurer {
	opts.Page = cmp.Or(opts.Page, "https://miramundo.dev")
	opts.Patience = cmp.Or(opts.Patience, 15*time.Second)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Wait == nil {
		opts.Wait = wait
	}
	return &Measurer{opts}
}

// wait waits for d, or until ctx is done.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Measure measures a stream, as [probe.Measurer] specifies. What the origin
// sends decides, not the kind in the catalog: a stream of a measurable kind
// may turn out to be of any other.
func (m *Measurer) Measure(ctx context.Context, t probe.Target) probe.Result {
	r := &run{opts: m.opts, ctx: ctx, end: time.Now().Add(maxTime), target: t}
	err := error(unknown)
	if measurable(t.Kind) {
		err = r.open(t.URL, 0)
	}
	r.result.Status = probe.Online
	if err != nil {
		v := verdictOf(ctx, err)
		r.result.Status, r.result.Reason = v.status, v.reason
	}
	if err == nil && r.kind != t.Kind {
		r.result.Kind = r.kind
	}
	r.result.CORS = err == nil && !r.unshared
	r.result.Bitrate = cmp.Or(r.played, r.claimed)
	r.result.At = m.opts.Now()
	return r.result
}

// measurable reports whether streams of a kind are fetched over HTTP.
func measurable(kind string) bool {
	switch kind {
	case catalog.StreamHLS, catalog.StreamDASH, catalog.StreamTS, catalog.StreamFLV, catalog.StreamAudio:
		return true
	}
	return false
}

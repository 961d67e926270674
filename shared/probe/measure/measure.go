// Package measure knows what a player would find at the address of a stream:
// it asks for what a player asks for, in the same order, and stops as soon as
// a player would have a picture.
package measure

import (
	"cmp"
	"context"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe"
)

// Bounds of one measurement.
const (
	maxTime     = 45 * time.Second // in all, the waiting for a live playlist to go on included
	maxQueue    = 3 * maxTime      // besides, for places at hosts: while three others are measured there
	maxRequests = 12               // redirects are part of their request
	maxBytes    = 2 << 20          // of bodies, unpacked

	maxList    = 1 << 20   // bytes of a playlist or an MPD
	maxInit    = 256 << 10 // bytes of an initialisation
	maxSegment = 256 << 10 // bytes of a segment whose length its answer says
	maxUnsaid  = 768 << 10 // bytes of a segment otherwise
	maxMedia   = 1 << 20   // bytes of media that do not end
	maxKey     = 64        // bytes of a key; a right one has 16

	maxAdvance = 12 * time.Second // between two looks at a live playlist
	looks      = 2                // after the first, in which a live playlist has to go on
)

// Options are the settings of a Measurer. Origin is required.
type Options struct {
	// Origin makes the requests. For what this package knows of old radio
	// servers its Shoutcast is to be set, and its PerHost to the number of
	// requests that one host may see at a time.
	Origin *origin.Client

	// Page is the origin of the pages that would play the stream, such as
	// "https://miramundo.dev", which is also the zero's. It is sent with each
	// request, as a browser does.
	Page string

	UserAgent string        // of streams that need none of their own; the zero is the client's
	Patience  time.Duration // for one answer with its body; the zero is 15 s

	Now  func() time.Time                           // the zero is time.Now
	Wait func(ctx context.Context, d time.Duration) // waits, or less when ctx ends; the zero does so by the clock
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

// wait waits for d, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Measure measures a stream, as [probe.Measurer] promises. What the origin
// sends decides, not the kind that the catalog has: a stream of a kind that
// can be measured may turn out to be of any other.
func (m *Measurer) Measure(ctx context.Context, t probe.Target) probe.Result {
	r := &run{opts: m.opts, ctx: ctx, end: time.Now().Add(maxTime), target: t}
	err := error(unknown)
	if measurable(t.Kind) {
		err = r.open(t.URL, 0)
	}
	r.result.Status = probe.Online
	if err != nil {
		v := judge(ctx, err)
		r.result.Status, r.result.Reason = v.status, v.reason
	}
	r.result.CORS = err == nil && !r.unshared
	r.result.Bitrate = cmp.Or(r.played, r.claimed)
	r.result.At = m.opts.Now()
	return r.result
}

// measurable reports whether streams of a kind are asked for by HTTP.
func measurable(kind string) bool {
	switch kind {
	case catalog.StreamHLS, catalog.StreamDASH, catalog.StreamTS, catalog.StreamFLV, catalog.StreamAudio:
		return true
	}
	return false
}

package upstream

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"miramundo.dev/hop/upstream/share"
	"miramundo.dev/shared/origin"
)

// This file divides the load that a hop puts on itself and on origins among
// those that cause it (package share). A fetch has a place from when it is
// sent until its body is read. A body of more than smallBody bytes needs a
// place of its own, so that bodies that origins send slowly do not fill the
// memory; it keeps that until it is rewritten.

// MaxFetches is how many requests to origins a cache makes at a time. The
// client of the cache must allow as many.
const MaxFetches = 512 + 256

// smallBody is the size in bytes up to which a body needs no place. Nearly all
// live playlists are smaller.
const smallBody = 32 << 10

// A stream may fetch six playlists at a time: an audio and a few variants. It
// does not fill a host, which others may use.
var (
	fetchPlaces = share.Limits{Total: 512, Client: 64, Stream: 6, Host: 16, Waiting: 1024, ClientWaiting: 256}
	heldPlaces  = share.Limits{Total: 256, Client: 64, Stream: 24, Host: 64, Waiting: 512, ClientWaiting: 128}
	bodyPlaces  = share.Limits{Total: 128, Client: 32, Stream: 6, Host: 128, Waiting: 512, ClientWaiting: 64}
)

// A demand joins the clients that want one fetch, so that the fetch is charged
// to the one with the fewest places. Its methods may be called concurrently.
type demand struct {
	place  atomic.Pointer[share.Place]  // of the fetch; nil while it has not been given one
	latest atomic.Pointer[netip.Prefix] // the client that joined last, perhaps before there was a place
}

// join adds a client that waits for the fetch.
func (d *demand) join(client netip.Prefix) {
	d.latest.Store(&client)
	if p := d.place.Load(); p != nil {
		p.Share(client)
	}
}

// hurry adds a client that does not wait, when the fetch has not begun.
func (d *demand) hurry(client netip.Prefix) {
	if p := d.place.Load(); p != nil && p.Waiting() {
		p.Share(client)
	}
}

// begin sets the place of the fetch, or removes it when p is nil.
func (d *demand) begin(p *share.Place) {
	d.place.Store(p)
	if client := d.latest.Load(); p != nil && client != nil {
		p.Share(*client)
	}
}

// claim returns a place for the fetcher in a pool.
func (e *fetcher) claim(pool *share.Pool, host string) *share.Place {
	return pool.Claim(share.Claim{Client: e.client, Stream: e.rendering.key.stream, Host: host, Ahead: e.ahead}, e.cutOff)
}

// errCutOff is the cause of a fetch that ended because others needed its place.
var errCutOff = errors.New("the fetch was cut off, because its client has the most in progress")

// inTurn calls fetch once the fetcher has a place for a host, with the time that
// is left of timeout.
func (e *fetcher) inTurn(ctx context.Context, host string, timeout time.Duration, fetch func(ctx context.Context, left time.Duration) error) error {
	ctx, e.cutOff = context.WithCancel(ctx)
	defer e.cutOff()
	pool := e.fetches
	if e.target.directives.Block {
		pool = e.held
	}
	place := e.claim(pool, host)
	defer place.Leave(share.Unknown) // does nothing unless fetch panics
	for _, d := range []*demand{&e.rendering.wanted, &e.source.wanted} {
		d.begin(place)
		defer d.begin(nil)
	}
	began := time.Now()
	if err := wait(ctx, place, timeout); err != nil {
		return err
	}
	err := fetch(ctx, timeout-time.Since(began))
	if place.Leave(e.outcome(err)) && err != nil {
		return origin.ErrBusy.Because(errCutOff)
	}
	return err
}

// wait waits for a place, and leaves it when that takes too long.
func wait(ctx context.Context, place *share.Place, timeout time.Duration) error {
	if place.Waiting() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	if err := place.Wait(ctx); err != nil {
		place.Leave(share.Unknown)
		return origin.ErrBusy.Because(err)
	}
	return nil
}

// outcome returns what the error of a fetch says about the host. A host may
// hold requests for a part that is not published yet.
func (e *fetcher) outcome(err error) share.Outcome {
	late := errors.Is(err, origin.ErrTimeout) || errors.Is(err, context.Canceled)
	switch {
	case late && e.target.directives.Block, errors.Is(err, origin.ErrUnreachable), errors.Is(err, origin.ErrBusy), errors.Is(err, origin.ErrRefused):
		return share.Unknown
	case late:
		return share.Hung
	}
	return share.Answered
}

// hostname returns the host of an address without its port, as hosts are
// counted.
func hostname(address string) string {
	host := strings.ToLower(hostOf(address))
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	return strings.TrimSuffix(host, ".")
}

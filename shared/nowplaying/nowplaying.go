// Package nowplaying reads what radio stations play now.
//
// Many stations put the title into their audio: a server that is asked for it by the
// header Icy-MetaData sends a block of metadata after each so many bytes. A Reader reads
// as far as the first block, a few kilobytes, and drops them. No audio is relayed.
package nowplaying

import (
	"context"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"miramundo.dev/shared/origin"
)

const (
	fresh   = 15 * time.Second // a title is read at most this often, however many listen
	rest    = time.Minute      // after a failure, or where a station tells nothing
	timeout = 5 * time.Second  // of a request with the bytes before the block
	most    = 4096             // stations that are remembered, about 300 bytes each
)

// MaxInFlight is how many stations a client for a Reader should read at a time.
const MaxInFlight = 16

// A Playing is what a station plays.
type Playing struct {
	Title string    // empty when not known
	At    time.Time // when it was read
}

// A Reader reads titles and remembers them. Its methods may be called concurrently. A nil
// Reader knows no title.
type Reader struct {
	client *origin.Client
	now    func() time.Time
	group  singleflight.Group

	mu    sync.Mutex
	known map[string]entry // by station
}

type entry struct {
	Playing
	until time.Time
}

// New returns a reader that makes its requests by client.
func New(client *origin.Client, now func() time.Time) *Reader {
	return &Reader{client: client, now: now, known: map[string]entry{}}
}

// Read returns what a station plays, whose audio is at an address. It waits for the
// station no longer than ctx allows; other callers for the same station wait for the same
// request. A station that cannot be read, or tells nothing, has an empty title.
func (r *Reader) Read(ctx context.Context, station, address string) Playing {
	if r == nil {
		return Playing{}
	}
	if e, ok := r.remembered(station); ok {
		return e.Playing
	}
	done := r.group.DoChan(station, func() (any, error) {
		if e, ok := r.remembered(station); ok {
			return e.Playing, nil
		}
		// The request is for all that wait, and goes on when the first of them leaves.
		title := r.fetch(context.WithoutCancel(ctx), address)
		return r.remember(station, title), nil
	})
	select {
	case result := <-done:
		return result.Val.(Playing)
	case <-ctx.Done():
		return Playing{}
	}
}

// fetch returns the title that a stream names first; empty when there is none.
func (r *Reader) fetch(ctx context.Context, address string) string {
	res, err := r.client.Open(ctx, origin.Request{
		URL: address, Header: http.Header{"Icy-Metadata": {"1"}}, First: maxRead, Timeout: timeout,
	})
	if err != nil {
		return "" // the player tells of a station that does not answer
	}
	defer res.Body.Close()
	n, ok := interval(res.Header.Get("Icy-Metaint"))
	if !ok {
		return ""
	}
	data, err := block(res.Body, n)
	if err != nil {
		return ""
	}
	return titleOf(data)
}

func (r *Reader) remembered(station string) (entry, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.known[station]
	return e, ok && r.now().Before(e.until)
}

// remember keeps a title until it is to be read again.
func (r *Reader) remember(station, title string) Playing {
	now := r.now()
	e := entry{Playing{title, now}, now.Add(fresh)}
	if title == "" {
		e.until = now.Add(rest)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= most {
		r.forget(now)
	}
	r.known[station] = e
	return e.Playing
}

// forget makes room for a station: those whose time is over go or, when there are none,
// any one.
func (r *Reader) forget(now time.Time) {
	for station, e := range r.known {
		if !now.Before(e.until) {
			delete(r.known, station)
		}
	}
	for station := range r.known {
		if len(r.known) < most {
			return
		}
		delete(r.known, station)
	}
}

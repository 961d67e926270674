package server

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/hop/ticket"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/origin"
)

// A stream is a stream that the catalog shows, with what its answers share.
type stream struct {
	catalog.StreamRecord
	channel string    // its id
	note    slog.Attr // its id, for the log
	listed  string    // its kind in the catalog; Kind is the one that it was measured to be

	location string // the provider's address; empty when callers may not be redirected there
	legacy   string // the isolated player's address; empty when it cannot play the stream

	source, website, action []string // values of headers
}

// A streamCache caches the streams that were requested, and the tickets that were
// opened, for as long as the catalog shows the same view: a reload or a block
// makes a new view, and with it an empty cache. So the cache agrees with the
// catalog at any time.
type streamCache struct {
	own []string // hosts of the service
	now atomic.Pointer[viewCache]
}

// Bounds of the cache of one view. At its bound a part is emptied: the streams that are
// requested every second are back within one.
const (
	maxStreams     = 8192
	maxTickets     = 16384
	maxTicketBytes = 8 << 20
)

// A viewCache is the cache of one view.
type viewCache struct {
	view *index.View

	mu      sync.RWMutex
	streams map[string]*stream         // by the id asked for; guarded by mu
	tickets map[ticketKey]openedTicket // guarded by mu
	bytes   int                        // of the tickets; guarded by mu
}

// A ticketKey identifies a ticket that was opened for a stream.
type ticketKey struct {
	stream *stream
	text   string
}

// An openedTicket is valid until its end.
type openedTicket struct {
	ticket *ticket.Ticket
	until  time.Time
}

// under returns the cache of a view.
func (s *streamCache) under(v *index.View) *viewCache {
	d := s.now.Load()
	if d == nil || d.view != v {
		d = &viewCache{view: v, streams: map[string]*stream{}, tickets: map[ticketKey]openedTicket{}}
		s.now.Store(d)
	}
	return d
}

// find returns the stream with an id, or ErrNoStream.
func (s *streamCache) find(d *viewCache, id string) (*stream, error) {
	d.mu.RLock()
	st := d.streams[id]
	d.mu.RUnlock()
	if st != nil {
		return st, nil
	}
	found, ok := d.view.Stream(id)
	if !ok {
		return nil, catalog.ErrNoStream
	}
	st = s.describe(found)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.streams) >= maxStreams {
		clear(d.streams)
		clear(d.tickets)
		d.bytes = 0
	}
	if other := d.streams[id]; other != nil {
		return other, nil // another request found it meanwhile: tickets are kept under one stream
	}
	d.streams[strings.Clone(id)] = st
	return st, nil
}

// describe returns the stream of a record of the catalog, with what its answers
// share.
func (s *streamCache) describe(f *index.Found) *stream {
	st := &stream{StreamRecord: f.Stream, channel: f.Channel.ID, listed: f.Listed, note: slog.String("stream", f.Stream.ID.String()), legacy: f.Player}
	st.location = s.destination(&f.Stream)
	st.source = []string{visible(f.Stream.URL)}
	st.website = []string{visible(f.Channel.Website)}
	st.action = []string{visible(st.legacy)}
	return st
}

// destination returns where a player that asks for a stream is redirected:
// to the provider by https, or to the page of a live-video platform.
func (s *streamCache) destination(r *catalog.StreamRecord) string {
	switch r.Kind {
	case catalog.StreamHLS, catalog.StreamExternal:
		return ""
	case catalog.StreamYouTube:
		y, _ := catalog.ParseYouTube(r.URL)
		return y.Watch
	}
	return s.secure(r.URL)
}

// secure returns an address to which callers may be redirected, or nothing when
// they may not: it must be of another's host, and of https.
func (s *streamCache) secure(address string) string {
	u, err := origin.Check(address)
	if err != nil || u.Scheme != "https" || s.isOwn(u.Hostname()) {
		return ""
	}
	return visible(origin.ASCII(address))
}

// isOwn reports whether a host belongs to the service, in whatever case and with
// or without a dot at its end.
func (s *streamCache) isOwn(host string) bool {
	return slices.Contains(s.own, strings.TrimSuffix(strings.ToLower(host), "."))
}

// visible returns an address with every byte escaped that a header cannot
// carry as it is. One that is longer than addresses are is left out.
func visible(s string) string {
	if len(s) > origin.MaxURL {
		return ""
	}
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c > ' ' && c < 0x7f {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

// openTicket returns what a ticket for st holds, when it is valid at the time now.
func (d *viewCache) openTicket(by Tickets, st *stream, text string, now time.Time) (*ticket.Ticket, error) {
	key := ticketKey{st, text}
	d.mu.RLock()
	known, ok := d.tickets[key]
	d.mu.RUnlock()
	if ok && now.Before(known.until) {
		return known.ticket, nil
	}
	t, until, err := by.Open(ticket.Binding{Stream: st.ID, Origin: st.URL}, text)
	if err != nil {
		return nil, err
	}
	d.put(ticketKey{st, strings.Clone(text)}, openedTicket{&t, until})
	return &t, nil
}

// put caches an opened ticket.
func (d *viewCache) put(key ticketKey, o openedTicket) {
	d.mu.Lock()
	defer d.mu.Unlock()
	size := len(key.text) + len(o.ticket.URL)
	if len(d.tickets) >= maxTickets || d.bytes+size > maxTicketBytes {
		clear(d.tickets)
		d.bytes = 0
	}
	if _, ok := d.tickets[key]; !ok {
		d.bytes += size
	}
	d.tickets[key] = o
}

package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"miramundo.dev/hop/ticket"
	"miramundo.dev/shared/catalog"
)

// counted opens every ticket, and counts.
type counted struct{ n int }

func (c *counted) Open(_ ticket.Binding, text string) (ticket.Ticket, time.Time, error) {
	c.n++
	return ticket.Ticket{URL: text}, time.Unix(1000, 0), nil
}

// TestStreamCacheBounds checks that the cache stays within its bounds, and holds
// the streams and tickets that were requested.
func TestStreamCacheBounds(t *testing.T) {
	w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/live.m3u8"}}})
	view, _ := w.catalog.View()
	d := w.server.streams.under(view)
	st, err := w.server.streams.find(d, catalog.StreamID(1).String())
	if err != nil {
		t.Fatal(err)
	}
	opener, now := &counted{}, time.Unix(999, 0)
	for i := range 3 * maxTickets {
		text := fmt.Sprintf("%d%s", i, strings.Repeat("x", i%1000))
		for range 2 {
			if got, err := d.openTicket(opener, st, text, now); err != nil || got.URL != text {
				t.Fatalf("%s is opened as %v, %v", text, got, err)
			}
		}
		if len(d.tickets) > maxTickets || d.bytes > maxTicketBytes {
			t.Fatalf("%d tickets with %d bytes are kept", len(d.tickets), d.bytes)
		}
	}
	if opener.n != 3*maxTickets {
		t.Errorf("%d tickets were opened %d times", 3*maxTickets, opener.n)
	}
	if _, err := d.openTicket(opener, st, "0", now.Add(time.Second)); err != nil || opener.n != 3*maxTickets+1 {
		t.Error("a ticket that ended was not opened anew")
	}
	for i := range maxStreams + 10 {
		d.streams[fmt.Sprint(i)] = st
	}
	if _, err := w.server.streams.find(d, catalog.StreamID(1).String()+"x"); err == nil || len(d.streams) == 0 {
		t.Error("an unknown id took a place")
	}
	delete(d.streams, catalog.StreamID(1).String())
	if _, err := w.server.streams.find(d, catalog.StreamID(1).String()); err != nil || len(d.streams) > maxStreams {
		t.Errorf("%d streams are kept, %v", len(d.streams), err)
	}
	w.show([]catalog.StreamRecord{{URL: "/other.m3u8"}})
	if view, _ = w.catalog.View(); w.server.streams.under(view) == d {
		t.Error("a new view has the cache of the one before")
	}
}

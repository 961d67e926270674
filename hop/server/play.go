package server

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/hop/ticket"
	"miramundo.dev/hop/upstream"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/identity"
)

// play answers a request for a stream, or for a playlist below it.
func (c *call) play(id string) error {
	if upstream.Looped(c.r.Header) {
		return c.tell(playlist.ErrOrigin, errors.New("the request came from a hop"))
	}
	text, below := ticketOf(c.r.URL.RawQuery)
	view, err := c.Catalog.View()
	if err != nil {
		return err
	}
	shown := c.shelf.under(view)
	st, err := c.shelf.find(shown, id)
	if err != nil {
		return err
	}
	c.stream = st
	st.describe(c.w.Header())
	if st.Kind != catalog.StreamHLS {
		return c.redirect(below)
	}
	req := upstream.Request{Stream: st.ID, Origin: st.URL, Referrer: st.Referrer, UserAgent: st.UserAgent}
	if below {
		if req.Ticket, err = shown.open(c.Tickets, st, text, c.start); err != nil {
			return err
		}
	}
	if req.Directives, err = upstream.ParseDirectives(c.r.URL.RawQuery); err != nil {
		return err
	}
	return c.relay(req)
}

// relay answers with a playlist of the origin.
func (c *call) relay(req upstream.Request) error {
	p, err := c.Playlists.Get(c.r.Context(), req)
	if err != nil {
		return c.judge(err)
	}
	reads := c.r.Method == http.MethodGet
	counts := reads && req.Ticket == nil && !isRefresh(c.r.URL.RawQuery) && c.Audience != nil
	limited := c.Allowance != nil && p.Info.Media && !p.Info.End && !p.Info.VOD
	meters := reads && limited
	var who identity.Caller
	if counts || meters {
		who = c.caller()
	}
	if meters {
		if err := c.Allowance.Watch(who); err != nil {
			return err
		}
	}
	if counts {
		c.Audience.Play(who, c.stream.channel)
		c.Audience.Latency(c.stream.channel, who.Country, c.Now().Sub(c.start))
	}
	c.send(p, !limited)
	return nil
}

// redirect answers for a stream that is no playlist: its provider serves it.
// There are no playlists below one, and no ticket is right.
func (c *call) redirect(below bool) error {
	st := c.stream
	switch {
	case below:
		return ticket.ErrTicket
	case st.location != "":
		if c.r.Method == http.MethodGet && c.Audience != nil {
			c.Audience.Play(c.caller(), st.channel)
		}
		c.lead(st.location)
		return nil
	}
	f := c.tell(playlist.ErrOrigin, errors.New("nobody may be led to the provider of a stream of kind "+st.Kind))
	if st.legacy != "" {
		f = f.With("legacy_url", st.legacy)
	}
	return f
}

// isRefresh reports whether a player that plays already asks for what is new:
// only such a one sends delivery directives. Players that reload without any
// ask as they did at first; they count once a day all the same.
func isRefresh(query string) bool { return strings.Contains(query, "_HLS_") }

// ticketOf returns the ticket in a raw query, and whether there is one. What
// cannot be read is a ticket that is not valid.
func ticketOf(query string) (text string, ok bool) {
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name != "p" {
			continue
		}
		if strings.ContainsAny(value, "%+") {
			value, _ = url.QueryUnescape(value)
		}
		return value, true
	}
	return "", false
}

// caller returns who sends the request, as far as it tells.
func (c *call) caller() identity.Caller {
	h := c.r.Header
	return identity.Caller{
		Addr:      identity.AddrOf(c.r.RemoteAddr, told(h, c.AddressHeader)),
		UserAgent: h.Get("User-Agent"),
		Guest:     c.guest(),
		Country:   request.Country(told(h, c.CountryHeader)),
	}
}

// guest returns the guest who calls; empty when none can be told. Old tokens,
// which only a database knows, are told by network and User-Agent as others.
func (c *call) guest() string {
	h := c.r.Header
	token := identity.GuestToken(h.Get("X-Guest-Token"), h.Get("Authorization"))
	if token == "" || c.Guest == nil {
		return ""
	}
	owner, err := c.Guest(token)
	if err != nil {
		return ""
	}
	return string(owner)
}

// told returns what the edge tells in the header of a name; empty when there
// is no edge. Of several such headers the last one is the edge's: it comes
// after those that a caller sent.
func told(h http.Header, name string) string {
	values := h.Values(name)
	if name == "" || len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

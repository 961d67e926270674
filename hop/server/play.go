package server

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/hop/ticket"
	"miramundo.dev/hop/upstream"
	"miramundo.dev/hop/upstream/lowlatency"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/identity"
)

// A playing is one request for a stream while it is answered.
type playing struct {
	*Server
	*request.Call
	stream *stream    // nil until it is found
	addr   netip.Addr // of the caller
}

// play answers a request for a stream, or for a playlist below it.
func (s *Server) play(c *request.Call) error {
	p := playing{Server: s, Call: c, addr: c.Addr()}
	err := p.answer(strings.TrimSuffix(c.Segment, catalog.PlaylistExt))
	if err != nil && p.stream != nil {
		describeFailure(c.Writer().Header(), err)
	}
	return err
}

func (p *playing) answer(id string) error {
	if upstream.Looped(p.Request.Header) {
		return p.failure(playlist.ErrOrigin, errors.New("the request came from a hop"))
	}
	text, below := ticketOf(p.Request.URL.RawQuery)
	view, err := p.Catalog.View()
	if err != nil {
		return err
	}
	cached := p.streams.under(view)
	st, err := p.streams.find(cached, id)
	if err != nil {
		return err
	}
	p.stream, p.Note = st, &st.note
	st.describe(p.Writer().Header())
	if st.Kind != catalog.StreamHLS && st.listed != catalog.StreamHLS {
		if below {
			return ticket.ErrTicket // such a stream has no playlists below it
		}
		return p.redirect(st.location)
	}
	req := upstream.Request{Stream: st.ID, Origin: st.URL, Referrer: st.Referrer, UserAgent: st.UserAgent, Client: identity.Network(p.addr)}
	if found, ok := p.turned.look(st, p.Start); ok && !below {
		if found.due {
			go p.askAgain(context.WithoutCancel(p.Request.Context()), st, req)
		}
		return p.redirect(found.location)
	}
	if below {
		if req.Ticket, err = cached.openTicket(p.Tickets, st, text, p.Start); err != nil {
			return err
		}
	}
	if req.Directives, err = lowlatency.Parse(p.Request.URL.RawQuery); err != nil {
		return err
	}
	return p.relay(req)
}

// relay answers with a playlist of the origin.
func (p *playing) relay(req upstream.Request) error {
	copied, err := p.Playlists.Get(p.Request.Context(), req)
	if other, ok := errors.AsType[*upstream.Other](err); ok && req.Ticket == nil {
		return p.redirect(p.note(p.stream, other, retryAsk))
	}
	if err != nil {
		return p.judge(err)
	}
	reads := p.Request.Method == http.MethodGet
	counts := reads && req.Ticket == nil && isPlay(p.Request.URL.RawQuery) && p.Audience != nil
	limited := p.Allowance != nil && copied.Info.Media && !copied.Info.End && !copied.Info.VOD
	meters := reads && limited
	var caller identity.Caller
	if counts || meters {
		caller = p.caller()
	}
	if meters {
		if err := p.meter(caller); err != nil {
			return err
		}
	}
	if counts {
		p.Audience.Play(caller, p.stream.channel)
		p.Audience.Latency(p.stream.channel, caller.Country, p.Now().Sub(p.Start))
	}
	p.send(copied, !limited)
	return nil
}

// redirect answers for a stream that has no playlist: its provider serves it, at
// a location that is empty when callers may not be redirected there.
func (p *playing) redirect(location string) error {
	st := p.stream
	if location != "" {
		if p.Request.Method == http.MethodGet && isPlay(p.Request.URL.RawQuery) && p.Audience != nil {
			p.Audience.Play(p.caller(), st.channel)
		}
		p.redirectTo(location)
		return nil
	}
	f := p.failure(playlist.ErrOrigin, errors.New("callers may not be redirected to the provider of a stream without a playlist"))
	if st.legacy != "" {
		f = f.With("legacy_url", st.legacy)
	}
	return f
}

// isPlay reports whether a request with a raw query begins a play. One with delivery
// directives asks for new segments of what plays already; a player that reloads
// without any repeats its first request, and is still counted once a day. One with
// ahead=1 comes from a page whose visitor may go to the channel next; the page asks
// again, without it, once the channel is shown. Free minutes are counted for it as
// for any request, so that nobody watches by it.
func isPlay(query string) bool {
	if strings.Contains(query, "_HLS_") {
		return false
	}
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "ahead=1" {
			return false
		}
	}
	return true
}

// ticketOf returns the ticket in a raw query, and whether there is one. Callers
// copy the address that the hop wrote, so it is valid in that form alone: a
// query with two tickets, or with a name or a ticket that is percent-encoded,
// returns an empty ticket, which is not valid. Otherwise one playlist would have
// many addresses, each of which caches would fetch anew.
func ticketOf(query string) (text string, ok bool) {
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if !isTicket(name) {
			continue
		}
		if ok || name != "p" {
			return "", true
		}
		text, ok = value, true
	}
	return text, ok
}

// isTicket reports whether a parameter's name, decoded, is that of tickets.
func isTicket(name string) bool {
	if !strings.Contains(name, "%") {
		return name == "p"
	}
	name, err := url.QueryUnescape(name)
	return err == nil && name == "p"
}

// caller returns the caller as far as the request identifies it.
func (p *playing) caller() identity.Caller {
	return identity.Caller{Addr: p.addr, UserAgent: p.UserAgent(), Guest: p.owner(), Country: p.Country()}
}

// owner returns the owner whose credential the request shows; empty when it
// shows none that is valid.
func (p *playing) owner() string {
	shown := p.Credentials()
	if p.Speakers == nil || shown == (identity.Credentials{}) {
		return ""
	}
	speaker, err := p.Speakers.Speaker(p.Request.Context(), shown, identity.Anyone)
	if err != nil {
		return ""
	}
	return string(speaker.Owner)
}

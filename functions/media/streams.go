package media

import (
	"context"
	"net/http"
	"net/url"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
)

// Faults of the former addresses of streams.
var (
	ErrRelayOff = fault.New(fault.Gone, "relay_desligado") // no video passes through the service since 2026-09-05
	ErrTooLong  = fault.New(fault.Invalid, "invalid_request").With("param", "p").With("reason", "too_long").With("bound", maxQuery)
)

// stream is the path of the hop before it had a host of its own. Players still use
// the addresses that they stored then.
var stream = api.Bind((*Server).stream, api.Endpoint{
	Name:    "play_stream",
	Method:  "GET",
	Path:    catalog.StreamsPath + "{id}",
	Auth:    api.None,
	Summary: "Play a stream",
	Doc: "Redirects to the stream hop, which counts one play per person, channel and day. The hop answers with the playlist as " +
		"application/vnd.apple.mpegurl, with 302 to the provider for continuous audio and video and for the video platform, or with " +
		"402, 404, 422, 502 or 503. The url of a stream has the hop's own address and saves this redirect.",
	Faults: []*fault.Error{catalog.ErrNoStream},
	Status: http.StatusFound,
})

// relay is the path that once relayed video through the service.
var relay = api.Bind((*Server).relay, api.Endpoint{
	Name:       "relay_stream",
	Method:     "GET",
	Path:       "/api/m/{ticket}",
	Auth:       api.None,
	Summary:    "Relay a video stream (retired)",
	Doc:        "Always answers 410: the service no longer relays video. Play a stream's url instead.",
	Deprecated: true,
	Faults:     []*fault.Error{ErrRelayOff},
	Status:     http.StatusGone, // and no other
})

// maxQuery is the longest query that is passed on to the hop, in bytes: a ticket of
// 6,000 characters and what players add to it.
const maxQuery = 8192

type streamIn struct {
	ID string `path:"id" maxLength:"400" description:"Stream id, optionally followed by .m3u8."`
}

func (s *Server) stream(_ context.Context, in streamIn) (toHop, error) {
	if in.ID == "." || in.ID == ".." {
		return toHop{}, catalog.ErrNoStream // a URL would lose these segments, however they were escaped
	}
	return toHop{s.hopURL + catalog.StreamsPath + url.PathEscape(in.ID)}, nil
}

// A toHop redirects to an address of the hop, with the query of the request.
type toHop struct{ address string }

// Reply redirects.
func (t toHop) Reply(w http.ResponseWriter, r *http.Request) error {
	switch query := r.URL.RawQuery; {
	case len(query) > maxQuery:
		return ErrTooLong
	case query != "" || r.URL.ForceQuery:
		return api.Redirect(w, t.address+"?"+query, http.StatusFound)
	}
	return api.Redirect(w, t.address, http.StatusFound)
}

type relayIn struct {
	Ticket string `path:"ticket" maxLength:"16384" description:"Ticket of the retired relay; it is not read."`
}

func (s *Server) relay(context.Context, relayIn) (nothing, error) { return nothing{}, ErrRelayOff }

// Nothing is the result that a retired endpoint never has.
type nothing struct{}

// Reply fails as the endpoint does.
func (nothing) Reply(http.ResponseWriter, *http.Request) error { return ErrRelayOff }

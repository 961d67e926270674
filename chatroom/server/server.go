// Package server holds the sockets of the chat rooms.
//
//	GET /api/chat/{channel_id}/ws    a WebSocket: the chat room of a channel
//	GET /api/health                  that this instance answers, and how many sockets it holds
//
// A client sends and receives JSON objects in text frames. From the client:
//
//	{"t":"hello","token":…}     says who it is: a guest token, or an API key of a program
//	{"t":"hello","depois":id}   asks for what follows a message that it has; also beside token
//	{"t":"msg","body":…}        sends a message; "ref" names it, so that sending it again is safe
//
// From the server:
//
//	{"t":"pronto","autor","items","watching","max_length"}  on entry, and after each hello; "more" when further messages follow the items
//	{"t":"msg","id","autor","body","at"}                    a message; "mine" and "ref" to its author, "apagada" when it was removed
//	{"t":"presenca","watching"}                             how many sockets are in the room
//	{"t":"erro","code","reason","message"}                  a refusal, with the "ref" of the message and "retry_after" where they are known
//
// The code of a refusal is "auth" for a caller that is not identified, is muted or is in
// a closed room, "pago" for one without a pass, and "vazio" for every other. Its reason is
// the code of the fault that the HTTP interface answers.
//
// A socket is mute until its caller is identified: by the headers of the upgrade, by the
// account cookie if a page of the service opened the socket, or by hello, of which the
// last counts. A page of another origin, and a program without an Origin, are not
// identified by a cookie. A message is acknowledged by the msg that its author receives
// with its ref: it is then stored, and every instance has it in the same place.
//
// A socket is closed with 1001 after an hour at most and when the instance stops, and
// the client is to connect again; with 1003 after a binary frame, 1008 when it sends too
// much or what cannot be read, 1009 after a frame of more than 4 KiB, 1013 when the missed
// messages cannot be read; and without a close frame when it does not answer a ping or does not read what it is sent.
//
//	server.go    the routes, and what they are made from
//	open.go      a server with its parts
//	upgrade.go   from a request to a socket
//	socket.go    what a socket reads and is sent
//	speak.go     what the frames of a client do
//	register.go  which sockets there are, and how many one caller may have
//	serve.go     serving, pings, and stopping
package server

import (
	"log/slog"
	"net/http"
	"time"

	"miramundo.dev/chatroom/room"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/trace"
)

// Limits bound what callers can take. The zero value of a field is its default.
type Limits struct {
	Sockets           int       // of this instance
	SocketsPerNetwork int       // of an IPv4 address or a /64
	SocketsPerOwner   int       // that are identified as the same owner
	Hellos            int       // of one socket
	Frames            chat.Rate // of one socket, pings included
	Queue             int       // frames that wait for a socket to read

	Ping time.Duration // between two pings of a socket
	Pong time.Duration // in which a ping must be answered, a frame arrive whole and a write end
	Life time.Duration // of a socket
}

// defaults hold at an instance with the memory of a small container. The platform ends a
// request after an hour, so sockets end before.
var defaults = Limits{
	Sockets: 12_000, SocketsPerNetwork: 200, SocketsPerOwner: 10, Hellos: 10,
	Frames: chat.Rate{Every: 250 * time.Millisecond, Burst: 20}, Queue: 256,
	Ping: 25 * time.Second, Pong: 10 * time.Second, Life: 58 * time.Minute,
}

// orDefault returns l with the defaults in place of zero values.
func (l Limits) orDefault() Limits {
	for _, n := range []struct{ of, normal *int }{
		{&l.Sockets, &defaults.Sockets}, {&l.SocketsPerNetwork, &defaults.SocketsPerNetwork}, {&l.SocketsPerOwner, &defaults.SocketsPerOwner},
		{&l.Hellos, &defaults.Hellos}, {&l.Queue, &defaults.Queue},
	} {
		if *n.of == 0 {
			*n.of = *n.normal
		}
	}
	for _, d := range []struct{ of, normal *time.Duration }{{&l.Ping, &defaults.Ping}, {&l.Pong, &defaults.Pong}, {&l.Life, &defaults.Life}} {
		if *d.of == 0 {
			*d.of = *d.normal
		}
	}
	if l.Frames == (chat.Rate{}) {
		l.Frames = defaults.Frames
	}
	return l
}

// A Catalog provides the channels that have rooms.
type Catalog interface {
	View() (*index.View, error)
}

// Options are what a server is made from. Rooms, DB, Catalog and Speakers are required.
type Options struct {
	Rooms    *chat.Rooms
	DB       store.DB // of what owners hide
	Catalog  Catalog
	Speakers api.Authenticator
	Pages    *identity.Pages  // whose cookie counts
	People   *identity.People // names the networks of callers for a day; nil stores no names
	Limits   Limits
	Log      *slog.Logger // nil: nothing is logged
	Now      func() time.Time

	Followers     *overlay.Set        // of Catalog
	Count         func(*request.Call) // called with each finished call; nil counts nothing
	Trace         *trace.Tracer       // records requests, and messages on sockets; nil records nothing
	CountryHeader string              // in which a trusted edge sends the caller's country; empty trusts none
	AddressHeader string              // in which it sends the caller's address; likewise
	Secure        bool                // browsers are told to use HTTPS alone
	Build         string

	Linger, Announce time.Duration // see room.Options
}

// A Server holds sockets. It is an [http.Handler].
type Server struct {
	Options
	http.Handler
	hub     *room.Hub
	marks   identity.Marks
	sockets *register
}

// New returns the server of o. It must be closed.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Limits = o.Limits.orDefault()
	s := &Server{Options: o, marks: identity.NewMarks(), sockets: newRegister(o.Limits)}
	s.hub = room.NewHub(room.Options{Rooms: o.Rooms, Now: o.Now, Log: o.Log, Linger: o.Linger, Announce: o.Announce})
	s.Handler = request.New(request.Options{
		Log: o.Log, Now: o.Now, CountryHeader: o.CountryHeader, AddressHeader: o.AddressHeader, Followers: o.Followers,
		Count: o.Count, Secure: o.Secure, Trace: o.Trace,
	}, []request.Route{
		{Method: http.MethodGet, Path: chat.SocketPath, Policy: policy, Serve: s.upgrade},
		{Method: http.MethodGet, Path: api.HealthPath, Policy: policy, Serve: s.health},
	})
	return s
}

// size returns how many sockets this instance holds, and how many rooms it follows.
func (s *Server) size() (sockets, rooms int) { return s.sockets.count(), s.hub.Len() }

var policy = request.Policy{
	Shared:  []request.Header{request.AnyOrigin, request.NoIndex},
	Headers: []request.Header{{Name: "Cache-Control", Values: []string{string(api.NoStore)}}},
}

// A health is the answer of the health route.
type health struct {
	OK      bool   `json:"ok"` // always true
	App     string `json:"app"`
	Build   string `json:"build"`
	TS      string `json:"ts"`
	Sockets int    `json:"sockets"`
}

func (s *Server) health(c *request.Call) error {
	return api.Send(c.Writer(), c.Request, http.StatusOK, health{
		OK: true, App: "miramundo-chatroom", Build: s.Build, TS: c.Start.UTC().Format(time.RFC3339), Sockets: s.sockets.count(),
	})
}

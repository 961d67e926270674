// Package server answers the requests that reach the hop: a stream's playlist, a
// redirect to its provider, or a fault.
//
//	GET /api/s/{id}          the stream's playlist, or a redirect to its provider
//	GET /api/s/{id}?p=…      a playlist below it, by the ticket in its parent
//	GET /api/s/{id}.m3u8     either, for players that go by the extension
//	GET /api/health          that this instance answers, and from which catalog
//
// A network that has spent its free minutes is answered 402 with the terms of a pass,
// which a repeated call with a payment buys.
//
// A stream is what its origin sends, whatever its address promises: a playlist is
// rewritten, and callers are redirected to media (turned.go).
//
// Package request runs the routes, as it does in every process; here is what an
// answer holds, and what is counted of it. The package holds no state that a
// restart would lose, except what is not published yet (packages audience and
// allowance say how long that is).
package server

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"miramundo.dev/hop/networkpass"
	"miramundo.dev/hop/ticket"
	"miramundo.dev/hop/upstream"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/trace"
	"miramundo.dev/shared/usage"
	"miramundo.dev/shared/usage/edge"
)

// A Catalog provides the streams to play, and how fresh they are.
type Catalog interface {
	View() (*index.View, error)
	Synced() (time.Time, bool)
	State() release.State
}

// Playlists are the rewritten playlists of origins.
type Playlists interface {
	Get(context.Context, upstream.Request) (*upstream.Copy, error)
}

// Tickets opens the references that the hop wrote into playlists.
type Tickets interface {
	Open(ticket.Binding, string) (ticket.Ticket, time.Time, error)
}

// An Audience counts plays, and the time that playlists took. It counts a caller
// once per channel and day, and never makes its caller wait.
type Audience interface {
	Play(by identity.Caller, channel string)
	Latency(channel, country string, d time.Duration)
}

// An Allowance decides whether a caller may watch for another minute.
type Allowance interface {
	Watch(identity.Caller) error
}

// Options are what a server is made from. Catalog, Playlists and Tickets are
// required.
type Options struct {
	Catalog   Catalog
	Playlists Playlists
	Tickets   Tickets
	Audience  Audience            // nil: nothing is counted
	Allowance Allowance           // nil: everyone may watch
	Till      *billing.Till       // sells passes beside Allowance; nil sells nothing
	Passes    *networkpass.Passes // that Allowance respects; required with a Till
	Speakers  api.Authenticator   // nil: callers are identified by network and User-Agent alone. It must refuse made-up credentials: each would count a play
	Log       *slog.Logger        // nil: nothing is logged
	Now       func() time.Time

	Followers *overlay.Set        // confirmed before each answer; nil where Catalog follows nothing
	Count     func(*request.Call) // called with each finished call; nil counts nothing
	Trace     *trace.Tracer       // records requests; nil records nothing

	HopURL        string   // of this hop, without a trailing slash: terms of payment name calls by it
	OwnHosts      []string // of the service: callers are not redirected to them
	CountryHeader string   // in which a trusted edge sends the caller's country; empty trusts none
	AddressHeader string   // in which it sends the caller's address; likewise
	Fallback      bool     // failures of playlists answer 502 instead of 422
	Secure        bool     // browsers are told to use HTTPS alone
	Build         string
}

// A Server answers the requests that reach the hop. It is an [http.Handler].
type Server struct {
	Options
	http.Handler
	streams streamCache
	turned  turned
}

// New returns the server of o.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{Options: o, streams: streamCache{own: o.OwnHosts}, turned: turned{of: map[catalog.StreamID]*finding{}}}
	s.Handler = request.Exact(request.Options{
		Log: o.Log, Now: o.Now, CountryHeader: o.CountryHeader, AddressHeader: o.AddressHeader, IDsOfFailures: true,
		Followers: o.Followers, Count: o.Count, Secure: o.Secure, Always: private, Trace: o.Trace,
	}, s.routes())
	return s
}

// routes is the table of what the hop answers.
func (s *Server) routes() []request.Route {
	return []request.Route{
		{Method: http.MethodGet, Path: catalog.StreamsPath + "{id}", Policy: policy, Serve: s.play},
		{Method: http.MethodGet, Path: api.HealthPath, Policy: policy, Serve: s.health},
	}
}

// surfaces are as what the routes are counted.
var surfaces = edge.Surfaces{"GET " + catalog.StreamsPath + "{id}": usage.Hop}

// private keeps addresses of the hop, which may hold a ticket, from the origins that
// players fetch media from.
var private = []request.Header{{Name: "Referrer-Policy", Values: []string{"no-referrer"}}}

// policy has scripts of any origin read every answer under a known path, and
// browsers keep none.
var policy = request.Policy{
	Shared: []request.Header{
		request.AnyOrigin, request.NoIndex,
		{Name: "Access-Control-Expose-Headers", Values: exposed},
		{Name: "Cache-Control", Values: []string{"no-store"}},
		{Name: "Cross-Origin-Resource-Policy", Values: []string{"cross-origin"}},
		{Name: "Timing-Allow-Origin", Values: []string{"*"}},
	},
	Allow: []string{"Accept-Language, Authorization, Content-Type, Range, X-Credito, X-Guest-Token, X-PAYMENT, PAYMENT-SIGNATURE"},
}

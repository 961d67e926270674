// Package server knows what the hop answers to whom: which playlist, redirect
// or error a request for a stream gets, with which headers, and what is counted
// and logged of it.
//
//	GET /api/s/{id}          the stream's playlist, or a redirect to its provider
//	GET /api/s/{id}?p=…      a playlist below it, by the ticket in its parent
//	GET /api/s/{id}.m3u8     either, for players that go by the ending
//	GET /api/health          that this instance answers, and from what
//
// It holds no state that a restart would lose, but for what is not published
// yet (packages audience and allowance say how long that is).
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"miramundo.dev/hop/ticket"
	"miramundo.dev/hop/upstream"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

// A Catalog says what there is to be played, and how fresh that is.
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

// An Audience is told of plays, and of the time that playlists took. It counts
// a person once per channel and day, and never makes its caller wait.
type Audience interface {
	Play(who identity.Caller, channel string)
	Latency(channel, country string, d time.Duration)
}

// An Allowance says whether a caller may watch for another minute.
type Allowance interface {
	Watch(identity.Caller) error
}

// Options are what a server is made from. Catalog, Playlists and Tickets are
// required.
type Options struct {
	Catalog   Catalog
	Playlists Playlists
	Tickets   Tickets
	Audience  Audience     // nil: nothing is counted
	Allowance Allowance    // nil: everyone may watch
	Log       *slog.Logger // nil: nothing is logged
	Now       func() time.Time

	OwnHosts      []string // to which nobody is redirected
	CountryHeader string   // in which a trusted edge tells the caller's country; empty trusts none
	AddressHeader string   // in which it tells the caller's address; likewise
	Fallback      bool     // failures of playlists answer 502 instead of 422
	Build         string

	// Guest returns who a guest token was given to, or an error: tokens that
	// nobody gave out would count a play each. Nil knows no guests.
	Guest func(token string) (identity.Owner, error)
}

// A Server answers the requests that reach the hop. It is an [http.Handler].
type Server struct {
	Options
	shelf shelf
}

// New returns the server of o.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{Options: o, shelf: shelf{own: o.OwnHosts}}
}

// A call is one request while it is served, and what the log tells of it.
type call struct {
	*Server
	w      http.ResponseWriter
	r      *http.Request
	start  time.Time
	path   string // the pattern that the request met
	stream *stream
	told   bool // the answer is begun
	gone   bool // the caller did not wait for it
	status int
	bytes  int64
	cause  error // of a failure
	logged cloudlog.Request
}

// ServeHTTP answers one request, whatever happens.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{Server: s, w: w, r: r, start: s.Now()}
	defer c.finish()
	if err := c.route(); err != nil {
		c.fail(err)
	}
}

// finish logs the call. A panic becomes an answer when none was begun.
func (c *call) finish() {
	p := recover()
	err, _ := p.(error)
	aborted := errors.Is(err, http.ErrAbortHandler)
	if p != nil && !aborted {
		c.fail(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
	c.log()
	if aborted {
		panic(http.ErrAbortHandler)
	}
}

// Patterns of the routes, as the log tells them.
const (
	streamPattern = catalog.StreamsPath + "{id}"
	noPattern     = "no such route"
)

// route finds what answers the request.
func (c *call) route() error {
	c.w.Header()["X-Content-Type-Options"] = nosniff
	id, ok := strings.CutPrefix(c.r.URL.Path, catalog.StreamsPath)
	switch {
	case ok && id != "" && strings.IndexByte(id, '/') < 0:
		c.path = streamPattern
		return c.offer(c.play, strings.TrimSuffix(id, ".m3u8"))
	case c.r.URL.Path == api.HealthPath:
		c.path = api.HealthPath
		return c.offer(c.health, "")
	}
	c.path = noPattern
	return fault.ErrNotFound
}

// offer answers by the method: a request to read is served.
func (c *call) offer(serve func(id string) error, id string) error {
	h := c.w.Header()
	open(h)
	switch c.r.Method {
	case http.MethodGet, http.MethodHead:
		return serve(id)
	case http.MethodOptions:
		h["Allow"], h["Access-Control-Allow-Methods"] = methods, methods
		h["Access-Control-Allow-Headers"] = preflightHeaders
		h["Access-Control-Max-Age"] = preflightAge
		c.begin(http.StatusNoContent)
		return nil
	}
	h["Allow"] = methods
	return fault.ErrNoMethod.With("allow", strings.Split(methods[0], ", "))
}

package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/container"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/store"
)

// servers are those of the stack.
type servers struct {
	list   []*http.Server
	live   context.Context // of requests that never end by themselves
	end    context.CancelFunc
	failed chan error
}

// bounds are those of each server's connections, live streams among them, which play
// faster than the pace.
var bounds = container.Bounds{
	Header:      10 * time.Second,
	Read:        30 * time.Second,
	Pace:        container.Pace{First: 30 * time.Second, Rate: 8 << 10},
	Idle:        2 * time.Minute,
	HeaderBytes: 64 << 10,
	Connections: 16384,
}

// stopTime is how long requests under way may take to end.
const stopTime = 10 * time.Second

func newServers() *servers {
	s := &servers{failed: make(chan error, 2)}
	s.live, s.end = context.WithCancel(context.Background())
	return s
}

// drain serves h; requests under way end before stop returns.
func (s *servers) drain(l net.Listener, h http.Handler) { s.serve(context.Background(), l, h) }

// cut serves h; stop ends the contexts of the requests under way, since those
// of a live stream never end by themselves.
func (s *servers) cut(l net.Listener, h http.Handler) { s.serve(s.live, l, h) }

func (s *servers) serve(ctx context.Context, l net.Listener, h http.Handler) {
	srv := bounds.Server(h, slog.Default())
	srv.BaseContext = func(net.Listener) context.Context { return ctx }
	s.list = append(s.list, srv)
	go func() {
		if err := srv.Serve(bounds.Listen(l)); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
}

// stop closes all, and returns when no request is under way.
func (s *servers) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	s.end()
	var errs []error
	for _, srv := range s.list {
		errs = append(errs, srv.Shutdown(ctx))
	}
	return errors.Join(errs...)
}

// edgeHeader is the header in which an edge names the caller's country.
const edgeHeader = "X-Client-Region"

// fronts are what the parts of the stack listen with.
type fronts struct{ gateway, hop, legacy, chatroom, payments front }

// A front does to a request what the edge would, and gives it to the part
// behind it when there is one.
type front struct {
	country string // that the edge names; empty names none
	inner   atomic.Pointer[http.Handler]
}

// set gives the requests that follow to h.
func (f *front) set(h http.Handler) { f.inner.Store(&h) }

// ServeHTTP answers 503 until there is a part behind it.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := f.inner.Load()
	if h == nil {
		answerStarting(w, r)
		return
	}
	r.Header.Del(edgeHeader)
	if f.country != "" {
		r.Header.Set(edgeHeader, f.country)
	}
	(*h).ServeHTTP(w, r)
}

// answerStarting answers as the service does when a part of it is not open yet. Its
// error is of the connection, on which nothing else can be said.
func answerStarting(w http.ResponseWriter, r *http.Request) {
	f := fault.From(store.ErrStarting)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Retry-After", strconv.Itoa(store.ErrStarting.Seconds))
	_ = api.Send(w, r, api.Status(f.Kind), api.Body(i18n.Match(r.Header.Get("Accept-Language")), f))
}

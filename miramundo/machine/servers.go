package machine

import (
	"context"
	"crypto/tls"
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

// Servers are the servers of one process.
type Servers struct {
	Failed chan error // gets the error of a server that ended by itself

	list []*http.Server
	stop time.Duration   // in which requests under way may end
	live context.Context // of requests that never end by themselves
	end  context.CancelFunc
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

// NewServers returns servers of which none runs yet.
func NewServers() *Servers {
	s := &Servers{Failed: make(chan error, 8), stop: stopTime}
	s.live, s.end = context.WithCancel(context.Background())
	return s
}

// Drain serves h on l; requests under way end before Stop returns.
func (s *Servers) Drain(l net.Listener, h http.Handler) { s.serve(context.Background(), l, h, nil) }

// DrainTLS is Drain over TLS.
func (s *Servers) DrainTLS(l net.Listener, h http.Handler, c *tls.Config) {
	s.serve(context.Background(), l, h, c)
}

// Cut serves h on l; Stop ends the contexts of the requests under way, since those
// of a live stream never end by themselves.
func (s *Servers) Cut(l net.Listener, h http.Handler) { s.serve(s.live, l, h, nil) }

func (s *Servers) serve(ctx context.Context, l net.Listener, h http.Handler, c *tls.Config) {
	srv := bounds.Server(h, slog.Default())
	srv.BaseContext = func(net.Listener) context.Context { return ctx }
	srv.TLSConfig = c
	s.list = append(s.list, srv)
	serve := srv.Serve
	if c != nil {
		serve = func(l net.Listener) error { return srv.ServeTLS(l, "", "") }
	}
	go func() {
		if err := serve(bounds.Listen(l)); !errors.Is(err, http.ErrServerClosed) {
			s.Failed <- err
		}
	}()
}

// Stop closes all servers. It returns when no request is under way, or cuts off those that
// have not ended in time and returns an error: their contexts are done, and their answers
// cannot be written any more.
func (s *Servers) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.stop)
	defer cancel()
	s.end()
	var errs []error
	for _, srv := range s.list {
		errs = append(errs, srv.Shutdown(ctx), srv.Close())
	}
	return errors.Join(errs...)
}

// Fronts are the handlers of the parts of the service. Each can be served before its
// part is open.
type Fronts struct{ Gateway, Hop, Legacy, Chatroom, Metrics Front }

// clear lets all fronts answer 503, as before their parts were open.
func (f *Fronts) clear() {
	for _, front := range []*Front{&f.Gateway, &f.Hop, &f.Legacy, &f.Chatroom, &f.Metrics} {
		front.inner.Store(nil)
	}
}

// A Front passes requests on to a part of the service once that is open. The zero value
// answers 503 until then. It may be used concurrently.
type Front struct {
	inner atomic.Pointer[http.Handler]
}

// Set passes the requests that follow on to h.
func (f *Front) Set(h http.Handler) { f.inner.Store(&h) }

// ServeHTTP answers 503 until there is a part behind it.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := f.inner.Load()
	if h == nil {
		answerStarting(w, r)
		return
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

package server

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"miramundo.dev/shared/container"
)

// Bounds of a connection that is not a socket yet, or never becomes one.
const (
	readTime  = 15 * time.Second
	writeTime = 30 * time.Second
	idleTime  = time.Minute
	maxHeader = 16 << 10

	// spare is how many connections there may be beside sockets.
	spare = 500
)

// drainTime is the time over which the sockets of an instance that stops are closed, so
// that their clients do not all connect again in the same moment. The platform ends the
// process after ten seconds.
const drainTime = 4 * time.Second

// restarts is the reason with which they are closed.
const restarts = "the server restarts"

// grace is how long it waits for the last of them.
const grace = 3 * time.Second

// bounds are those of connections until the upgrade.
var bounds = container.Bounds{Read: readTime, Write: writeTime, Idle: idleTime, HeaderBytes: maxHeader}

// HTTP returns the HTTP server of a chat room, with every limit set. They end with the
// upgrade.
func HTTP(h http.Handler, log *slog.Logger) *http.Server { return bounds.Server(h, log) }

// Serve answers on l with s until ctx is done, and then closes the sockets over some
// seconds. It returns an error when it cannot serve. The server must be closed after.
func Serve(ctx context.Context, l net.Listener, s *Server, log *slog.Logger) error {
	srv := HTTP(s, log)
	b := bounds
	b.Connections = s.Limits.Sockets + spare
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(b.Listen(l)) }()
	tending, end := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	work.Go(func() { s.Tend(tending) })
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	end()
	work.Wait()
	s.Drain(drainTime)
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	return errors.Join(err, srv.Shutdown(within), srv.Close())
}

// Tend pings the sockets and closes those whose time is over, until ctx is done. Each
// socket has its turn once in Limits.Ping, one group after the other.
func (s *Server) Tend(ctx context.Context) {
	tick := time.NewTicker(max(s.Limits.Ping/slots, time.Millisecond))
	defer tick.Stop()
	for i := 0; ; i = (i + 1) % slots {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := s.Now()
		for _, k := range s.sockets.group(i) {
			if life := s.Limits.Life - rand.N(s.Limits.Life/20+1); now.Sub(k.born) >= life {
				k.shut(websocket.StatusGoingAway, "connect again")
			} else {
				go k.ping()
			}
		}
	}
}

// Drain lets no more sockets in and closes those that there are, spread over a time. It
// returns when they are gone, or some seconds later.
func (s *Server) Drain(over time.Duration) {
	s.sockets.stop()
	for i := range slots {
		list := s.sockets.group(i)
		for _, k := range list {
			k.shut(websocket.StatusGoingAway, restarts)
		}
		if s.sockets.count() > len(list) {
			time.Sleep(over / slots)
		}
	}
	for end := time.Now().Add(grace); s.sockets.count() > 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

// Close ends what the server runs and takes the instance out of the presence. The
// sockets must be drained.
func (s *Server) Close() { s.hub.Close() }

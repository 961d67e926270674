package container

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"
)

// Bounds are what connections may cost a process that answers HTTP requests.
type Bounds struct {
	Header      time.Duration // until the header of a request has arrived; 0 is Read
	Read        time.Duration // until a request has arrived
	Write       time.Duration // until an answer is sent, from the header on; 0 is not bounded
	Pace        Pace          // at least which answers are taken; the zero value is not bounded
	Idle        time.Duration // between requests
	HeaderBytes int           // of a request
	Connections int           // that are open at a time; further ones wait
	Grace       time.Duration // in which requests under way may end once the process must stop
}

// Server returns a server of h that has the bounds of time and bytes. Pace and
// Connections are those of a listener; see [Bounds.Listen].
func (b Bounds) Server(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: b.Header,
		ReadTimeout:       b.Read,
		WriteTimeout:      b.Write,
		IdleTimeout:       b.Idle,
		MaxHeaderBytes:    b.HeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// Listen returns l with the bounds of a listener.
func (b Bounds) Listen(l net.Listener) net.Listener {
	if b.Connections > 0 {
		l = netutil.LimitListener(l, b.Connections)
	}
	if b.Pace.Rate > 0 {
		l = pacedListener{l, b.Pace}
	}
	return l
}

// Serve answers on l with h until ctx is done. Requests under way may then finish
// within Grace, and new connections are refused. It returns an error when it cannot
// serve, or when requests were cut off.
func (b Bounds) Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	srv := b.Server(h, log)
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(b.Listen(l)) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.Grace)
	defer cancel()
	err := srv.Shutdown(within)
	return errors.Join(err, srv.Close())
}

// A Pace is the slowest way in which a client may take an answer. Answers differ in
// size by a factor of ten thousand, so that one time for all would either cut off
// people with a slow line or let an attacker hold connections for long. Only the time
// counts in which the process waits to send.
type Pace struct {
	First time.Duration // for any answer
	Rate  int           // bytes a second, for which an answer has more time
}

// pacedListener closes connections whose clients take answers slower than pace.
type pacedListener struct {
	net.Listener
	pace Pace
}

func (l pacedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &pacedConn{Conn: c, pace: l.pace}, nil
}

type pacedConn struct {
	net.Conn
	pace  Pace
	asked atomic.Bool // something was read after the last write

	// Of the answer that is being sent; used by one writer at a time.
	sent   int           // bytes
	waited time.Duration // in Write
}

func (c *pacedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.asked.Store(true)
	}
	return n, err
}

func (c *pacedConn) Write(b []byte) (int, error) {
	if c.asked.CompareAndSwap(true, false) {
		c.sent, c.waited = 0, 0
	}
	c.sent += len(b)
	begun := time.Now()
	left := c.pace.First + time.Duration(c.sent)*time.Second/time.Duration(c.pace.Rate) - c.waited
	if err := c.SetWriteDeadline(begun.Add(left)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	c.waited += time.Since(begun)
	return n, err
}

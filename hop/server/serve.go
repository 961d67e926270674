package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

// Bounds of a connection.
const (
	// readTime is how long a request may take to arrive. It is longer than the
	// 8 s for which an origin may hold a request back, since at its end the server
	// takes the caller for gone. A shorter time for the header alone would cost
	// one more system timer per request.
	readTime  = 15 * time.Second
	writeTime = 30 * time.Second // until the answer is sent, from the header on
	idleTime  = 2 * time.Minute  // between requests
	maxHeader = 16 << 10         // bytes: twice the size of a ticket, an address and a browser's headers

	// maxConnections is how many connections may be open at a time: ten thousand
	// players' and a reserve, at about 10 KiB each. Further connections wait.
	maxConnections = 16384

	// grace is how long requests under way may take once the process is asked to
	// stop: the platform ends it after ten seconds.
	grace = 8 * time.Second
)

// HTTP returns the HTTP server of a hop, with every limit set.
func HTTP(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:        h,
		ReadTimeout:    readTime,
		WriteTimeout:   writeTime,
		IdleTimeout:    idleTime,
		MaxHeaderBytes: maxHeader,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// Serve answers on l with h until ctx is done. Requests under way may then finish,
// and new connections are refused. It returns an error when it cannot serve, or
// when requests were cut off.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	srv := HTTP(h, log)
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(netutil.LimitListener(l, maxConnections)) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := srv.Shutdown(within)
	return errors.Join(err, srv.Close())
}

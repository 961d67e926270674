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
	// 8 s for which an origin may hold one back, since the server takes its end
	// for that of the caller. A shorter one for the header alone would cost a
	// system timer more on every request.
	readTime  = 15 * time.Second
	writeTime = 30 * time.Second // until the answer is sent, from the header on
	idleTime  = 2 * time.Minute  // between requests
	maxHeader = 16 << 10         // bytes: twice of what a ticket, an address and a browser's headers take

	// maxConnections is how many are open at a time: those of ten thousand
	// players, and room. One takes about 10 KiB. Who comes beyond waits.
	maxConnections = 16384

	// grace is how long requests under way may take after the end was asked
	// for: the platform ends the process after ten seconds.
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

// Serve answers on l with h until ctx is done. Requests under way may then end,
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

package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"miramundo.dev/shared/container"
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

var bounds = container.Bounds{
	Read: readTime, Write: writeTime, Idle: idleTime, HeaderBytes: maxHeader, Connections: maxConnections, Grace: grace,
}

// HTTP returns the HTTP server of a hop, with every limit set.
func HTTP(h http.Handler, log *slog.Logger) *http.Server { return bounds.Server(h, log) }

// Serve answers on l with h until ctx is done. Requests under way may then finish,
// and new connections are refused. It returns an error when it cannot serve, or
// when requests were cut off.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	return bounds.Serve(ctx, l, h, log)
}

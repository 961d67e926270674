// Hop is the container of the stream hop: it fetches the playlists of streams
// from their origins and rewrites them so that players need nothing else of
// the service, but for the media, which they take from the origins themselves.
//
// Its settings are those of package config; HOP_TICKET_KEYS is required. By default
// it serves the catalog that `make seed` keeps in .data.
package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"miramundo.dev/hop/server"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/container"
	_ "miramundo.dev/shared/wire/cloud" // what is deployed keeps its documents in the cloud
)

// closeTime is how long the last events may take to be published, after the
// last request.
const closeTime = 1500 * time.Millisecond

// gcPercent lets the heap grow by a quarter between collections. Nearly all of it is
// copies of playlists, which hold no pointers: collecting is cheap, and memory
// is what a hop runs out of first.
const gcPercent = 25

// gcBytes is what the heap of a hop with few streams grows by: without it, such a hop
// would collect after every few hundred answers.
const gcBytes = 16 << 20

func main() {
	container.Main(container.Container{Process: server.Process, GCPercent: gcPercent, GCBytes: gcBytes, Serve: serve})
}

func serve(ctx context.Context, l net.Listener, p *compose.Parts, log *slog.Logger) error {
	hop := server.Assemble(p.Config, log, server.Parts{
		DB: p.DB, Bus: p.Bus, Catalog: p.Catalog, Access: p.Access, Till: p.Till, Followers: p.Followers, Usage: p.Usage, Metrics: p.Metrics,
		Trace: p.Trace,
	})
	err := server.Serve(ctx, l, hop, log)
	within, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	return errors.Join(err, hop.Close(within))
}

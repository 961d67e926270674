// Chatroom is the container of the chat: it keeps the sockets of the rooms, for as long
// as an hour each.
//
// Its settings are those of package config; GUEST_KEYS and ACCOUNT_KEYS are required. By
// default it serves the catalog that `make seed` keeps in .data.
package main

import (
	"context"
	"log/slog"
	"net"

	"miramundo.dev/chatroom/server"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/container"
	_ "miramundo.dev/shared/wire/cloud" // what is deployed keeps its documents in the cloud
)

// gcPercent lets the heap grow by half between collections. Memory is what limits the
// number of sockets; an idle socket makes no garbage, so collections are rare.
const gcPercent = 50

func main() {
	container.Main(container.Container{Process: server.Process, GCPercent: gcPercent, Serve: serve})
}

func serve(ctx context.Context, l net.Listener, p *compose.Parts, log *slog.Logger) error {
	s := server.Assemble(p.Config, log, p)
	defer s.Close()
	return server.Serve(ctx, l, s, log)
}

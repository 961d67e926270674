package overchat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"miramundo.dev/scripts/players/container"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
)

// A bench is what all rounds of the chat room have in common.
type bench struct {
	dir     string
	program string
	guests  *identity.Guests
	keys    string
}

// open builds the chat room, and publishes a catalog with a channel for each room.
func open(ctx context.Context, rooms int) (b *bench, err error) {
	b = &bench{keys: "bench:" + strings.Repeat("k", 32)}
	ring, err := keyring.Parse(b.keys)
	if err != nil {
		return nil, err
	}
	b.guests = identity.NewGuests(ring, time.Now)
	if b.dir, err = os.MkdirTemp("", "chat"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	urls, kinds := make([]string, rooms), make([]string, rooms)
	for i := range urls {
		urls[i], kinds[i] = fmt.Sprintf("https://origin.example/%d.m3u8", i), catalog.StreamHLS
	}
	if err := container.Publish(ctx, b.dir, container.Channels(urls, kinds)); err != nil {
		return nil, err
	}
	b.program, err = container.Build(ctx, b.dir, container.ChatRoom)
	return b, err
}

func (b *bench) close() { _ = os.RemoveAll(b.dir) } // a folder for temporary files

// addressHeader is the header that names the network address of a socket.
const addressHeader = "X-Bench-Address"

// startChat runs the chat room as it is deployed. Nothing is sold, so guests may
// write.
func (b *bench) startChat(ctx context.Context) (*server, error) {
	log, err := os.Create(filepath.Join(b.dir, "log"))
	if err != nil {
		return nil, err
	}
	c, err := container.Start(ctx, container.Options{
		Program: b.program, Data: b.dir, Log: log,
		Env: []string{"GUEST_KEYS=" + b.keys, "ACCOUNT_KEYS=" + b.keys, "EDGE_ADDRESS_HEADER=" + addressHeader, "LOG_LEVEL=warn"},
	})
	if err != nil {
		said, _ := os.ReadFile(log.Name()) // an error leaves out what the chat room said
		return nil, errors.Join(fmt.Errorf("%w: %s", err, said), log.Close())
	}
	return &server{
		to:  target{addr: strings.Replace(strings.TrimPrefix(c.URL, "http://"), "localhost", "127.0.0.1", 1), header: addressHeader},
		pid: c.PID(), guests: b.guests,
		path: func(room int) string { return fmt.Sprintf("/api/chat/Channel%d.br/ws", room) },
		stop: func() error { return errors.Join(c.Stop(), log.Close()) },
	}, nil
}

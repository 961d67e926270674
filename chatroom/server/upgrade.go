package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

// joinTime is how long the newest messages of a room may take to be read.
const joinTime = 5 * time.Second

// maxFrame is the greatest size of a frame of a client, in bytes: the text of the
// longest message, escaped, fits.
const maxFrame = 4 << 10

// upgrade makes a socket of a request. It returns when the socket runs on its own, so
// that the memory of the request is free.
func (s *Server) upgrade(c *request.Call) error {
	channel, err := index.CurrentID(s.Catalog, c.Request.PathValue("channel_id"))
	if err != nil {
		return err
	}
	if !upgrades(c.Request.Header) {
		h := c.Writer().Header()
		h.Set("Upgrade", "websocket")
		h.Set("Connection", "Upgrade")
		return chat.ErrUpgrade
	}
	k := &socket{srv: s, addr: c.Addr(), network: s.network(c), locale: c.Locale(), shown: s.credentials(c), born: s.Now()}
	if err := s.sockets.add(k); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Context, joinTime)
	defer cancel()
	if k.room, err = s.hub.Join(ctx, channel); err != nil {
		s.sockets.remove(k)
		return fault.ErrUnavailable.Because(err)
	}
	k.conn, err = websocket.Accept(c.Writer(), c.Request, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // credentials decides what the Origin allows
		CompressionMode:    websocket.CompressionDisabled,
		OnPingReceived:     func(context.Context, []byte) bool { return k.take() },
	})
	if err != nil {
		s.hub.Leave(k.room, nil)
		s.sockets.remove(k)
		return errors.Join(errHandshake, err) // it was answered
	}
	k.conn.SetReadLimit(maxFrame)
	if !s.sockets.open(k) {
		k.shut(websocket.StatusGoingAway, restarts)
	}
	go k.run()
	return nil
}

var errHandshake = errors.New("chatroom: the handshake failed")

// upgrades reports whether a request asks for a WebSocket.
func upgrades(h http.Header) bool {
	has := func(name, token string) bool {
		for _, value := range h.Values(name) {
			for part := range strings.SplitSeq(value, ",") {
				if strings.EqualFold(strings.TrimSpace(part), token) {
					return true
				}
			}
		}
		return false
	}
	return has("Connection", "Upgrade") && has("Upgrade", "websocket")
}

// credentials returns what a request shows of its caller. The cookie counts only when a
// page of the service sent the request, since browsers send it with the requests of
// every page; a program without an Origin says who it is in another way.
func (s *Server) credentials(c *request.Call) identity.Credentials {
	shown := c.Credentials()
	if s.Pages == nil || s.Pages.CheckOrigin(c.Browser(), true) != nil {
		shown.Session, shown.Organization = "", ""
	}
	return shown
}

// network names the network of a caller within this process; empty when its address is
// not known.
func (s *Server) network(c *request.Call) string {
	addr := c.Addr()
	if !addr.IsValid() {
		return ""
	}
	return strconv.FormatUint(s.marks.Network(identity.Caller{Addr: addr}, 0), 36)
}

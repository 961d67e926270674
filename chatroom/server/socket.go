package server

import (
	"context"
	"encoding/json"
	"io"
	"net/netip"
	"sync"
	"time"

	"github.com/coder/websocket"

	"miramundo.dev/chatroom/room"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
)

// A socket is one goroutine that reads. What it is sent waits in a queue, and a second
// goroutine writes while there is something in the queue and ends with it: an idle
// socket has none. A socket whose queue is full does not read what it is sent, and is
// closed.

// maxQueued is how many bytes may wait in a queue of more than one frame. Greetings after
// a long absence are what makes a queue large: each has up to chat.MaxMissed messages.
const maxQueued = 1 << 20

// A socket is a WebSocket in a room.
type socket struct {
	srv     *Server
	conn    *websocket.Conn
	room    *room.Room
	addr    netip.Addr // of the caller; not valid when it is unknown
	network string     // names its network within this process
	locale  i18n.Locale
	born    time.Time

	// Of the register.
	added   bool
	group   int
	counted identity.Owner // for which it counts the socket

	// Of the goroutine that reads.
	shown  identity.Credentials // by which the caller was identified, or tried to be
	known  bool                 // they were accepted
	hellos int

	mu      sync.Mutex
	owner   identity.Owner     // empty while the socket is mute; guarded by mu
	hidden  *moderation.Hidden // the authors that the owner hides; nil before the owner is known; guarded by mu
	queue   [][]byte           // guarded by mu
	queued  int                // bytes in the queue; guarded by mu
	writing bool               // a goroutine writes what is in the queue; guarded by mu
	closed  bool               // guarded by mu
	next    time.Time          // see chat.Rate; guarded by mu
}

// Send implements [room.Member].
func (k *socket) Send(f *room.Frame) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if text := f.For(k.owner, k.hidden); text != nil {
		k.enqueue(text)
	}
}

// send sends a text to this socket alone.
func (k *socket) send(text []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.enqueue(text)
}

// enqueue queues a text; k.mu is held.
func (k *socket) enqueue(text []byte) {
	if k.closed {
		return
	}
	if len(k.queue) >= k.srv.Limits.Queue || len(k.queue) > 0 && k.queued+len(text) > maxQueued {
		k.closed, k.queue = true, nil
		go k.drop()
		return
	}
	k.queue, k.queued = append(k.queue, text), k.queued+len(text)
	if !k.writing {
		k.writing = true
		go k.write()
	}
}

// write writes what is in the queue until it is empty.
func (k *socket) write() {
	for {
		k.mu.Lock()
		batch := k.queue
		k.queue, k.queued = nil, 0
		if k.closed || len(batch) == 0 {
			k.writing = false
			k.mu.Unlock()
			return
		}
		k.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), k.srv.Limits.Pong)
		for _, text := range batch {
			if k.conn.Write(ctx, websocket.MessageText, text) != nil {
				k.shut(websocket.StatusGoingAway, "") // the connection is closed already
				break
			}
		}
		cancel()
	}
}

// shut closes the socket with a code, and does not wait for it.
func (k *socket) shut(code websocket.StatusCode, reason string) {
	k.mu.Lock()
	closed := k.closed
	k.closed, k.queue = true, nil
	k.mu.Unlock()
	if !closed {
		go k.conn.Close(code, reason)
	}
}

// drop closes the connection without a close frame.
func (k *socket) drop() {
	_ = k.conn.CloseNow() // fails when it is closed already
}

// take notes a frame of the client, and closes the socket of a client that sends too
// many.
func (k *socket) take() bool {
	k.mu.Lock()
	after, wait := k.srv.Limits.Frames.Take(k.next, time.Now())
	k.next = after
	k.mu.Unlock()
	if wait > 0 {
		k.shut(websocket.StatusPolicyViolation, "too many frames")
	}
	return wait <= 0
}

// run reads what the client sends until the socket is closed.
func (k *socket) run() {
	defer k.srv.hub.Leave(k.room, k)
	defer k.srv.sockets.remove(k) // first: once the others see that it left, its place is free
	k.enter()
	for k.read() {
	}
	k.mu.Lock()
	closed := k.closed // then another goroutine closes the connection, possibly with a code
	k.closed, k.queue = true, nil
	k.mu.Unlock()
	if !closed {
		k.drop()
	}
}

// read reads a frame and does what it asks for. It reports whether the socket is open.
func (k *socket) read() bool {
	kind, r, err := k.conn.Reader(context.Background()) // a ping without an answer ends it
	if err != nil {
		return false
	}
	late := time.AfterFunc(k.srv.Limits.Pong, k.drop)
	data, err := io.ReadAll(r)
	late.Stop()
	switch {
	case err != nil:
		return false
	case kind != websocket.MessageText:
		k.shut(websocket.StatusUnsupportedData, "text frames only")
		return false
	case !k.take():
		return false
	}
	var f frame
	if err := json.Unmarshal(data, &f); err != nil {
		k.shut(websocket.StatusPolicyViolation, "not a JSON object of this protocol")
		return false
	}
	return k.do(f)
}

// ping closes the socket unless the client answers a ping in time.
func (k *socket) ping() {
	ctx, cancel := context.WithTimeout(context.Background(), k.srv.Limits.Pong)
	defer cancel()
	if k.conn.Ping(ctx) != nil {
		k.drop()
	}
}

package server

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/wire/wiretest"
)

// TestHostile sends what no client should: the socket is closed with the documented
// code, and the room goes on.
func TestHostile(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.limits.Frames = chat.Rate{Every: time.Hour, Burst: 15}
	w.limits.Pong = 300 * time.Millisecond
	in := w.instance()
	good, _ := w.enter(in, "A.br")
	text := func(c *client, s string) { _ = c.conn.Write(t.Context(), websocket.MessageText, []byte(s)) }
	for _, test := range []struct {
		name string
		send func(c *client)
		want websocket.StatusCode
	}{
		{"a huge frame", func(c *client) { text(c, `{"t":"msg","body":"`+strings.Repeat("x", 5000)+`"}`) }, websocket.StatusMessageTooBig},
		{"a binary frame", func(c *client) { _ = c.conn.Write(t.Context(), websocket.MessageBinary, []byte(`{"t":"hello"}`)) }, websocket.StatusUnsupportedData},
		{"no JSON", func(c *client) { text(c, "hello") }, websocket.StatusPolicyViolation},
		{"an array", func(c *client) { text(c, "[]") }, websocket.StatusPolicyViolation},
		{"a member of another type", func(c *client) { text(c, `{"t":"msg","body":7}`) }, websocket.StatusPolicyViolation},
		{"deep nesting", func(c *client) { text(c, strings.Repeat("[", 4000)) }, websocket.StatusPolicyViolation},
		{"eleven hellos", func(c *client) {
			for range 11 {
				text(c, `{"t":"hello"}`)
			}
		}, websocket.StatusPolicyViolation},
		{"a flood of frames", func(c *client) {
			for range 100 {
				text(c, `{"t":"dance"}`)
			}
		}, websocket.StatusPolicyViolation},
		{"fragments without an end", func(c *client) {
			f, err := c.conn.Writer(t.Context(), websocket.MessageText)
			for err == nil {
				_, err = f.Write([]byte(" "))
			}
		}, websocket.StatusMessageTooBig},
	} {
		c := open(t, in, "A.br")
		c.wait("pronto")
		done := make(chan struct{})
		go func() { defer close(done); test.send(c) }()
		if code := c.closed(); code != test.want && (test.name != "fragments without an end" || code != -1) {
			t.Errorf("%s: closed with %d, want %d", test.name, code, test.want)
		}
		c.conn.CloseNow()
		<-done
	}
	good.say("still here", "")
	good.wait("msg")
}

// TestHalfAFrame closes a socket whose client begins a frame and does not end it.
func TestHalfAFrame(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.limits.Pong = 100 * time.Millisecond
	in := w.instance()
	c := open(t, in, "A.br")
	c.wait("pronto")
	f, err := c.conn.Writer(t.Context(), websocket.MessageText)
	if err == nil {
		_, err = f.Write([]byte(`{"t":`))
	}
	if err != nil {
		t.Fatal(err)
	}
	if code := c.closed(); code != -1 {
		t.Errorf("closed with %d", code)
	}
}

// raw returns a socket of which the test handles the bytes itself.
func raw(t testing.TB, in *instance) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(in.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	var key [16]byte
	_, _ = rand.Read(key[:])
	fmt.Fprintf(conn, "GET /api/chat/A.br/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n\r\n",
		base64.StdEncoding.EncodeToString(key[:]))
	r := bufio.NewReaderSize(conn, 256)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line == "\r\n" {
			return conn, r
		}
	}
}

// TestSilent closes sockets that do not answer a ping.
func TestSilent(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.limits.Ping, w.limits.Pong = 50*time.Millisecond, 100*time.Millisecond
	in := w.instance()
	_, r := raw(t, in)
	if _, err := io.Copy(io.Discard, r); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
	alive := open(t, in, "A.br")
	alive.wait("pronto") // reading answers the pings
	alive.say("hello", "")
	if f := alive.wait("erro"); f.Code != codeAuth {
		t.Errorf("a socket that answers: %s", f.raw)
	}
}

// TestSlow drops a socket that does not read, and lets nobody wait for it.
func TestSlow(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.limits.Queue = 8
	w.limits.Pong = 200 * time.Millisecond
	w.limits.Ping = time.Hour
	in := w.instance()
	conn, _ := raw(t, in)
	if err := conn.(*net.TCPConn).SetReadBuffer(1); err != nil {
		t.Fatal(err)
	}
	good, _ := w.enter(in, "A.br")
	good.watches(2)
	for n := 0; good.watching != 1; n++ {
		if n == 20_000 {
			t.Fatal("the slow socket is still there")
		}
		good.say(fmt.Sprint(n, " ", strings.Repeat("é", 480)), "")
		good.wait("msg")
	}
}

// TestSockets bounds the sockets of a network, of an owner and of the instance.
func TestSockets(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.limits.SocketsPerNetwork, w.limits.SocketsPerOwner, w.limits.Sockets = 4, 2, 5
	in := w.instance()
	guest := token(w)
	refused := func(status int) {
		t.Helper()
		_, res, err := websocket.Dial(t.Context(), in.url+"/api/chat/A.br/ws", nil)
		if err == nil || res == nil || res.StatusCode != status || res.Header.Get("Retry-After") == "" {
			t.Errorf("one more socket: %v, %+v, want %d", err, res, status)
		}
	}
	var all []*client
	for i := range 4 {
		c := open(t, in, "A.br")
		c.wait("pronto")
		c.send(`{"t":"hello","token":"` + guest + `"}`)
		if i < 2 {
			c.wait("pronto")
		} else if f := c.wait("erro"); f.Code != codeAuth || f.Reason != ErrSockets.Code {
			t.Errorf("socket %d of an owner: %s", i, f.raw)
		}
		all = append(all, c)
	}
	refused(http.StatusTooManyRequests)
	all[1].watches(4)
	all[0].conn.CloseNow()
	all[1].watches(3)
	open(t, in, "A.br").wait("pronto")
	w.limits.SocketsPerNetwork, w.limits.Sockets = 100, 1
	in = w.instance()
	open(t, in, "A.br").wait("pronto")
	refused(http.StatusServiceUnavailable)
}

// TestUpgrade checks the answers to requests that do not become sockets.
func TestUpgrade(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	in := w.instance()
	up := []string{"Connection", "keep-alive, Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="}
	for _, test := range []struct {
		path    string
		headers []string
		status  int
		code    string
	}{
		{"/api/chat/A.br/ws", nil, 426, "upgrade_required"},
		{"/api/chat/A.br/ws", []string{"Connection", "Upgrade", "Upgrade", "h2c"}, 426, "upgrade_required"},
		{"/api/chat/NoSuch.br/ws", up, 404, "channel_not_found"},
		{"/api/chat/A.br/ws/", up, 308, ""},
		{"/api/chat/A.br", up, 404, "not_found"},
		{"/api/health", nil, 200, "miramundo-chatroom"},
		{"/ready", nil, 200, `"ok":true`},
	} {
		res, body := apitest.Do(t, in.Server, "GET", test.path, "", test.headers...)
		if res.StatusCode != test.status || !strings.Contains(body, test.code) {
			t.Errorf("GET %s %v: %d %s, want %d %s", test.path, test.headers, res.StatusCode, body, test.status, test.code)
		}
		if test.status == 426 && res.Header.Get("Upgrade") != "websocket" {
			t.Errorf("426 names no protocol: %v", res.Header)
		}
	}
	w.catalog.Shown = nil
	if res, body := apitest.Do(t, in.Server, "GET", "/api/chat/A.br/ws", "", up...); res.StatusCode != 503 {
		t.Errorf("without the catalog: %d %s", res.StatusCode, body)
	}
}

// TestLife closes a socket whose time is over with the code for connecting again.
func TestLife(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.limits.Ping, w.limits.Life = 50*time.Millisecond, 100*time.Millisecond
	c := open(t, w.instance(), "A.br")
	if code := c.closed(); code != websocket.StatusGoingAway {
		t.Errorf("closed with %d", code)
	}
}

// TestDrain closes the sockets of an instance that stops with the code for connecting
// again, lets no more in, and takes the instance out of the presence.
func TestDrain(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	leaving, staying := w.instance(), w.instance()
	a, b := open(t, leaving, "A.br"), open(t, staying, "A.br")
	a.wait("pronto")
	b.wait("pronto")
	b.watches(2)
	ctx, stop := context.WithCancel(t.Context())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- Serve(ctx, l, leaving.Server, slog.New(slog.DiscardHandler)) }()
	stop()
	if code := a.closed(); code != websocket.StatusGoingAway {
		t.Errorf("closed with %d", code)
	}
	if _, res, err := websocket.Dial(t.Context(), leaving.url+"/api/chat/A.br/ws", nil); err == nil || res == nil || res.StatusCode != 503 {
		t.Errorf("a new socket: %v, %+v", err, res)
	}
	b.watches(1)
	if err := <-done; err != nil && !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("Serve = %v", err)
	}
}

// TestEnded refuses the messages of a session that has ended since the socket was
// opened.
func TestEnded(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	c := open(t, w.instance(), "A.br", "Origin", origin, "Cookie", "__Host-mm-auth=session-ana")
	c.wait("pronto")
	c.say("one", "1")
	c.wait("msg")
	w.accounts.end()
	c.say("two", "2")
	if f := c.wait("erro"); f.Code != codeAuth || f.Reason != "session_ended" || f.Ref != "2" {
		t.Errorf("refused with %s", f.raw)
	}
}

// maxMemory is what a socket may take at the server, in bytes.
const maxMemory = 32 << 10

// TestMemory measures what idle sockets take.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a thousand sockets")
	}
	w := newWorld(t, wiretest.OpenDB(t))
	w.limits.SocketsPerNetwork = 10_000
	in := w.instance()
	used := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	open(t, in, "A.br").wait("pronto")
	const n = 1000
	before := used()
	for range n {
		_, r := raw(t, in)
		var head [4]byte // of the greeting
		if _, err := io.ReadFull(r, head[:]); err != nil {
			t.Fatal(err)
		}
		left := int64(head[1]&127) - 2
		if left == 126-2 {
			left = int64(binary.BigEndian.Uint16(head[2:]))
		}
		if _, err := io.CopyN(io.Discard, r, left); err != nil {
			t.Fatal(err)
		}
	}
	each := (used() - before) / n
	t.Logf("%d bytes a socket, with the client of the test", each)
	if each > maxMemory {
		t.Errorf("a socket takes %d bytes, at most %d are wanted", each, maxMemory)
	}
}

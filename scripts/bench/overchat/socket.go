package overchat

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// The client is written by hand on net.Conn: it shares the machine with the server
// that is measured, so each microsecond that it takes for a message is one that the
// server waits. It keeps one goroutine and a small buffer for each socket, does not
// copy the messages that it reads, and masks with zeros.

// A target is a server to open sockets at.
type target struct {
	addr   string // host:port
	header string // that gives each socket a network address of its own; empty for none
}

// A socket is a WebSocket that a crowd opened.
type socket struct {
	number int
	late   bool // joined while the others talked
	conn   net.Conn
	in     *bufio.Reader
	last   int // number of the last message that it saw, -1 before the first
}

// The sizes of a socket's buffer, which holds a message, and of the largest frame,
// which holds the recent messages of a room.
const (
	bufferSize = 768
	maxFrame   = 1 << 20
)

// Opcodes of frames (RFC 6455, section 5.2).
const (
	opText  = 1
	opClose = 8
	opPing  = 9
	opPong  = 10
)

// enterTime is how long a socket may take until the room has let it in.
const enterTime = 30 * time.Second

// dial opens the socket of a number. Sockets come from eight addresses of the
// loopback network in turn, since each has only 28,000 ports.
func dial(ctx context.Context, to target, number int, path string) (*socket, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+number%8))}}
	conn, err := d.DialContext(ctx, "tcp", to.addr)
	if err != nil {
		return nil, err
	}
	s := &socket{number: number, conn: conn, in: bufio.NewReaderSize(conn, bufferSize), last: -1}
	if err := errors.Join(conn.SetDeadline(time.Now().Add(enterTime)), s.upgrade(to, path)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return s, nil
}

// upgrade makes the connection a WebSocket.
func (s *socket) upgrade(to target, path string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n", path, to.addr)
	b.WriteString("Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
	if to.header != "" {
		fmt.Fprintf(&b, "%s: 10.%d.%d.%d\r\n", to.header, s.number>>16, s.number>>8&255, s.number&255)
	}
	b.WriteString("\r\n")
	if _, err := io.WriteString(s.conn, b.String()); err != nil {
		return err
	}
	res, err := http.ReadResponse(s.in, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close() // it has none where the socket is open
	if res.StatusCode != http.StatusSwitchingProtocols {
		return fmt.Errorf("%s answers %s", path, res.Status)
	}
	return nil
}

// read returns the next text message. It is valid until the next read. Pings are
// answered on the way.
func (s *socket) read() ([]byte, error) {
	for {
		op, payload, err := s.frame()
		switch {
		case err != nil:
			return nil, err
		case op == opText:
			return payload, nil
		case op == opClose:
			return nil, fmt.Errorf("the server closed the socket: %q", payload)
		case op == opPing:
			if err := s.write(opPong, payload); err != nil {
				return nil, err
			}
		}
	}
}

// frame reads a frame. Servers send messages in one frame, without a mask.
func (s *socket) frame() (op byte, payload []byte, err error) {
	head, err := s.in.Peek(2)
	if err != nil {
		return 0, nil, err
	}
	op, n, skip := head[0]&15, int(head[1]), 2
	switch {
	case head[0]&0x80 == 0 || n > 127:
		return 0, nil, errors.New("the server sent a frame that is masked or is not a whole message")
	case n >= 126:
		skip += 2 + n/127*6
		if head, err = s.in.Peek(skip); err != nil {
			return 0, nil, err
		}
		if n = int(binary.BigEndian.Uint16(head[2:])); skip > 4 {
			n = int(binary.BigEndian.Uint64(head[2:]))
		}
	}
	if n > maxFrame {
		return 0, nil, fmt.Errorf("the server sent a frame of %d bytes", n)
	}
	if _, err := s.in.Discard(skip); err != nil {
		return 0, nil, err
	}
	payload, err = s.take(n)
	return op, payload, err
}

// take returns the next n bytes, from the buffer where they fit into it.
func (s *socket) take(n int) ([]byte, error) {
	if n > s.in.Size() {
		long := make([]byte, n)
		_, err := io.ReadFull(s.in, long)
		return long, err
	}
	short, err := s.in.Peek(n)
	if err != nil {
		return nil, err
	}
	_, err = s.in.Discard(n)
	return short, err
}

// write sends a frame by one call, so that a pong and a message do not mix.
func (s *socket) write(op byte, payload []byte) error {
	const masked = 0x80
	frame := []byte{0x80 | op, masked | byte(len(payload))}
	if len(payload) > 125 {
		frame = binary.BigEndian.AppendUint16([]byte{0x80 | op, masked | 126}, uint16(len(payload)))
	}
	frame = append(append(frame, 0, 0, 0, 0), payload...) // a mask of zeros changes nothing
	_, err := s.conn.Write(frame)
	return err
}

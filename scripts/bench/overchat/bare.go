package overchat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/coder/websocket"
)

// bareFlag, as the first argument, makes a process the bare server.
const bareFlag = "serve-bare-chat"

// Child serves, and does not return, in a process that was started for it. Main
// must call it first; in any other process it does nothing.
func Child() {
	if len(os.Args) != 2 || os.Args[1] != bareFlag {
		return
	}
	if err := serveBare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serveBare prints its address and serves until standard input ends.
func serveBare() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { // standard input is a pipe from the parent, and ends with it
		_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end too
		os.Exit(0)
	}()
	fmt.Println(l.Addr())
	return http.Serve(l, &bareServer{rooms: map[string]*bareRoom{}})
}

// A bareServer passes each message on to every socket of the same path, in the
// simplest way that the library allows: the goroutine that read it writes it to one
// socket after the other. It stores nothing, checks nothing and waits for the slowest.
type bareServer struct {
	mu    sync.Mutex
	rooms map[string]*bareRoom
}

type bareRoom struct {
	mu      sync.Mutex
	sockets map[*websocket.Conn]bool
}

// ServeHTTP lets a socket in and reads it until it ends.
func (s *bareServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered
	}
	room := s.room(r.URL.Path)
	room.enter(c)
	defer room.leave(c)
	ctx := context.Background()
	err = c.Write(ctx, websocket.MessageText, []byte(`{"t":"pronto"}`))
	for err == nil {
		var message []byte
		if _, message, err = c.Read(ctx); err == nil {
			room.cast(ctx, message)
		}
	}
}

func (s *bareServer) room(path string) *bareRoom {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rooms[path] == nil {
		s.rooms[path] = &bareRoom{sockets: map[*websocket.Conn]bool{}}
	}
	return s.rooms[path]
}

func (r *bareRoom) enter(c *websocket.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sockets[c] = true
}

func (r *bareRoom) leave(c *websocket.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sockets, c)
	_ = c.CloseNow() // it has ended
}

func (r *bareRoom) cast(ctx context.Context, message []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.sockets {
		_ = c.Write(ctx, websocket.MessageText, message) // its reader sees the error too
	}
}

// startBare runs the bare server in a process of its own.
func startBare(ctx context.Context) (*server, error) {
	cmd := exec.CommandContext(ctx, os.Args[0], bareFlag)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop := func() error { return errors.Join(stdin.Close(), cmd.Wait()) }
	addr, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	path := func(room int) string { return fmt.Sprintf("/%d", room) }
	return &server{to: target{addr: strings.TrimSpace(addr)}, pid: cmd.Process.Pid, path: path, stop: stop}, nil
}

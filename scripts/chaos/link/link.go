// Package link is a TCP connection between processes that can be made to fail: it passes
// on what it gets, later, or not at all.
package link

import (
	"io"
	"net"
	"sync"
	"time"
)

// A Fault is how a link behaves. The zero value passes on everything at once.
type Fault struct {
	Cut   bool          // connections are ended, and new ones are not answered
	Delay time.Duration // before each piece of an answer is passed on
	Hold  bool          // answers wait until the fault is over; questions are passed on
}

// A Link passes connections on to a target. Its methods may be called concurrently.
type Link struct {
	Address string // host:port at which it listens
	target  string
	l       net.Listener

	mu    sync.Mutex
	fault Fault
	over  chan struct{} // closed when the fault is over
	conns map[net.Conn]bool
}

// Open listens on a free port of this machine, and passes connections on to target, as
// host:port.
func Open(target string) (*Link, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	k := &Link{Address: l.Addr().String(), target: target, l: l, over: make(chan struct{}), conns: map[net.Conn]bool{}}
	go k.accept()
	return k, nil
}

// Set changes how the link behaves.
func (k *Link) Set(f Fault) {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.over)
	k.fault, k.over = f, make(chan struct{})
	if f.Cut {
		for c := range k.conns {
			c.Close()
		}
	}
}

// Close ends all connections and stops listening.
func (k *Link) Close() error {
	k.Set(Fault{Cut: true})
	return k.l.Close()
}

// state returns how the link behaves, and what is closed when it behaves otherwise.
func (k *Link) state() (Fault, <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.fault, k.over
}

func (k *Link) accept() {
	for {
		c, err := k.l.Accept()
		if err != nil {
			return
		}
		go k.pass(c)
	}
}

// keep notes a connection while it is open, and reports whether it may be.
func (k *Link) keep(c net.Conn, open bool) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !open {
		delete(k.conns, c)
		return true
	}
	if k.fault.Cut {
		return false
	}
	k.conns[c] = true
	return true
}

// pass passes on one connection until either side ends it.
func (k *Link) pass(in net.Conn) {
	defer in.Close()
	if !k.keep(in, true) {
		return
	}
	defer k.keep(in, false)
	out, err := net.Dial("tcp", k.target)
	if err != nil {
		return
	}
	defer out.Close()
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(out, in) // an end is an end, whatever its reason
		out.Close()
	})
	both.Go(func() {
		k.answer(in, out)
		in.Close()
	})
	both.Wait()
}

// answer passes on what the target sends, as the fault of the moment has it.
func (k *Link) answer(to io.Writer, from io.Reader) {
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		for {
			f, over := k.state()
			if f.Delay > 0 {
				select {
				case <-time.After(f.Delay):
				case <-over:
				}
			}
			if !f.Hold {
				break
			}
			<-over
		}
		if n > 0 {
			if _, failed := to.Write(piece[:n]); failed != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

package container

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// start serves h within b on loopback until the test ends, and returns its address.
func start(t *testing.T, b Bounds, h http.HandlerFunc) string {
	t.Helper()
	b.Grace = time.Minute
	address, stop := serve(t, b, h)
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return address
}

// serve serves h within b on loopback until stop is called, which returns what Serve
// returned.
func serve(t *testing.T, b Bounds, h http.HandlerFunc) (address string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	ended := make(chan error, 1)
	go func() { ended <- b.Serve(ctx, l, h, slog.New(slog.DiscardHandler)) }()
	return l.Addr().String(), func() error { cancel(); return <-ended }
}

func dial(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

const short = 50 * time.Millisecond

// TestHeldConnections checks that the server ends connections whose clients send no
// request, or not all of one. The test ends when it has.
func TestHeldConnections(t *testing.T) {
	read := func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
	}
	for _, test := range []struct {
		name, sends string
		bounds      Bounds
	}{
		{"nothing", "", Bounds{Header: short}},
		{"half a header", "GET / HTTP/1.1\r\nHost: a.example\r\nX-", Bounds{Header: short}},
		{"half a header, bounded as a request is", "GET / HTTP/1.1\r\nHost: a.example\r\nX-", Bounds{Read: short}},
		{"half a body", "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 10\r\n\r\n12345", Bounds{Read: short}},
		{"nothing more", "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", Bounds{Idle: short}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, start(t, test.bounds, read))
			if _, err := io.WriteString(c, test.sends); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, c); err != nil {
				t.Errorf("the connection ends with %v", err)
			}
		})
	}
}

func TestLongHeader(t *testing.T) {
	c := dial(t, start(t, Bounds{Header: time.Minute, HeaderBytes: 16 << 10}, func(http.ResponseWriter, *http.Request) {}))
	go fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: a.example\r\nX-Long: %s\r\n\r\n", strings.Repeat("x", 32<<10))
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d, want 431", res.StatusCode)
	}
}

// TestSlowReader checks that an answer of which a client takes nothing ends.
func TestSlowReader(t *testing.T) {
	written := make(chan error, 1)
	address := start(t, Bounds{Pace: Pace{First: short, Rate: 1 << 30}}, func(w http.ResponseWriter, r *http.Request) {
		block := bytes.Repeat([]byte("x"), 1<<20)
		for {
			if _, err := w.Write(block); err != nil {
				written <- err
				return
			}
		}
	})
	c := dial(t, address)
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	var timeout net.Error
	if err := <-written; !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("writing ends with %v, want a timeout", err)
	}
}

// TestPaceCountsWaiting checks that only the time in which a client takes nothing
// counts: neither the time of a handler nor that between requests.
func TestPaceCountsWaiting(t *testing.T) {
	const first = 100 * time.Millisecond
	address := start(t, Bounds{Pace: Pace{First: first, Rate: 1 << 30}}, func(w http.ResponseWriter, r *http.Request) {
		for range 3 {
			<-time.After(first)
			if _, err := io.WriteString(w, "a line\n"); err != nil {
				t.Error(err)
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
		}
	})
	for range 2 {
		res, err := http.Get("http://" + address)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || strings.Count(string(body), "a line") != 3 {
			t.Errorf("the answer is %q, %v", body, err)
		}
	}
}

// TestConnections checks that connections beyond the bound wait until one ends.
func TestConnections(t *testing.T) {
	begun, release := make(chan struct{}, 2), make(chan struct{})
	address := start(t, Bounds{Connections: 1}, func(http.ResponseWriter, *http.Request) {
		begun <- struct{}{}
		<-release
	})
	first, second := dial(t, address), dial(t, address)
	for _, c := range []net.Conn{first, second} {
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	<-begun
	select {
	case <-begun:
		t.Fatal("two connections are served at once")
	default:
	}
	close(release)
	<-begun
}

// TestStop checks that a request under way is answered before Serve returns, and cut
// off when it takes longer than the grace.
func TestStop(t *testing.T) {
	for _, test := range []struct {
		name  string
		grace time.Duration
		done  bool
	}{
		{"in time", time.Minute, true},
		{"too late", short, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			begun, release := make(chan struct{}), make(chan struct{})
			address, stop := serve(t, Bounds{Grace: test.grace}, func(w http.ResponseWriter, r *http.Request) {
				close(begun)
				<-release
			})
			answered := make(chan error, 1)
			go func() {
				res, err := http.Get("http://" + address)
				if err == nil {
					res.Body.Close()
				}
				answered <- err
			}()
			<-begun
			stopped := make(chan error, 1)
			go func() { stopped <- stop() }()
			if test.done {
				close(release)
			} else {
				defer close(release)
			}
			if err := <-stopped; (err == nil) != test.done {
				t.Errorf("Serve returns %v", err)
			}
			if err := <-answered; (err == nil) != test.done {
				t.Errorf("the request under way ends with %v", err)
			}
		})
	}
}

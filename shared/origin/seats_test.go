package origin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// testTimeout is how long a test waits for something immediate before it
// fails.
const testTimeout = 30 * time.Second

// onHost returns a server on an address of the loopback network.
func onHost(t *testing.T, address string, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp4", address+":0")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(h)
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// TestPerHost makes many requests to one host, at two ports: none begins
// before the body of the previous one is closed.
func TestPerHost(t *testing.T) {
	var inside, most atomic.Int64
	handle := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, playlist) }
	one, two := onHost(t, "127.0.0.21", handle), onHost(t, "127.0.0.21", handle)
	c := New(Options{PerHost: 1, Timeout: testTimeout, Header: testTimeout, Allow: []string{one.Listener.Addr().String(), two.Listener.Addr().String()}})
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			res, err := c.Open(context.Background(), Request{URL: []string{one.URL, two.URL}[i%2], Wait: time.Duration(i%3) * testTimeout})
			if err != nil {
				t.Error(err)
				return
			}
			if n := inside.Add(1); n > most.Load() {
				most.Store(n)
			}
			_, err = io.Copy(io.Discard, res.Body)
			inside.Add(-1)
			if err = errors.Join(err, res.Body.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d answers were open at once", most.Load())
	}
	if n := len(c.seats.hosts); n != 0 {
		t.Errorf("%d hosts are kept when nobody asks them", n)
	}
}

// TestPerHostHeld has a request that waits for a seat and gives up.
func TestPerHostHeld(t *testing.T) {
	s := onHost(t, "127.0.0.22", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, playlist) })
	c := New(Options{PerHost: 1, Timeout: testTimeout, Header: testTimeout, Allow: []string{s.Listener.Addr().String()}})
	res, err := c.Open(t.Context(), Request{URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open(t.Context(), Request{URL: s.URL, Timeout: time.Millisecond}); !errors.Is(err, ErrBusy) {
		t.Errorf("%v, want ErrBusy", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Open(gone, Request{URL: s.URL}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the caller's own error", err)
	}
	if err := errors.Join(res.Body.Close(), res.Body.Close()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Fetch(t.Context(), Request{URL: s.URL}); err != nil {
		t.Errorf("after all was closed: %v", err)
	}
}

// TestPerHostQueue has a request wait at its host, and again at the one to which
// it is redirected, for longer than it may take itself: it is answered, and
// tells how long it has waited. What it may take goes on where it stood still.
func TestPerHostQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{PerHost: 1})
		flight := func(told func(time.Duration)) *flight {
			f := &flight{client: c, host: "a.example", outer: t.Context()}
			f.limit(time.Second, Request{Queued: told})
			return f
		}
		first := flight(nil)
		if err := first.start("a.example"); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(1900*time.Millisecond, first.end)
		var told time.Duration
		second := flight(func(took time.Duration) { told += took })
		if err := second.start("a.example"); err != nil || second.within.Err() != nil {
			t.Fatalf("%v, %v", err, second.within.Err())
		}
		time.Sleep(600 * time.Millisecond)
		held := flight(nil)
		if err := held.start("b.example"); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(2*time.Second, held.end)
		if err := second.move("b.example"); err != nil || second.within.Err() != nil {
			t.Fatalf("where it leads to: %v, %v", err, second.within.Err())
		}
		if want := 3900 * time.Millisecond; second.clock.waited != want || told != want {
			t.Errorf("it waited for %v and told %v, want %v", second.clock.waited, told, want)
		}
		time.Sleep(399 * time.Millisecond)
		synctest.Wait()
		if second.within.Err() != nil || second.late.Load() {
			t.Error("it is late before its time")
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if second.within.Err() == nil || !second.late.Load() {
			t.Error("it is not late after its time")
		}
		second.end()
	})
}

// TestPerHostQueueEnds has requests wait at a host for as long as they may.
func TestPerHostQueueEnds(t *testing.T) {
	for _, tc := range []struct{ queue, want time.Duration }{{0, 4 * time.Second}, {time.Minute, time.Minute}, {time.Millisecond, time.Millisecond}} {
		synctest.Test(t, func(t *testing.T) {
			c := New(Options{PerHost: 1})
			first := &flight{client: c, outer: t.Context()}
			first.limit(time.Hour, Request{})
			if err := first.start("a.example"); err != nil {
				t.Fatal(err)
			}
			second := &flight{client: c, outer: t.Context()}
			second.limit(time.Second, Request{Queue: tc.queue})
			begun := time.Now()
			if err := second.start("a.example"); !errors.Is(err, ErrBusy) || time.Since(begun) != tc.want {
				t.Errorf("%v after %v, want ErrBusy after %v", err, time.Since(begun), tc.want)
			}
			second.end()
			first.end()
			if n := len(c.seats.hosts); n != 0 {
				t.Errorf("%d hosts are kept when nobody asks them", n)
			}
		})
	}
}

// TestPerHostFull has a request with a seat at its host but no place: it
// keeps neither.
func TestPerHostFull(t *testing.T) {
	handle := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, playlist) }
	one, two := onHost(t, "127.0.0.27", handle), onHost(t, "127.0.0.28", handle)
	c := New(Options{
		PerHost: 1, MaxInFlight: 1, Timeout: testTimeout, Header: testTimeout,
		Allow: []string{one.Listener.Addr().String(), two.Listener.Addr().String()},
	})
	res, err := c.Open(t.Context(), Request{URL: one.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open(t.Context(), Request{URL: two.URL, Timeout: time.Millisecond}); !errors.Is(err, ErrBusy) {
		t.Errorf("%v, want ErrBusy", err)
	}
	if err := res.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Fetch(t.Context(), Request{URL: two.URL}); err != nil {
		t.Errorf("after all was closed: %v", err)
	}
	if n := len(c.seats.hosts); n != 0 {
		t.Errorf("%d hosts are kept when nobody asks them", n)
	}
}

// TestPerHostRedirect has two hosts that redirect to each other, with fewer
// places than requests: no request may wait for a seat while it holds
// another.
func TestPerHostRedirect(t *testing.T) {
	var hosts [2]*httptest.Server
	var under [2]atomic.Int64
	for i := range hosts {
		hosts[i] = onHost(t, fmt.Sprintf("127.0.0.%d", 23+i), func(w http.ResponseWriter, r *http.Request) {
			if n := under[i].Add(1); n > 1 {
				t.Errorf("%d requests at host %d", n, i)
			}
			under[i].Add(-1) // who is answered may ask again at once
			if r.URL.Path == "/there" {
				io.WriteString(w, playlist)
				return
			}
			http.Redirect(w, r, hosts[1-i].URL+"/there", http.StatusFound)
		})
	}
	c := New(Options{
		PerHost: 1, MaxInFlight: 3, Timeout: testTimeout, Header: testTimeout,
		Allow: []string{hosts[0].Listener.Addr().String(), hosts[1].Listener.Addr().String()},
	})
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			if res, _, err := c.Fetch(context.Background(), Request{URL: hosts[i%2].URL}); err != nil || !strings.HasPrefix(res.URL, hosts[1-i%2].URL) {
				t.Errorf("request %d: %v", i, err)
			}
		})
	}
	all.Wait()
	if n, m := len(c.seats.hosts), len(c.reading.all); n+m != 0 {
		t.Errorf("%d hosts and %d places are taken after the last answer", n, m)
	}
}

// TestPerHostMoves checks at which host a redirected request has its seat.
func TestPerHostMoves(t *testing.T) {
	arrived, leave := make(chan struct{}, 8), make(chan struct{})
	far := onHost(t, "127.0.0.25", func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-leave
		io.WriteString(w, playlist)
	})
	near := onHost(t, "127.0.0.26", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, far.URL, http.StatusFound)
			return
		}
		io.WriteString(w, playlist)
	})
	c := New(Options{PerHost: 1, Timeout: testTimeout, Header: testTimeout, Allow: []string{far.Listener.Addr().String(), near.Listener.Addr().String()}})
	done := make(chan error, 1)
	go func() {
		_, _, err := c.Fetch(context.Background(), Request{URL: near.URL + "/away"})
		done <- err
	}()
	<-arrived
	if _, _, err := c.Fetch(t.Context(), Request{URL: near.URL}); err != nil {
		t.Errorf("the host that redirected: %v", err)
	}
	if _, err := c.Open(t.Context(), Request{URL: far.URL, Timeout: time.Millisecond}); !errors.Is(err, ErrBusy) {
		t.Errorf("the host it leads to: %v, want ErrBusy", err)
	}
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestFirstBytes reads the beginning of bodies that are longer, and of an
// endless one.
func TestFirstBytes(t *testing.T) {
	long := strings.Repeat("0123456789", 1000)
	s, c := serverAndClient(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/long":
			io.WriteString(w, long)
		case "/short":
			io.WriteString(w, long[:10])
		default:
			for {
				if _, err := io.WriteString(w, long); err != nil {
					return
				}
			}
		}
	})
	for path, want := range map[string]string{"/long": long[:25], "/short": long[:10], "/endless": long[:25]} {
		res, data, err := c.Fetch(t.Context(), Request{URL: s.URL + path, First: 25, MaxBytes: 5})
		if err != nil || string(data) != want {
			t.Errorf("%s: %v, %q, %v", path, res, data, err)
		}
	}
}

// serveBytes returns the address of a server that responds with raw bytes, in
// pieces of n.
func serveBytes(t *testing.T, answer string, n int) string {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		running.Wait()
	})
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				for rest := answer; rest != ""; rest = rest[min(n, len(rest)):] {
					io.WriteString(conn, rest[:min(n, len(rest))])
				}
			}
			conn.Close()
		}
	})
	return l.Addr().String()
}

// TestShoutcast requests Shoutcast servers, and others whose responses only
// begin similarly.
func TestShoutcast(t *testing.T) {
	for _, tc := range []struct {
		answer, want string
		shoutcast    bool
	}{
		{"ICY 200 OK\r\nicy-br:128\r\n\r\nmusic", "music", true},
		{"HTTP/1.0 200 OK\r\n\r\nmusic", "music", true},
		{"ICY 200 OK\r\n\r\nmusic", "", false},
		{"ICE 200 OK\r\n\r\nmusic", "", true},
		{"IC", "", true},
		{"ICY ", "", true},
		{"", "", true},
	} {
		for _, n := range []int{1, 3, 4, 1000} {
			at := serveBytes(t, tc.answer, n)
			c := New(Options{Shoutcast: tc.shoutcast, Allow: []string{at}, Timeout: testTimeout, Header: testTimeout})
			res, data, err := c.Fetch(t.Context(), Request{URL: "http://" + at})
			if string(data) != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("%q in pieces of %d: %v, %q, %v", tc.answer, n, res, data, err)
			}
		}
	}
}

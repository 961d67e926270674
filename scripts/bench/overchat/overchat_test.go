package overchat

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// startHere runs the bare server in this process.
func startHere(t *testing.T) *server {
	t.Helper()
	h := &bareServer{rooms: map[string]*bareRoom{}}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return &server{
		to: target{addr: strings.TrimPrefix(s.URL, "http://")}, pid: os.Getpid(),
		path: func(room int) string { return "/" + string(rune('a'+room)) },
	}
}

// TestCrowd holds that each message reaches every socket of its room once.
func TestCrowd(t *testing.T) {
	c, err := gather(t.Context(), startHere(t), 3, 33)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	got, err := c.measure(t.Context(), time.Second, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.times) != 33 || got.missing != 0 || got.disorder != 0 {
		t.Errorf("%d deliveries, %d missing, %d out of order; want 33 of 3 messages", len(got.times), got.missing, got.disorder)
	}
	if p50, longest := got.times.share(0.5), got.times.share(1); p50 <= 0 || p50 > longest {
		t.Errorf("p50 %v, longest %v", p50, longest)
	}
}

// TestRush holds that sockets that come later count for nothing but themselves.
func TestRush(t *testing.T) {
	c, err := gather(t.Context(), startHere(t), 2, 8)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	joined, err := c.rush(t.Context(), 20)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.measure(t.Context(), time.Second, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(joined) != 20 || len(got.times) != 8 || got.missing != 0 {
		t.Errorf("%d joined, %d deliveries, %d missing; want 20, 8 and 0", len(joined), len(got.times), got.missing)
	}
}

// TestHear counts what a server repeats, mixes up, refuses or makes up.
func TestHear(t *testing.T) {
	p := &phase{}
	c := &crowd{messages: make([]message, 4)}
	for i := range 3 {
		c.messages[i].phase = p
		c.messages[i].misses.Store(1)
		p.sent = append(p.sent, &c.messages[i])
	}
	c.sent.Store(3)
	s := &socket{last: -1}
	for _, text := range []string{
		`{"t":"presenca","watching":2}`, `{"t":"msg","id":"x","body":"a fox, number 1"}`,
		`{"t":"msg","body":"a fox, number 1"}`, `{"t":"msg","body":"a fox, number 0"}`, `{"t":"msg","body":"a fox, number 2"}`,
	} {
		c.hear(s, []byte(text))
	}
	if missing, disorder := p.missing(), c.disorder.Load(); missing != 1 || disorder != 2 || c.failure.Load() != nil {
		t.Errorf("%d missing, %d out of order, %v; want 1, 2 and no failure", missing, disorder, c.failure.Load())
	}
	for _, text := range []string{`{"t":"msg","body":"a fox, number 3"}`, `{"t":"msg","body":"a fox"}`, `{"t":"erro","code":"vazio"}`} {
		c.failure.Store(nil)
		if c.hear(s, []byte(text)); c.failure.Load() == nil {
			t.Errorf("%s is no failure", text)
		}
	}
}

// TestRead reads frames of every length, and answers pings.
func TestRead(t *testing.T) {
	s := startHere(t)
	from, err := dial(t.Context(), s.to, 1, s.path(0))
	if err != nil {
		t.Fatal(err)
	}
	defer from.conn.Close()
	if _, err := from.read(); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 125, 126, bufferSize, bufferSize + 1, 30_000} {
		want := strings.Repeat("x", n)
		if err := from.write(opText, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := from.read(); err != nil || string(got) != want {
			t.Fatalf("read %d bytes, %v; want %d", len(got), err, n)
		}
	}
	if err := from.write(opPing, []byte("ping")); err != nil {
		t.Fatal(err)
	}
	if op, got, err := from.frame(); op != opPong || string(got) != "ping" || err != nil {
		t.Errorf("answer %d %q, %v; want a pong", op, got, err)
	}
}

// TestDialRefused returns what the server answered in place of a socket.
func TestDialRefused(t *testing.T) {
	s := httptest.NewServer(nil)
	defer s.Close()
	if _, err := dial(t.Context(), target{addr: strings.TrimPrefix(s.URL, "http://")}, 1, "/"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("dial: %v, want the status", err)
	}
}

func TestShare(t *testing.T) {
	var all times
	for i := range 100 {
		all.add(i, time.Duration(100-i))
	}
	sorted := all.sorted()
	for p, want := range map[float64]time.Duration{0: 1, 0.5: 51, 0.99: 100, 1: 100} {
		if got := sorted.share(p); got != want {
			t.Errorf("share %v = %d, want %d", p, got, want)
		}
	}
	if got := (sortedTimes{}).share(0.5); got != 0 {
		t.Errorf("share of nothing = %v", got)
	}
}

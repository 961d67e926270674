package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/metrics"
	"miramundo.dev/shared/metrics/metricstest"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// TestMain runs the program itself when a test started this binary as such.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_HOP") == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A hop is the program in a process of its own.
type hop struct {
	*exec.Cmd
	out *bytes.Buffer
	url string
}

// launch starts the program on a port with the given settings.
func launch(ctx context.Context, t testing.TB, port string, settings ...string) *hop {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := &hop{Cmd: exec.CommandContext(ctx, exe), out: &bytes.Buffer{}, url: "http://127.0.0.1:" + port}
	h.Env = append([]string{"TEST_HOP=1", "LOCAL_ONLY=true", "PORT=" + port, "HOP_TICKET_KEYS=a key of the tests that nobody else has"}, settings...)
	h.Stdout, h.Stderr = h.out, h.out
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	return h
}

// freePort returns a port that nobody listened on a moment ago.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// await asks until the answer is 200, and returns its body.
func (h *hop) await(ctx context.Context, t testing.TB, path string) []byte {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		body, err := get(h.url+path, "a player")
		if err == nil {
			return body
		}
		select {
		case <-ctx.Done():
			t.Fatalf("no answer: %v\n%s", err, h.out)
		case <-tick.C:
		}
	}
}

var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}

func get(url, agent string) ([]byte, error) {
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", agent)
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", res.StatusCode, body)
	}
	return body, err
}

const channels = 3

// seed publishes a catalog of a few channels at an origin, in the folder dir.
func seed(ctx context.Context, t testing.TB, dir, origin string) {
	t.Helper()
	reg := &catalog.Register{BuiltAt: time.Unix(1e9, 0)}
	for i := range channels {
		name := fmt.Sprintf("c%d", i)
		reg.Records = append(reg.Records, catalog.Record{ID: name, Name: name, Streams: []catalog.StreamRecord{
			{ID: catalog.StreamID(i + 1), URL: origin + "/" + name + ".m3u8", Kind: catalog.StreamHLS, Playable: true},
		}})
	}
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	data, err := ix.Encode()
	if err != nil {
		t.Fatal(err)
	}
	db, events := open(ctx, t, dir)
	a := &release.Archive{DB: db, Now: time.Now}
	if _, err := a.Publish(ctx, release.Release{Version: ix.Version(), Channels: ix.Len(), Streams: ix.StreamLen()}, data, release.Pointer{SyncedAt: store.At(time.Now())}, release.Override{}); err != nil {
		t.Fatal(err)
	}
	if err := events.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func open(ctx context.Context, t testing.TB, dir string) (store.DB, bus.Bus) {
	t.Helper()
	db, events, err := wire.Open(ctx, wire.Config{Backend: wire.Embedded, DataDir: dir, Topology: social.Topology(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return db, events
}

// A consumer counts the plays on the bus, as the service does: by their keys.
type consumer struct {
	mu     sync.Mutex
	keys   map[string]social.Play // guarded by mu
	events int                    // guarded by mu
	moved  chan struct{}          // told when an event came
}

// consume counts the plays that the hop with the folder dir publishes, until
// the test ends.
func consume(t *testing.T, dir string) *consumer {
	t.Helper()
	db, events := open(t.Context(), t, dir)
	c := &consumer{keys: map[string]social.Play{}, moved: make(chan struct{}, 1)}
	receiving, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- events.Receive(receiving, social.Plays, c.take) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		events.Close()
		db.Close()
	})
	return c
}

func (c *consumer) take(_ context.Context, e bus.Event) error {
	p, err := social.PlayOf(e)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys[p.Key] = p
	c.events++
	select {
	case c.moved <- struct{}{}:
	default:
	}
	return nil
}

// until waits for so many events, and returns how many keys they have.
func (c *consumer) until(ctx context.Context, t *testing.T, events int) (keys int) {
	t.Helper()
	for {
		c.mu.Lock()
		came, keys := c.events, len(c.keys)
		c.mu.Unlock()
		if came >= events {
			return keys
		}
		select {
		case <-c.moved:
		case <-ctx.Done():
			t.Fatalf("%d events came, want %d", came, events)
		}
	}
}

// An audience is people who each play every channel.
type audience struct {
	url    string
	people int
	failed atomic.Int64
}

// play lets everyone play everything once.
func (a *audience) play() {
	var wg sync.WaitGroup
	for person := range a.people {
		wg.Go(func() {
			for c := range channels {
				url := a.url + catalog.StreamsPath + catalog.StreamID(c+1).String()
				if _, err := get(url, fmt.Sprintf("player %d", person)); err != nil {
					a.failed.Add(1)
				}
			}
		})
	}
	wg.Wait()
}

// TestKill ends the program without warning while people play, starts it
// again, and counts: it serves at once, and no play counts twice.
func TestKill(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nseg.ts\n")
	}))
	defer origin.Close()
	dir, port := t.TempDir(), freePort(t)
	seed(ctx, t, dir, origin.URL)
	settings := []string{
		"DATA_DIR=" + dir, "ORIGIN_ALLOW=" + origin.Listener.Addr().String(), "HOP_FREE_MINUTES=120",
		"PEOPLE_KEYS=a key of the tests that nobody else has", "HOP_TICKET_KEYS=a key of the tests that nobody else has",
	}
	first := launch(ctx, t, port, settings...)
	first.await(ctx, t, "/api/health")

	told := consume(t, dir)
	crowd := &audience{url: first.url, people: 20}
	want := crowd.people * channels
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for crowd.failed.Load() == 0 {
			crowd.play()
		}
	}()
	told.until(ctx, t, want)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // which says that it was killed
	<-ended

	begun := time.Now()
	second := launch(ctx, t, port, settings...)
	second.await(ctx, t, catalog.StreamsPath+catalog.StreamID(1).String())
	t.Logf("the next instance served %s after its start", time.Since(begun))
	crowd.failed.Store(0)
	crowd.play()
	if n := crowd.failed.Load(); n > 0 {
		t.Errorf("%d plays failed after the restart: %s", n, second.out)
	}
	if err := second.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := second.Wait(); err != nil {
		t.Errorf("SIGTERM ended it with %v: %s", err, second.out)
	}

	want++ // the player that waited for the second instance
	keys := told.until(ctx, t, want+crowd.people*channels)
	if keys != want && !told.severalDays() { // who plays before and after midnight counts twice
		t.Errorf("%d plays are counted, want %d", keys, want)
	}
}

// severalDays reports whether midnight, of UTC, passed among the plays.
func (c *consumer) severalDays() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	days := map[string]bool{}
	for _, p := range c.keys {
		days[p.Day] = true
	}
	return len(days) > 1
}

// TestStop checks that SIGTERM lets a request under way end, and that the log
// is whole.
func TestStop(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	asked, answer := make(chan struct{}), make(chan struct{})
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-answer
		io.WriteString(w, "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nseg.ts\n")
	}))
	defer origin.Close()
	dir := t.TempDir()
	seed(ctx, t, dir, origin.URL)
	h := launch(ctx, t, freePort(t), "DATA_DIR="+dir, "ORIGIN_ALLOW="+origin.Listener.Addr().String())
	h.await(ctx, t, "/api/health")
	result := make(chan error, 1)
	go func() {
		_, err := get(h.url+catalog.StreamsPath+catalog.StreamID(1).String(), "a player")
		result <- err
	}()
	<-asked
	if err := h.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	refused(ctx, t, strings.TrimPrefix(h.url, "http://"))
	close(answer)
	if err := <-result; err != nil {
		t.Errorf("the request under way: %v", err)
	}
	if err := h.Wait(); err != nil {
		t.Errorf("SIGTERM ended it with %v: %s", err, h.out)
	}
	records := 0
	for d := json.NewDecoder(h.out); d.More(); {
		var r struct{ HTTPRequest *struct{ Status int } }
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r.HTTPRequest != nil && r.HTTPRequest.Status == 200 {
			records++
		}
	}
	if records < 2 { // of health and of the playlist
		t.Errorf("the log has %d records of requests", records)
	}
}

// refused returns when addr does not take connections any more.
func refused(ctx context.Context, t *testing.T, addr string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		conn.Close()
		select {
		case <-ctx.Done():
			t.Fatal("new connections are taken after SIGTERM")
		case <-tick.C:
		}
	}
}

// TestRefusals checks that a program that cannot serve says why and ends.
func TestRefusals(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	for _, test := range []struct{ port, setting, want string }{
		{freePort(t), "BACKEND=stone", "BACKEND must be"},
		{freePort(t), "HOP_TICKET_KEYS=short", "HOP_TICKET_KEYS is not a valid key ring"},
		{freePort(t), "HOP_TICKET_KEYS=", "HOP_TICKET_KEYS is missing, and hop cannot work without it"},
		{port, "BACKEND=embedded", "address already in use"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		h := launch(ctx, t, test.port, test.setting, "DATA_DIR="+t.TempDir())
		if err := h.Wait(); err == nil || !strings.Contains(h.out.String(), test.want) {
			t.Errorf("%s: %v, output %s, want %s", test.setting, err, h.out, test.want)
		}
	}
}

// TestUnsolicitedBytes has an origin send more than its response. The program
// says so in its log, and repeats nothing of it.
func TestUnsolicitedBytes(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	closed := make(chan struct{})
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		text := "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nseg.ts\n"
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%sHTTP/1.1 200 MARKER\r\nX: \"MARKER\r\n\r\n", len(text), text)
		_, _ = conn.Read(make([]byte, 1)) // ends when the program hangs up
		close(closed)
	}))
	defer origin.Close()
	dir := t.TempDir()
	seed(ctx, t, dir, origin.URL)
	h := launch(ctx, t, freePort(t), "DATA_DIR="+dir, "ORIGIN_ALLOW="+origin.Listener.Addr().String())
	h.await(ctx, t, "/api/health")
	if _, err := get(h.url+catalog.StreamsPath+catalog.StreamID(1).String(), "a player"); err != nil {
		t.Fatal(err)
	}
	<-closed
	if err := h.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := h.Wait(); err != nil {
		t.Errorf("SIGTERM ended it with %v: %s", err, h.out)
	}
	if log := h.out.String(); strings.Contains(log, "MARKER") || !strings.Contains(log, "Unsolicited response") {
		t.Errorf("the log is %s", log)
	}
}

// TestMetrics plays a channel and one whose origin fails, reads the metrics of the program,
// and checks that only the private port shows them.
func TestMetrics(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/c1.m3u8" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		io.WriteString(w, "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nseg.ts\n")
	}))
	defer origin.Close()
	dir, port, private := t.TempDir(), freePort(t), freePort(t)
	seed(ctx, t, dir, origin.URL)
	h := launch(ctx, t, port, "DATA_DIR="+dir, "ORIGIN_ALLOW="+origin.Listener.Addr().String(), "METRICS_PORT="+private)
	h.await(ctx, t, "/api/health")
	for c := range 2 {
		_, err := get(h.url+catalog.StreamsPath+catalog.StreamID(c+1).String(), "a player")
		if (err == nil) != (c == 0) {
			t.Errorf("channel %d: %v", c, err)
		}
	}
	got := metricstest.Read(t, "http://127.0.0.1:"+private+metrics.Path)
	for name, want := range map[string]float64{
		`miramundo_http_requests_total{code="200",method="GET",route="/api/s/{id}"}`:      1,
		`miramundo_http_requests_total{code="422",method="GET",route="/api/s/{id}"}`:      1,
		`miramundo_http_faults_total{code="playlist_acesso"}`:                             1,
		`miramundo_http_request_duration_seconds_count{method="GET",route="/api/s/{id}"}`: 2,
		`miramundo_hop_fetches_total{outcome="ok"}`:                                       1,
		`miramundo_hop_fetches_total{outcome="origin_access"}`:                            1,
		`miramundo_hop_places{pool="fetches",state="taken"}`:                              0,
		"miramundo_hop_cache_entries":                                                     4,
		"miramundo_catalog_channels":                                                      channels,
		"miramundo_catalog_loaded":                                                        1,
		"miramundo_followers":                                                             2,
	} {
		if value, ok := got[name]; !ok || value != want {
			t.Errorf("%s is %v (%v), want %v", name, value, ok, want)
		}
	}
	if got["miramundo_hop_cache_bytes"] <= 0 {
		t.Error("the cache has no bytes")
	}
	if body, err := get(h.url+metrics.Path, "a player"); err == nil || strings.Contains(string(body), "miramundo_") {
		t.Errorf("the public port answers %s", body)
	}
	if err := h.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := h.Wait(); err != nil {
		t.Errorf("SIGTERM ended it with %v: %s", err, h.out)
	}
}

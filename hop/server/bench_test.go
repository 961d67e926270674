package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"miramundo.dev/hop/audience"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
)

// thousand is a live playlist of 1,000 lines with relative references.
func thousand() string {
	var b strings.Builder
	b.WriteString("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:100000\n")
	for i := range 498 {
		fmt.Fprintf(&b, "#EXTINF:6.000,\nvideo/segment_%d.ts\n", 100000+i)
	}
	return b.String()
}

// A load is what a benchmark asks for over and over, on many connections.
type load struct {
	addr     string
	requests [][]byte
}

func get(path, headers string) []byte {
	return []byte("GET " + path + " HTTP/1.1\r\nHost: hop.example\r\nUser-Agent: a player of the benchmark\r\nX-Client-Address: 192.0.2.7\r\n" + headers + "\r\n")
}

// run asks on conns connections for as long as d and returns what an answer
// costs, in seconds of the processor: the hop's and the player's, which are one
// process here. On a machine with other work it says more than the rate does.
func (l load) run(b *testing.B, conns int, d time.Duration) float64 {
	b.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	total, end := 0, time.Now().Add(d)
	begun := processor(b)
	for c := range conns {
		wg.Go(func() {
			n, err := l.ask(c, end)
			mu.Lock()
			defer mu.Unlock()
			if total += n; err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	return (processor(b) - begun).Seconds() / float64(total)
}

// processor returns the time that this process has used of processors.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ask sends requests on one connection until end.
func (l load) ask(first int, end time.Time) (n int, err error) {
	conn, err := net.Dial("tcp", l.addr)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 64<<10)
	for ; time.Now().Before(end); n++ {
		if _, err := conn.Write(l.requests[(first+n)%len(l.requests)]); err != nil {
			return n, err
		}
		if err := skip(in); err != nil {
			return n, err
		}
	}
	return n, nil
}

// skip reads one answer.
func skip(in *bufio.Reader) error {
	length := -1
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200")) {
			return fmt.Errorf("answered %s", line)
		}
		if v, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(v))); err != nil {
				return err
			}
		}
		if len(line) == 2 {
			_, err = in.Discard(length)
			return err
		}
	}
}

// ceiling is a plain handler that writes the body of an answer, and with same
// all its headers too, behind the same limits: what net/http can do at all.
func ceiling(b *testing.B, a answer, same bool) string {
	b.Helper()
	body, header := []byte(a.body), http.Header{
		"Content-Type": a.Header["Content-Type"], "Content-Length": a.Header["Content-Length"],
	}
	srv := httptest.NewUnstartedServer(nil)
	if same {
		header = a.Header
		delete(header, "Date")
		srv.Config = HTTP(nil, slog.New(slog.DiscardHandler))
	}
	srv.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for name, values := range header {
			h[name] = values
		}
		w.Write(body)
	})
	srv.Start()
	b.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

// compare reports what an answer of l costs, and how often as many answers l
// gives as the other for the same cost: the median of interleaved rounds.
func compare(b *testing.B, l, other load) {
	const conns, rounds, each = 32, 9, 300 * time.Millisecond
	other.run(b, conns, each)
	l.run(b, conns, each)
	var costs, ratios []float64
	for b.Loop() {
		for range rounds {
			base, cost := other.run(b, conns, each), l.run(b, conns, each)
			costs, ratios = append(costs, cost), append(ratios, base/cost)
		}
	}
	slices.Sort(costs)
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "of-the-other")
	b.ReportMetric(1e6*costs[len(costs)/2], "µs-cpu/answer")
	b.ReportMetric(0, "ns/op")
}

// benchWorld is a hop with everything on: tickets, audience and a log through
// the buffer of the container.
func benchWorld(b *testing.B, channels int) *world {
	text := thousand()
	streams := make([]catalog.StreamRecord, channels)
	for i := range streams {
		streams[i] = catalog.StreamRecord{URL: fmt.Sprintf("/live/%d.m3u8", i)}
	}
	out := cloudlog.NewBuffer(io.Discard)
	b.Cleanup(func() { out.Close() })
	counter := audience.New(audience.Options{Bus: silence{}, People: identity.NewPeople(keyringtest.Ring(testKey))})
	b.Cleanup(func() { counter.Close(context.Background()) })
	return start(b, setup{
		streams: streams,
		origin:  http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) }),
		log: cloudlog.New(out, slog.LevelInfo, "p").WithAttrs([]slog.Attr{
			slog.String("function", "hop"), slog.String("build", "abc1234"),
		}),
		audience: counter,
	})
}

// silence is a bus that nobody listens to.
type silence struct{ bus.Bus }

func (silence) Publish(context.Context, string, ...bus.Event) error { return nil }

// BenchmarkCached compares a popular channel with a plain handler: one that
// writes the same answer, and one that writes its body alone.
func BenchmarkCached(b *testing.B) {
	w := benchWorld(b, 1)
	for _, coding := range []string{"identity", "gzip"} {
		a := w.get(path(1, ""), "Accept-Encoding", coding)
		l := load{w.hop.Listener.Addr().String(), [][]byte{get(path(1, ""), "Accept-Encoding: "+coding+"\r\n")}}
		b.Run(coding+"/same answer", func(b *testing.B) { compare(b, l, load{ceiling(b, a, true), l.requests}) })
		b.Run(coding+"/bare body", func(b *testing.B) { compare(b, l, load{ceiling(b, a, false), l.requests}) })
	}
}

// BenchmarkBelow compares a playlist below another, whose ticket is checked,
// with the stream's own.
func BenchmarkBelow(b *testing.B) {
	w := start(b, setup{streams: []catalog.StreamRecord{{URL: "/master.m3u8"}}, origin: family})
	own := load{w.hop.Listener.Addr().String(), [][]byte{get(path(1, ""), "")}}
	compare(b, load{own.addr, [][]byte{get(w.child(w.get(path(1, "")).body), "")}}, own)
}

// BenchmarkChannels compares a thousand channels in turn with one.
func BenchmarkChannels(b *testing.B) {
	w := benchWorld(b, 1000)
	l := load{addr: w.hop.Listener.Addr().String()}
	for n := range 1000 {
		l.requests = append(l.requests, get(path(n+1, ""), "Accept-Encoding: gzip\r\n"))
	}
	compare(b, l, load{l.addr, l.requests[:1]})
}

// discard is a writer of answers that nobody reads.
type discard struct{ h http.Header }

func (d discard) Header() http.Header         { return d.h }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// BenchmarkHandler measures the hop's own part of an answer, without sockets.
func BenchmarkHandler(b *testing.B) {
	w := benchWorld(b, 1)
	r := httptest.NewRequest("GET", path(1, ""), nil)
	r.Header = http.Header{"Accept-Encoding": {"gzip"}, "User-Agent": {"a player of the benchmark"}, "X-Client-Address": {"192.0.2.7"}}
	b.ReportAllocs()
	for b.Loop() {
		w.server.ServeHTTP(discard{http.Header{}}, r)
	}
}

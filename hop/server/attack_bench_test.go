package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
)

// The attacks of this file fill the hop with fetches that never end, while
// others ask for streams that nobody asked for before. What they wait is to be
// below 250 ms at most:
//
//	go test ./hop/server -run '^$' -bench Attack -benchtime 300x

// trap listens on n loopback addresses. It takes requests and never answers, or
// answers with a byte now and then when it drips.
func trap(b *testing.B, n int, drip bool) (hosts []string) {
	b.Helper()
	for i := range n {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.1.%d:0", i+1))
		if err != nil {
			b.Skip("this machine has one loopback address")
		}
		b.Cleanup(func() { l.Close() })
		hosts = append(hosts, l.Addr().String())
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				go spring(conn, drip)
			}
		}()
	}
	return hosts
}

// spring holds a connection until the hop ends it.
func spring(conn net.Conn, drip bool) {
	defer conn.Close()
	if !drip {
		_, _ = io.Copy(io.Discard, conn)
		return
	}
	if _, err := conn.Read(make([]byte, 4096)); err != nil {
		return
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for text := "HTTP/1.1 200 OK\r\n\r\n" + media + strings.Repeat("#", 64<<10); ; text = "#" {
		if _, err := io.WriteString(conn, text); err != nil {
			return
		}
		<-tick.C
	}
}

// An attack asks for hostile playlists without end.
type attack struct {
	name    string
	clients int // networks that take part
	streams int // dead streams; 0 asks for the variants of one stream
	drip    bool
}

var attacks = []attack{
	{name: "none"},
	{name: "one stream with hanging variants", clients: 20},
	{name: "one client with dead streams", clients: 1, streams: 400},
	{name: "many clients with dead streams", clients: 40, streams: 1200},
	{name: "one client with slow bodies", clients: 1, streams: 400, drip: true},
	{name: "many clients with slow bodies", clients: 40, streams: 1200, drip: true},
}

// paths returns what the attack asks for, once the hop has shown the variants.
func (a attack) paths(w *world) (paths []string) {
	for i := range a.streams {
		paths = append(paths, path(2+i, ""))
	}
	if a.clients > 0 && a.streams == 0 {
		for line := range strings.Lines(w.get(path(1, "")).body) {
			if line[0] != '#' {
				paths = append(paths, strings.TrimSpace(strings.TrimPrefix(line, hopURL)))
			}
		}
	}
	return paths
}

// run asks for all paths at once, each again and again, until ctx is done.
func (a attack) run(ctx context.Context, w *world, paths []string) (wait func()) {
	var all sync.WaitGroup
	client := http.Client{Transport: &http.Transport{}}
	for i, p := range paths {
		all.Go(func() {
			for ctx.Err() == nil {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.hop.URL+p, nil)
				if err != nil {
					panic(err)
				}
				req.Header.Set("X-Client-Address", fmt.Sprintf("10.0.0.%d", i%a.clients))
				if res, err := client.Do(req); err == nil {
					res.Body.Close()
				}
				select {
				case <-ctx.Done():
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
	}
	return all.Wait
}

// BenchmarkAttack measures first requests of unrelated streams by unrelated
// clients under each attack. The control is a request to the origin that does
// not go through the hop: what it waits is for the processor, which the
// attackers, their hosts and the hop share here.
func BenchmarkAttack(b *testing.B) {
	const unrelated = 3000
	for _, a := range attacks {
		b.Run(strings.ReplaceAll(a.name, " ", "-"), func(b *testing.B) {
			hosts := trap(b, 64, a.drip)
			variants := "#EXTM3U\n"
			for i := range 128 {
				variants += fmt.Sprintf("#EXT-X-STREAM-INF:BANDWIDTH=%d\nhttp://%s/%d.m3u8\n", i+1, hosts[i%8], i)
			}
			streams := []catalog.StreamRecord{{URL: "/variants.m3u8"}}
			for i := range a.streams {
				streams = append(streams, catalog.StreamRecord{URL: fmt.Sprintf("http://%s/%d.m3u8", hosts[i%len(hosts)], i)})
			}
			for i := range unrelated {
				streams = append(streams, catalog.StreamRecord{URL: fmt.Sprintf("/live/%d.m3u8", i)})
			}
			w := start(b, setup{streams: streams, allow: hosts, origin: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/variants.m3u8" {
					io.WriteString(rw, variants)
					return
				}
				io.WriteString(rw, media)
			})})
			ctx, cancel := context.WithCancel(b.Context())
			wait := a.run(ctx, w, a.paths(w))
			<-time.After(3 * time.Second) // in which the first wave passes, which takes all of the processor
			plain := http.Client{Transport: &http.Transport{}}
			var waits, control []time.Duration
			for i := 0; b.Loop(); i++ {
				begun := time.Now()
				n := i % unrelated
				answer := w.get(path(2+a.streams+n, ""), "X-Client-Address", fmt.Sprintf("172.20.%d.%d", n/250, n%250))
				waits = append(waits, time.Since(begun))
				begun = time.Now()
				res, err := plain.Get(w.origin.URL + "/live/control.m3u8")
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				control = append(control, time.Since(begun))
				if answer.StatusCode != http.StatusOK {
					b.Errorf("%d %s", answer.StatusCode, answer.body)
				}
			}
			cancel()
			wait()
			report(b, "", waits)
			report(b, "control-", control)
		})
	}
}

// report reports quantiles of durations, in milliseconds.
func report(b *testing.B, prefix string, all []time.Duration) {
	slices.Sort(all)
	for name, at := range map[string]int{"p50-ms": len(all) / 2, "p99-ms": len(all) * 99 / 100, "max-ms": len(all) - 1} {
		b.ReportMetric(float64(all[at])/float64(time.Millisecond), prefix+name)
	}
}

// Package manyorigins serves playlists as the origins that a hop meets do: fast, slow,
// failing and wrong ones.
package manyorigins

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Lines is how many lines of the playlists are segments and their durations.
const Lines = 1000

// Lengths are the numbers of lines, as in Lines, that playlists under /lines/ may have.
var Lengths = []int{10, 100, 1000, 10_000}

// origins is the number of hosts that the origin serves on, each at an address of its
// own, so that the hop's limit per host is not what is measured.
const origins = 4

// An Origin serves playlists of 1,000 lines, and counts the requests for each
// kind of path. The path selects the behaviour:
//
//	/live/{n}            answers at once, with another playlist each second
//	/vod/{n}             answers at once, always with the same playlist
//	/lines/{lines}/{n}   like /live/, with another number of lines
//	/slow/{ms}/{n}       answers after a delay
//	/failing/{n}         answers 500
//	/wild/{n}            depends on n: fine, slow, wrong, cut off or redirected
//	/master/{n}          a playlist of four playlists under /live/
type Origin struct {
	Addrs   []string // host:port of each host
	servers []*http.Server
	mu      sync.Mutex
	counts  map[string]*atomic.Int64
	rest    string         // of a playlist, after its head
	longer  map[int]string // the same for the other numbers of lines
}

// Start serves on the loopback interface.
func Start() (*Origin, error) {
	o := &Origin{counts: map[string]*atomic.Int64{}, rest: segments(Lines), longer: map[int]string{}}
	for _, n := range Lengths {
		o.longer[n] = segments(n)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /live/{n}", func(w http.ResponseWriter, _ *http.Request) { o.send(w, time.Now().Unix(), "") })
	mux.HandleFunc("GET /vod/{n}", func(w http.ResponseWriter, _ *http.Request) { o.send(w, 0, "#EXT-X-ENDLIST\n") })
	mux.HandleFunc("GET /lines/{lines}/{n}", o.lines)
	mux.HandleFunc("GET /slow/{ms}/{n}", o.slow)
	mux.HandleFunc("GET /failing/{n}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	mux.HandleFunc("GET /wild/{n}", o.wild)
	mux.HandleFunc("GET /master/{n}", o.master)
	for i := range origins {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:0", i+1))
		if err != nil {
			return nil, err
		}
		srv := &http.Server{Handler: o.count(mux), ReadHeaderTimeout: 10 * time.Second}
		o.Addrs, o.servers = append(o.Addrs, l.Addr().String()), append(o.servers, srv)
		go func() { _ = srv.Serve(l) }() // ends with Close
	}
	return o, nil
}

// Close stops serving.
func (o *Origin) Close() {
	for _, s := range o.servers {
		_ = s.Close() // nothing is lost
	}
}

// URLs returns the addresses of n playlists of one kind, spread over the hosts.
func (o *Origin) URLs(kind string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("http://%s/%s/%d", o.Addrs[i%len(o.Addrs)], kind, i)
	}
	return all
}

// count counts requests by the part of the path before the last slash.
func (o *Origin) count(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.counter(r.URL.Path[:strings.LastIndexByte(r.URL.Path, '/')]).Add(1)
		h.ServeHTTP(w, r)
	})
}

func (o *Origin) counter(kind string) *atomic.Int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.counts[kind] == nil {
		o.counts[kind] = new(atomic.Int64)
	}
	return o.counts[kind]
}

// Fetched returns the number of requests for playlists of one kind.
func (o *Origin) Fetched(kind string) int64 { return o.counter("/" + kind).Load() }

func segments(lines int) string {
	var b strings.Builder
	for i := range lines / 2 {
		fmt.Fprintf(&b, "#EXTINF:6.006,\nsegments/1080p/20261122T%06d.ts\n", i)
	}
	return b.String()
}

// send writes a playlist with the given media sequence. The text end follows the
// segments.
func (o *Origin) send(w http.ResponseWriter, sequence int64, end string) {
	send(w, sequence, o.rest, end)
}

func send(w http.ResponseWriter, sequence int64, rest, end string) {
	w.Header()["Content-Type"] = []string{"application/vnd.apple.mpegurl"}
	head := "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:7\n#EXT-X-MEDIA-SEQUENCE:" + strconv.FormatInt(sequence, 10) + "\n"
	w.Write([]byte(head + rest + end))
}

func (o *Origin) lines(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("lines"))
	rest, ok := o.longer[n]
	if err != nil || !ok {
		http.NotFound(w, r)
		return
	}
	send(w, time.Now().Unix(), rest, "")
}

func (o *Origin) slow(w http.ResponseWriter, r *http.Request) {
	ms, err := strconv.Atoi(r.PathValue("ms"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	wait(r, time.Duration(ms)*time.Millisecond)
	o.send(w, time.Now().Unix(), "")
}

// wait returns after d, or when the client has gone.
func wait(r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.Context().Done():
	}
}

// wild behaves like the origins that one meets, in eight ways.
func (o *Origin) wild(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	switch n % 8 {
	case 0:
		wait(r, 700*time.Millisecond)
		o.send(w, time.Now().Unix(), "")
	case 1:
		w.WriteHeader(http.StatusForbidden)
	case 2: // ends before Content-Length
		w.Header().Set("Content-Length", "100000")
		w.Write([]byte("#EXTM3U\n"))
	case 3:
		w.Write([]byte("<!doctype html><title>not a playlist</title>"))
	case 4: // larger than the hop accepts
		for range 80 {
			if _, err := w.Write(make([]byte, 8<<10)); err != nil {
				return
			}
		}
	case 5: // closes the connection
		panic(http.ErrAbortHandler)
	case 6:
		http.Redirect(w, r, "/live/"+strconv.Itoa(n), http.StatusFound)
	default:
		o.send(w, time.Now().Unix(), "")
	}
}

func (o *Origin) master(w http.ResponseWriter, r *http.Request) {
	b := []byte("#EXTM3U\n")
	for i := range 4 {
		b = fmt.Appendf(b, "#EXT-X-STREAM-INF:BANDWIDTH=%d\n/live/%s%d?token=a~b==\n", 1000*(i+1), r.PathValue("n"), i)
	}
	w.Write(b)
}

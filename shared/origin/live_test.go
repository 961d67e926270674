package origin

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"miramundo.dev/shared/fault"
)

const playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nseg.ts\n"

// A hostileServer serves one path for each thing that an origin can do wrong.
type hostileServer struct {
	*httptest.Server
	asked    atomic.Int64 // requests that reached the server behind /r/internal
	internal *httptest.Server
	seen     atomic.Pointer[http.Header] // of the last request
}

func newHostileServer(t *testing.T) *hostileServer {
	s := &hostileServer{}
	s.internal = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { s.asked.Add(1) }))
	t.Cleanup(s.internal.Close)
	mux := http.NewServeMux()
	s.redirects(mux)
	s.bodies(mux)
	s.protocol(mux)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.seen.Store(&r.Header)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *hostileServer) redirects(mux *http.ServeMux) {
	to := func(path string, status int, location string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if location != "" {
				w.Header().Set("Location", location)
			}
			w.WriteHeader(status)
		})
	}
	to("/r/internal", 302, s.internal.URL)
	to("/r/meta", 302, "http://169.254.169.254/latest/meta-data/")
	to("/r/file", 302, "file:///etc/passwd")
	to("/r/gopher", 307, "gopher://127.0.0.1:70/")
	to("/r/userinfo", 302, "http://user:pass@example.com/")
	to("/r/port22", 308, "http://example.com:22/")
	to("/r/loop", 302, "/r/loop")
	to("/r/noloc", 302, "")
	to("/r/rel", 302, "../ok.m3u8")
	mux.HandleFunc("/n/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		location := "/ok.m3u8"
		if n > 1 {
			location = fmt.Sprintf("/n/%d", n-1)
		}
		http.Redirect(w, r, location, http.StatusFound)
	})
}

func (s *hostileServer) bodies(mux *http.ServeMux) {
	body := func(path, encoding string, data []byte) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if encoding != "" {
				w.Header().Set("Content-Encoding", encoding)
			}
			w.Write(data)
		})
	}
	packed := gzipped([]byte(playlist))
	padded := playlist + strings.Repeat("#\n", 512<<10)
	body("/ok.m3u8", "", []byte(playlist))
	body("/exact", "", []byte(padded[:512<<10]))
	body("/over", "", []byte(padded[:512<<10+1]))
	body("/gz", "gzip", packed)
	body("/xgz", "x-gzip", packed)
	body("/br", "br", brotlied([]byte(playlist)))
	body("/brtrunc", "br", brotlied([]byte(playlist))[:20])
	body("/zlib", "deflate", zlibbed([]byte(playlist)))
	body("/identity", "identity", []byte(playlist))
	body("/gzgz", "gzip, gzip", gzipped(packed))
	body("/unknown", "lzma", packed)
	body("/gztrunc", "gzip", packed[:len(packed)-12])
	body("/gzlie", "gzip", []byte(playlist))
	body("/html", "", []byte("<html>busy</html>"))
	body("/bomb", "gzip", gzipped(make([]byte, 4<<20)))
	body("/brbomb", "br", brotlied(make([]byte, 4<<20)))
	for _, status := range []int{204, 401, 403, 404, 500, 304} {
		mux.HandleFunc(fmt.Sprintf("/%d", status), func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) })
	}
}

// protocol adds the responses that no HTTP server writes.
func (s *hostileServer) protocol(mux *http.ServeMux) {
	raw := func(path string, write func(w io.Writer, done <-chan struct{})) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			done := make(chan struct{})
			go func() {
				io.Copy(io.Discard, conn) // ends when the client has gone
				close(done)
			}()
			write(conn, done)
			conn.Close()
		})
	}
	fixed := func(path, text string) {
		raw(path, func(w io.Writer, _ <-chan struct{}) { io.WriteString(w, text) })
	}
	fixed("/short", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"+playlist)
	fixed("/biglen", "HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n"+playlist)
	fixed("/http09", playlist)
	fixed("/1xx", strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1_000)+"HTTP/1.1 200 OK\r\n\r\n"+playlist)
	fixed("/bighdr", "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("a", 64<<10)+"\r\n\r\n"+playlist)
	fixed("/badchunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"+playlist)
	raw("/hang", func(_ io.Writer, done <-chan struct{}) { <-done })
	drip := func(head, drop string) func(io.Writer, <-chan struct{}) {
		return func(w io.Writer, done <-chan struct{}) {
			io.WriteString(w, head)
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					io.WriteString(w, drop)
				case <-done:
					return
				}
			}
		}
	}
	raw("/slowhdr", drip("HTTP/1.1 200 OK\r\n", "X-A: b\r\n"))
	raw("/slowbody", drip("HTTP/1.1 200 OK\r\n\r\n#EXTM3U\n", "#"))
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func zlibbed(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func brotlied(data []byte) []byte {
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, 1)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// client returns a client for the server with short timeouts.
func (s *hostileServer) client() *Client {
	return New(Options{
		Allow:   []string{s.Listener.Addr().String()},
		Timeout: 400 * time.Millisecond,
		Header:  200 * time.Millisecond,
	})
}

// outcomeOf returns the name of a request's outcome in the reference file.
func outcomeOf(err error, data []byte) string {
	switch {
	case errors.Is(err, ErrRefused):
		return "refused"
	case errors.Is(err, ErrAccess):
		return fmt.Sprintf("playlist_acesso %v", fault.From(err).Fields["upstream_status"])
	case errors.Is(err, ErrLimit):
		return "playlist_limite"
	case errors.Is(err, ErrRedirects):
		return "redirects"
	case errors.Is(err, ErrTimeout):
		return "timeout"
	case err != nil:
		if status, ok := fault.From(err).Fields["upstream_status"]; ok {
			return fmt.Sprintf("playlist_origem %v", status)
		}
		return "playlist_origem"
	case !bytes.HasPrefix(data, []byte("#EXTM3U")):
		return "playlist_origem"
	}
	return "ok"
}

// TestHostileServers requests every path of the reference file.
func TestHostileServers(t *testing.T) {
	cases := hostileCases(t, "L")
	s := newHostileServer(t)
	for _, h := range cases {
		t.Run(h.id+h.input, func(t *testing.T) {
			_, data, err := s.client().Fetch(t.Context(), Request{URL: s.URL + h.input})
			got := outcomeOf(err, data)
			if !isExpected(got, h.expected) {
				t.Errorf("%s (%v), want %s", got, err, h.expected)
			}
		})
	}
	if n := s.asked.Load(); n != 0 {
		t.Errorf("%d requests reached the inner server", n)
	}
}

// isExpected reports whether an outcome is one that the file expects. The
// file separates several outcomes by "or", adds explanations after them, and
// writes "refused" for redirects without a final response.
func isExpected(got, expected string) bool {
	for want := range strings.SplitSeq(expected, " or ") {
		kind, _, _ := strings.Cut(want, ":")
		kind, _, _ = strings.Cut(kind, " at ")
		switch {
		case got == kind, strings.HasPrefix(got, kind+" "):
			return true
		case kind == "refused" && !strings.Contains(expected, "redirect") || strings.Contains(expected, "more than"):
			if got == "redirects" || got == "playlist_origem 302" {
				return true
			}
		}
	}
	return false
}

func TestServers(t *testing.T) {
	s := newHostileServer(t)
	for _, tc := range []struct{ path, want string }{
		{"/ok.m3u8", "ok"},
		{"/r/internal", "refused"},
		{"/r/meta", "refused"},
		{"/r/file", "refused"},
		{"/r/userinfo", "refused"},
		{"/r/port22", "refused"},
		{"/r/loop", "redirects"},
		{"/r/noloc", "playlist_origem 302"},
		{"/r/rel", "ok"},
		{"/n/3", "ok"},
		{"/n/4", "redirects"},
		{"/exact", "ok"},
		{"/over", "playlist_limite"},
		{"/gz", "ok"},
		{"/xgz", "ok"},
		{"/br", "ok"},
		{"/zlib", "ok"},
		{"/identity", "ok"},
		{"/bomb", "playlist_limite"},
		{"/brbomb", "playlist_limite"},
		{"/gzgz", "playlist_origem"},
		{"/unknown", "playlist_origem"},
		{"/gztrunc", "playlist_origem"},
		{"/brtrunc", "playlist_origem"},
		{"/gzlie", "playlist_origem"},
		{"/short", "playlist_origem"},
		{"/biglen", "playlist_limite"},
		{"/http09", "playlist_origem"},
		{"/1xx", "playlist_origem"},
		{"/bighdr", "playlist_origem"},
		{"/badchunk", "playlist_origem"},
		{"/hang", "timeout"},
		{"/slowhdr", "timeout"},
		{"/slowbody", "timeout"},
		{"/204", "playlist_origem 204"},
		{"/304", "playlist_origem 304"},
		{"/401", "playlist_acesso 401"},
		{"/403", "playlist_acesso 403"},
		{"/404", "playlist_origem 404"},
		{"/500", "playlist_origem 500"},
	} {
		t.Run(tc.path[1:], func(t *testing.T) {
			_, data, err := s.client().Fetch(t.Context(), Request{URL: s.URL + tc.path})
			if got := outcomeOf(err, data); got != tc.want {
				t.Errorf("%s (%v), want %s", got, err, tc.want)
			}
		})
	}
	if n := s.asked.Load(); n != 0 {
		t.Errorf("%d requests reached the inner server", n)
	}
}

// TestEncodings checks that a body that cannot be decompressed completely is
// an error and is not passed on.
func TestEncodings(t *testing.T) {
	s := newHostileServer(t)
	for _, path := range []string{"/gzgz", "/unknown", "/gzlie", "/gztrunc", "/brtrunc"} {
		_, data, err := s.client().Fetch(t.Context(), Request{URL: s.URL + path})
		if !errors.Is(err, ErrOrigin) {
			t.Errorf("%s: %q, %v, want ErrOrigin", path, data, err)
		}
	}
}

func TestFinalAddress(t *testing.T) {
	s := newHostileServer(t)
	res, _, err := s.client().Fetch(t.Context(), Request{URL: s.URL + "/r/rel"})
	if err != nil || res.URL != s.URL+"/ok.m3u8" {
		t.Errorf("final address %v, %v", res, err)
	}
}

// TestHeader checks the headers of a request: those of the caller without any
// that would identify it or change the connection.
func TestHeader(t *testing.T) {
	s := newHostileServer(t)
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1/")
	_, _, err := s.client().Fetch(t.Context(), Request{
		URL:         s.URL + "/ok.m3u8",
		IfNoneMatch: `"a"`,
		Header: http.Header{
			"Referer": {"https://example.com/"}, "User-Agent": {"Player/1"},
			"Cookie": {"a=b"}, "Authorization": {"Basic x"}, "Connection": {"x"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := *s.seen.Load()
	for name, want := range map[string]string{
		"Referer": "https://example.com/", "User-Agent": "Player/1", "If-None-Match": `"a"`,
		"Cookie": "", "Authorization": "", "Connection": "",
	} {
		if got.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Get(name), want)
		}
	}
}

// TestRedirectToAnotherHost checks that the caller's headers are sent only to
// the host that they are meant for.
func TestRedirectToAnotherHost(t *testing.T) {
	var seen http.Header
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen = r.Header }))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer first.Close()
	c := New(Options{UserAgent: "Service/1", Allow: []string{other.Listener.Addr().String(), first.Listener.Addr().String()}})
	_, _, err := c.Fetch(t.Context(), Request{
		URL: first.URL, IfNoneMatch: `"a"`,
		Header: http.Header{"User-Agent": {"Player/1"}, "Referer": {"https://a.example/"}, "X-Token": {"secret"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := seen.Get("User-Agent"); got != "Service/1" {
		t.Errorf("User-Agent %q", got)
	}
	for _, name := range []string{"Referer", "X-Token", "If-None-Match"} {
		if got := seen.Get(name); got != "" {
			t.Errorf("%s: %q was sent on", name, got)
		}
	}
}

func TestConditional(t *testing.T) {
	s := newHostileServer(t)
	res, data, err := s.client().Fetch(t.Context(), Request{URL: s.URL + "/304", IfNoneMatch: `"a"`})
	if err != nil || res.Status != 304 || len(data) > 0 {
		t.Errorf("conditional request: %v, %q, %v", res, data, err)
	}
}

func TestCancelled(t *testing.T) {
	s := newHostileServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	res, err := s.client().Open(ctx, Request{URL: s.URL + "/slowbody"})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	cancel()
	if _, err := io.ReadAll(res.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("reading after the caller gave up: %v", err)
	}
	if _, err := s.client().Open(ctx, Request{URL: s.URL + "/ok.m3u8"}); !errors.Is(err, context.Canceled) {
		t.Errorf("asking after the caller gave up: %v", err)
	}
}

// TestInFlight fills a client with requests that do not end, first those to
// one host, which do not block other hosts.
func TestInFlight(t *testing.T) {
	one, two := newHostileServer(t), newHostileServer(t)
	c := New(Options{
		Allow:       []string{one.Listener.Addr().String(), two.Listener.Addr().String()},
		MaxInFlight: 2, Timeout: 5 * time.Second,
	})
	var open []*Response
	for _, s := range []*hostileServer{one, two} {
		res, err := c.Open(t.Context(), Request{URL: s.URL + "/slowbody"})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, res)
		if _, err := c.Open(t.Context(), Request{URL: one.URL + "/ok.m3u8", Timeout: 20 * time.Millisecond}); !errors.Is(err, ErrBusy) {
			t.Errorf("one request more to the first host: %v, want ErrBusy", err)
		}
	}
	if _, err := c.Open(t.Context(), Request{URL: "http://public.example.com/", Timeout: 20 * time.Millisecond}); !errors.Is(err, ErrBusy) {
		t.Errorf("a third request: %v, want ErrBusy", err)
	}
	for _, res := range open {
		res.Body.Close()
		res.Body.Close() // a second time gives no second place back
	}
	if n, hosts := len(c.reading.all), len(c.reading.hosts.hosts); n != 0 || hosts != 0 {
		t.Errorf("%d places of %d hosts taken after all was closed", n, hosts)
	}
	if _, _, err := c.Fetch(t.Context(), Request{URL: one.URL + "/ok.m3u8"}); err != nil {
		t.Errorf("a request after all was closed: %v", err)
	}
}

// TestHeldResponses has an origin hold as many responses as allowed: requests
// that do not wait long are not blocked, and afterwards no place is taken.
func TestHeldResponses(t *testing.T) {
	gate := make(chan struct{})
	in := make(chan struct{}, 100)
	s, c := serverAndClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/held" {
			in <- struct{}{}
			select {
			case <-gate:
			case <-r.Context().Done():
			}
		}
		io.WriteString(w, "here")
	})
	c.reading, c.holding = newGate(4), newGate(16)
	ask := func(path string, wait time.Duration) error {
		_, _, err := c.Fetch(t.Context(), Request{URL: s.URL + path, Wait: wait})
		return err
	}
	held := make(chan error)
	for range 4 {
		go func() { held <- ask("/held", 7*time.Second) }()
		<-in
	}
	if err := ask("/", 0); err != nil {
		t.Errorf("beside those that are held back: %v", err)
	}
	close(gate)
	for range 4 {
		if err := <-held; err != nil {
			t.Errorf("held back: %v", err)
		}
	}
	if n, m := len(c.reading.all), len(c.holding.all); n+m != 0 {
		t.Errorf("%d and %d places taken after all was read", n, m)
	}
}

// TestLargeBody streams a body that is larger than the client's own limit.
func TestLargeBody(t *testing.T) {
	s := newHostileServer(t)
	res, err := s.client().Open(t.Context(), Request{URL: s.URL + "/over", MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if n, err := io.Copy(io.Discard, res.Body); n != 512<<10+1 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}

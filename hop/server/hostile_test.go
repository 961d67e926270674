package server

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"miramundo.dev/shared/catalog"
)

// A hostile origin does one wrong thing under each path.
type hostile struct {
	*http.ServeMux
	inner   *httptest.Server // that nobody may reach through the hop
	reached atomic.Int64     // requests that did
}

func newHostile(t *testing.T) *hostile {
	h := &hostile{ServeMux: http.NewServeMux()}
	h.inner = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.reached.Add(1)
		io.WriteString(w, media)
	}))
	t.Cleanup(h.inner.Close)
	h.redirects()
	h.statuses()
	h.encodings()
	h.texts()
	h.protocol()
	return h
}

func (h *hostile) redirects() {
	to := func(path string, status int, location string) {
		h.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if location != "" {
				w.Header().Set("Location", location)
			}
			w.WriteHeader(status)
		})
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		to(fmt.Sprintf("/r/%d", status), status, "/live/ok.m3u8")
	}
	to("/r/internal", 302, h.inner.URL)
	to("/r/meta", 302, "http://169.254.169.254/latest/meta-data/")
	to("/r/file", 302, "file:///etc/passwd")
	to("/r/gopher", 307, "gopher://127.0.0.1:70/")
	to("/r/userinfo", 302, "http://user:pass@example.com/")
	to("/r/port22", 308, "http://example.com:22/")
	to("/r/own", 302, "https://hop.example.com"+path(1, ""))
	to("/r/loop", 302, "/r/loop")
	to("/r/noloc", 302, "")
	to("/r/rel", 302, "../live/ok.m3u8")
	h.HandleFunc("/n/{n}", func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscan(r.PathValue("n"), &n)
		if n > 1 {
			http.Redirect(w, r, fmt.Sprintf("/n/%d", n-1), http.StatusFound)
			return
		}
		http.Redirect(w, r, "/live/ok.m3u8", http.StatusFound)
	})
	h.HandleFunc("/r/cookie", func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("seen"); err == nil {
			io.WriteString(w, media)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
		http.Redirect(w, r, "/r/cookie", http.StatusFound)
	})
}

func (h *hostile) statuses() {
	for _, status := range []int{204, 206, 304, 400, 401, 403, 404, 410, 418, 429, 500, 502, 503} {
		h.HandleFunc(fmt.Sprintf("/%d", status), func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) })
	}
}

func packed(open func(io.Writer) io.WriteCloser, data string) []byte {
	var b bytes.Buffer
	w := open(&b)
	io.WriteString(w, data)
	w.Close()
	return b.Bytes()
}

func (h *hostile) encodings() {
	body := func(path, encoding string, data []byte) {
		h.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", encoding)
			w.Write(data)
		})
	}
	gz := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	br := func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 1) }
	bomb := strings.Repeat("#", 8<<20)
	body("/gz", "gzip", packed(gz, media))
	body("/xgz", "X-GZip", packed(gz, media))
	body("/br", "br", packed(br, media))
	body("/zlib", "deflate", packed(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, media))
	body("/flate", "deflate", packed(func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 1); return f }, media))
	body("/identity", "identity", []byte(media))
	body("/bomb", "gzip", packed(gz, bomb))
	body("/brbomb", "br", packed(br, bomb))
	body("/gzgz", "gzip, gzip", packed(gz, string(packed(gz, media))))
	body("/gztrunc", "gzip", packed(gz, media)[:40])
	body("/gzlie", "gzip", []byte(media))
	body("/lzma", "lzma", []byte(media))
}

// texts are playlists as origins send them.
var texts = map[string]string{
	"/live/ok.m3u8": media,
	"/bom":          "\ufeff" + media,
	"/crlf":         strings.ReplaceAll(media, "\n", "\r\n"),
	"/cr":           strings.ReplaceAll(media, "\n", "\r"),
	"/latin1":       strings.Replace(media, "#EXTINF:6,", "#EXTINF:6,T\xe9l\xe9", 1),
	"/utf16":        "\xff\xfe#\x00E\x00X\x00T\x00M\x003\x00U\x00",
	"/nul":          "#EXTM3U\n\x00\n",
	"/noheader":     strings.TrimPrefix(media, "#EXTM3U\n"),
	"/html":         "<!DOCTYPE html><html><body>busy</body></html>",
	"/json":         `{"error":"gone"}`,
	"/xml":          `<?xml version="1.0"?><MPD></MPD>`,
	"/ts":           "G@\x00\x10\x00\x00\xb0",
	"/empty":        "",
	"/blank":        "\n\n \n",
	"/mixed":        master + "#EXTINF:6,\nseg.ts\n",
	"/nomedia":      "#EXTM3U\n#EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-STREAM-INF:BANDWIDTH=1\n",
	"/exact":        padded(512 << 10),
	"/over":         padded(512<<10 + 1),
	"/segments":     "#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + strings.Repeat("#EXTINF:6,\ns.ts\n", 10_000),
	"/refs128":      "#EXTM3U\n" + strings.Repeat("#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n", 128),
	"/refs129":      "#EXTM3U\n" + strings.Repeat("#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n", 129),
	"/amplify/" + strings.Repeat("a", 4000) + "/x": "#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + strings.Repeat("#EXTINF:6,\ns\n", 39_000),
}

func padded(n int) string { return (media + strings.Repeat("#\n", n))[:n] }

func (h *hostile) texts() {
	for path, text := range texts {
		h.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html") // which says nothing
			io.WriteString(w, text)
		})
	}
}

// protocol has the answers that no HTTP server writes.
func (h *hostile) protocol() {
	raw := func(path, head, drop string) {
		h.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			defer conn.Close()
			io.WriteString(conn, head)
			if drop == "" {
				return
			}
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for range tick.C {
				if _, err := io.WriteString(conn, drop); err != nil {
					return
				}
			}
		})
	}
	ok := "HTTP/1.1 200 OK\r\n"
	raw("/short", ok+"Content-Length: 1000\r\n\r\n"+media, "")
	raw("/long", ok+"Content-Length: 10\r\n\r\n"+media, "")
	raw("/biglen", ok+"Content-Length: 10737418240\r\n\r\n"+media, "")
	raw("/nolen", ok+"\r\n"+media, "")
	raw("/http09", media, "")
	raw("/1xx", strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 2000)+ok+"\r\n"+media, "")
	raw("/bighdr", ok+"X: "+strings.Repeat("a", 64<<10)+"\r\n\r\n"+media, "")
	raw("/badchunk", ok+"Transfer-Encoding: chunked\r\n\r\nzz\r\n"+media, "")
	raw("/close", "", "")
	raw("/slowhdr", ok, "X-A: b\r\n")
	raw("/slowbody", ok+"\r\n#EXTM3U\n", "#")
	raw("/endless", ok+"\r\n"+media, strings.Repeat("#\n", 256<<10))
	h.HandleFunc("/hang", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// endings say for each path what the hop answers: a status, a code, and the
// status of the origin when it gave one.
var endings = map[string]string{
	"/r/301": "200 200", "/r/302": "200 200", "/r/303": "200 200", "/r/307": "200 200", "/r/308": "200 200",
	"/r/rel": "200 200", "/n/3": "200 200", "/r/cookie": "200 200",
	"/n/4": "422 playlist_limite", "/r/loop": "422 playlist_limite", "/r/noloc": "422 playlist_origem 302",
	"/r/internal": "422 playlist_origem", "/r/meta": "422 playlist_origem", "/r/file": "422 playlist_origem",
	"/r/gopher": "422 playlist_origem", "/r/userinfo": "422 playlist_origem", "/r/port22": "422 playlist_origem",
	"/r/own": "422 playlist_origem",

	"/401": "422 playlist_acesso 401", "/403": "422 playlist_acesso 403",
	"/404": "422 playlist_origem 404", "/410": "422 playlist_origem 410", "/400": "422 playlist_origem 400",
	"/418": "422 playlist_origem 418", "/429": "422 playlist_origem 429",
	"/500": "422 playlist_origem 500", "/502": "422 playlist_origem 502", "/503": "422 playlist_origem 503",
	"/204": "422 playlist_origem 204", "/304": "422 playlist_origem 304",

	"/gz": "200 200", "/xgz": "200 200", "/br": "200 200", "/zlib": "200 200", "/flate": "200 200", "/identity": "200 200",
	"/bomb": "422 playlist_limite", "/brbomb": "422 playlist_limite",
	"/gzgz": "422 playlist_origem", "/gztrunc": "422 playlist_origem", "/gzlie": "422 playlist_origem", "/lzma": "422 playlist_origem",

	"/live/ok.m3u8": "200 200", "/bom": "200 200", "/crlf": "200 200", "/cr": "200 200", "/latin1": "200 200", "/noheader": "200 200",
	"/segments": "200 200", "/refs128": "200 200", "/exact": "200 200",
	"/utf16": "422 playlist_origem", "/nul": "422 playlist_origem", "/html": "422 playlist_origem", "/json": "422 playlist_origem",
	"/xml": "422 playlist_origem", "/ts": "422 playlist_origem", "/empty": "422 playlist_origem", "/blank": "422 playlist_origem",
	"/mixed": "422 playlist_origem", "/nomedia": "422 playlist_origem",
	"/over": "422 playlist_limite", "/refs129": "422 playlist_limite",
	"/amplify/" + strings.Repeat("a", 4000) + "/x": "422 playlist_limite",

	"/nolen": "200 200", "/short": "422 playlist_origem", "/biglen": "422 playlist_limite",
	"/long":   "422 playlist_origem", // cut in a reference's line, and no playlist is left
	"/http09": "422 playlist_origem", "/1xx": "422 playlist_origem", "/bighdr": "422 playlist_origem", "/badchunk": "422 playlist_origem",
	"/close": "422 playlist_origem", "/endless": "422 playlist_limite",
}

// slow are the paths of which the hop does not wait for the end.
var slow = []string{"/hang", "/slowhdr", "/slowbody"}

// ending tells an answer in the words of endings.
func ending(a answer) string {
	words := []string{fmt.Sprint(a.StatusCode), a.code(), a.Header.Get("X-Service-Upstream-Status")}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// TestOrigins asks for everything that an origin can do, at a hop and at a
// fallback, and again a moment later, when the failure is remembered.
func TestOrigins(t *testing.T) {
	h := newHostile(t)
	nobody := unused(t)
	streams := []catalog.StreamRecord{{URL: "http://" + nobody + "/x.m3u8"}}
	wants := []string{"503 playlist_indisponivel"}
	for path, want := range endings {
		streams, wants = append(streams, catalog.StreamRecord{URL: path}), append(wants, want)
	}
	for _, fallback := range []bool{false, true} {
		w := start(t, setup{streams: streams, origin: h, fallback: fallback, ownHosts: []string{"hop.example.com"}, allow: []string{nobody}})
		for i, st := range streams {
			want := wants[i]
			if fallback {
				want = strings.Replace(want, "422", "502", 1)
			}
			t.Run(fmt.Sprintf("%t%.30s", fallback, st.URL), func(t *testing.T) {
				for range 2 {
					checkEnding(t, w.get(path(i+1, "")), want)
				}
			})
		}
	}
	if n := h.reached.Load(); n != 0 {
		t.Errorf("%d requests reached the inner server", n)
	}
}

// TestSlowOrigins asks for what does not come in time.
func TestSlowOrigins(t *testing.T) {
	var streams []catalog.StreamRecord
	for _, path := range slow {
		streams = append(streams, catalog.StreamRecord{URL: path})
	}
	w := start(t, setup{streams: streams, origin: newHostile(t), patience: 200 * time.Millisecond})
	for i, st := range streams {
		t.Run(st.URL[1:], func(t *testing.T) {
			checkEnding(t, w.get(path(i+1, "")), "503 playlist_indisponivel")
		})
	}
}

func checkEnding(t *testing.T, a answer, want string) {
	t.Helper()
	if got := ending(a); got != want {
		t.Errorf("%s, want %s: %.300s", got, want, a.body)
	}
	if a.StatusCode == http.StatusOK {
		if !strings.HasPrefix(a.body, "#EXTM3U\n") || strings.Contains(a.body, "\r") {
			t.Errorf("body begins with %.40q", a.body)
		}
		return
	}
	if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Cdn-Cache-Control") != "" || a.Header.Get("X-Service-Source") == "" {
		t.Errorf("headers of a failure are %v", a.Header)
	}
	if (a.StatusCode == 503) != (a.Header.Get("Retry-After") != "") {
		t.Errorf("status %d with Retry-After %q", a.StatusCode, a.Header.Get("Retry-After"))
	}
	if status := a.Header.Get("X-Service-Upstream-Status"); status != "" && !strings.Contains(a.body, `"upstream_status":`+status) {
		t.Errorf("upstream status %s is not in the body %s", status, a.body)
	}
}

// unused returns an address at which nobody listens.
func unused(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(nil)
	defer s.Close()
	return s.Listener.Addr().String()
}

// TestDepth follows playlists below each other until the hop has enough.
func TestDepth(t *testing.T) {
	w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/master.m3u8"}}, origin: one(master)})
	at := path(1, "")
	for level := 1; level <= 3; level++ {
		a := w.get(at)
		if a.StatusCode != 200 {
			t.Fatalf("level %d: %d %s", level, a.StatusCode, a.body)
		}
		at = w.child(a.body)
	}
	if a := w.get(at); a.StatusCode != 422 || a.code() != "playlist_limite" {
		t.Errorf("level 4, which names a fifth: %d %s", a.StatusCode, a.body)
	}
}

// TestLoops checks that a catalog that leads to the hop does not lead in
// circles: by its name, by a reference, and by the mark of its requests.
func TestLoops(t *testing.T) {
	var w *world
	origin := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/master.m3u8":
			io.WriteString(rw, "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttps://hop.example.com"+path(2, "")+"\n")
		default: // a proxy that the hop does not know, before the hop itself
			req, err := http.NewRequest("GET", w.hop.URL+path(3, ""), nil)
			if err != nil {
				panic(err)
			}
			req.Header = r.Header
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				panic(err)
			}
			defer res.Body.Close()
			rw.WriteHeader(res.StatusCode)
			io.Copy(rw, res.Body)
		}
	})
	w = start(t, setup{
		streams:  []catalog.StreamRecord{{URL: "/master.m3u8"}, {URL: "https://hop.example.com" + path(1, "")}, {URL: "/proxy.m3u8"}},
		origin:   origin,
		ownHosts: []string{"hop.example.com"},
	})
	checkEnding(t, w.get(path(2, "")), "422 playlist_origem")
	a := w.get(path(1, ""))
	if a.StatusCode != 200 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	checkEnding(t, w.get(w.child(a.body)), "422 playlist_origem")
	checkEnding(t, w.get(path(3, "")), "422 playlist_origem 422")
	if n := w.fetches("/proxy.m3u8"); n > 2 {
		t.Errorf("the proxy was asked %d times", n)
	}
}

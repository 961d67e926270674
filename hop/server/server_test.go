package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/hop/upstream"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

// one is an origin that answers every request with the same text.
func one(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) })
}

const master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow/index.m3u8?a=b\n"

// family is an origin with a master playlist and one below it.
var family = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/master") {
		io.WriteString(w, master)
		return
	}
	io.WriteString(w, media)
})

// child returns the path and query of the only reference in a master playlist.
func (w *world) child(body string) string {
	w.t.Helper()
	for line := range strings.Lines(body) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), hopURL); ok {
			return path
		}
	}
	w.t.Fatalf("no reference to the hop in %q", body)
	return ""
}

// TestPlaylist checks everything that an answer with a playlist says.
func TestPlaylist(t *testing.T) {
	w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/live.m3u8"}}, origin: one(media)})
	a := w.get(path(1, ""))
	if a.StatusCode != 200 {
		t.Fatalf("status %d: %s", a.StatusCode, a.body)
	}
	want := http.Header{
		"Access-Control-Allow-Origin":   {"*"},
		"Access-Control-Expose-Headers": {"X-Service-Upstream-Status, X-Service-Source, X-Service-Website, X-Service-Legacy, X-Service-Media-HTTP, Age, PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, X-Request-Id"},
		"Cache-Control":                 {"no-store"},
		"Cdn-Cache-Control":             {"public, max-age=1"},
		"Content-Length":                {a.Header.Get("Content-Length")},
		"Content-Type":                  {"application/vnd.apple.mpegurl"},
		"Cross-Origin-Resource-Policy":  {"cross-origin"},
		"Referrer-Policy":               {"no-referrer"},
		"Timing-Allow-Origin":           {"*"},
		"Vary":                          {"Accept-Encoding"},
		"X-Content-Type-Options":        {"nosniff"},
		"X-Robots-Tag":                  {"noindex"},
		"X-Service-Legacy":              {legacyURL + "/?stream=" + catalog.StreamID(1).String()},
		"X-Service-Media-Http":          {"1"},
		"X-Service-Source":              {w.origin.URL + "/live.m3u8"},
		"X-Service-Upstream-Status":     {"200"},
		"X-Service-Website":             {"https://c1.example/%C3%A9"},
	}
	a.Header.Del("Date")
	if diff := cmp.Diff(want, a.Header); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if want := strings.Replace(media, "seg.ts", w.origin.URL+"/seg.ts", 1); a.body != want {
		t.Errorf("body is %q, want %q", a.body, want)
	}
}

// TestNoReferrer checks that no answer lets a player name the address of the
// hop, which may hold a ticket, to an origin.
func TestNoReferrer(t *testing.T) {
	w := start(t, setup{origin: one(media), streams: []catalog.StreamRecord{
		{URL: "/live.m3u8"}, {URL: "https://radio.example.com/live", Kind: catalog.StreamAudio}, {URL: "http://radio.example.com/live", Kind: catalog.StreamAudio},
	}})
	for _, q := range []struct {
		method, path string
		status       int
	}{
		{"GET", path(1, ""), 200}, {"HEAD", path(1, ""), 200}, {"GET", path(2, ""), 302}, {"GET", path(3, ""), 422}, {"GET", path(9, ""), 404},
		{"GET", path(1, "?p=x"), 404}, {"POST", path(1, ""), 405}, {"OPTIONS", path(1, ""), 204}, {"GET", "/api/health", 200}, {"GET", "/", 404},
	} {
		a := w.do(q.method, q.path)
		if got := a.Header["Referrer-Policy"]; a.StatusCode != q.status || !slices.Equal(got, []string{"no-referrer"}) {
			t.Errorf("%s %s: %d, Referrer-Policy %q", q.method, q.path, a.StatusCode, got)
		}
	}
}

// TestAliases checks the ways in which one playlist is asked for.
func TestAliases(t *testing.T) {
	w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/live.m3u8"}}, origin: one(media)})
	plain := w.get(path(1, ""))
	for _, path := range []string{path(1, ".m3u8"), path(1, "?cache=buster"), path(1, "?_HLS_skip=x"), path(1, ".m3u8?a&b=%zz")} {
		if a := w.get(path); a.StatusCode != 200 || a.body != plain.body {
			t.Errorf("%s: %d %q", path, a.StatusCode, a.body)
		}
	}
	if a := w.get(path(1, ""), "Range", "bytes=0-1"); a.StatusCode != 200 || a.body != plain.body {
		t.Errorf("with a range: %d %q", a.StatusCode, a.body)
	}
	head := w.do("HEAD", path(1, ""))
	if head.StatusCode != 200 || head.body != "" || head.Header.Get("Content-Length") != plain.Header.Get("Content-Length") {
		t.Errorf("HEAD: %d %v", head.StatusCode, head.Header)
	}
	if n := w.fetches("/live.m3u8"); n > 2 { // two when a second passed
		t.Errorf("the origin was asked %d times", n)
	}
}

// TestCompression checks who gets the packed form, and that it unpacks.
func TestCompression(t *testing.T) {
	long := media + strings.Repeat("#EXTINF:6,\nseg.ts\n", 200)
	w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/live.m3u8"}}, origin: one(long)})
	plain := w.get(path(1, ""))
	for accept, want := range map[string]string{
		"gzip": "gzip", "gzip, deflate, br, zstd": "gzip", "*": "gzip", "identity": "", "gzip;q=0": "", "br": "", ";,=": "",
	} {
		a := w.get(path(1, ""), "Accept-Encoding", accept)
		if got := a.Header.Get("Content-Encoding"); got != want {
			t.Errorf("%q gets %q, want %q", accept, got, want)
		}
		if got := unpack(t, a); got != plain.body {
			t.Errorf("%q: the body unpacks to %d bytes, want %d", accept, len(got), len(plain.body))
		}
	}
}

// TestTickets follows a reference into a playlist, and refuses what the hop
// did not write.
func TestTickets(t *testing.T) {
	streams := []catalog.StreamRecord{{URL: "/master.m3u8"}, {URL: "/master-two.m3u8"}, {URL: "https://radio.example.com/live", Kind: "audio"}}
	w := start(t, setup{streams: streams, origin: family})
	ref := w.child(w.get(path(1, "")).body)
	for range 2 { // the second is remembered
		if a := w.get(ref); a.StatusCode != 200 || !strings.Contains(a.body, "/low/seg.ts") {
			t.Fatalf("%s: %d %s", ref, a.StatusCode, a.body)
		}
	}
	_, text, _ := strings.Cut(ref, "?p=")
	last := strings.NewReplacer("A", "B").Replace(text[len(text)-1:])
	if last == text[len(text)-1:] {
		last = "A"
	}
	for name, query := range map[string]string{
		"another stream": path(2, "?p="+text), "no playlist": path(3, "?p="+text), "altered": path(1, "?p="+text[:len(text)-1]+last),
		"cut": path(1, "?p="+text[:len(text)-4]), "padded": path(1, "?p="+text+"="), "empty": path(1, "?p="),
		"not base64url": path(1, "?p=%2F%2B%20"), "bad escape": path(1, "?p=%zz"),
		"JWT":         path(1, "?p=eyJhbGciOiJub25lIn0.eyJ1cmwiOiJodHRwOi8vMTI3LjAuMC4xLyJ9."),
		"too long":    path(1, "?p="+strings.Repeat("A", 6001)),
		"first wrong": path(1, "?p=x&p="+text), "second wrong": path(1, "?p="+text+"&p=x"), "twice": path(1, "?p="+text+"&p="+text),
		"encoded name": path(1, "?%70="+text), "encoded name beside": path(1, "?p="+text+"&%70="+text),
		"encoded ticket": path(1, fmt.Sprintf("?p=%%%02X%s", text[0], text[1:])),
	} {
		if a := w.get(query); a.StatusCode != 404 || a.code() != "ticket_invalid" {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.body)
		}
	}
}

// TestTicketEnds checks that a ticket that was good a moment ago is not when
// its stream is blocked, has another origin, or its time has come.
func TestTicketEnds(t *testing.T) {
	streams := []catalog.StreamRecord{{URL: "/master.m3u8"}}
	w := start(t, setup{streams: streams, origin: family})
	ref := w.child(w.get(path(1, "")).body)
	check := func(when string, status int, code string) {
		t.Helper()
		if a := w.get(ref); a.StatusCode != status || a.code() != code {
			t.Errorf("%s: %d %s, want %d %s", when, a.StatusCode, a.code(), status, code)
		}
	}
	check("at first", 200, "")
	w.show(streams, 1)
	check("blocked", 404, "stream_not_found")
	w.show(streams)
	check("back", 200, "")
	w.show([]catalog.StreamRecord{{URL: "/master-two.m3u8"}})
	check("with another origin", 404, "ticket_invalid")
	w.show(streams)
	check("back", 200, "")
	w.clock.Store(int64(13 * time.Hour))
	check("13 hours later", 404, "ticket_invalid")
}

// TestKeys checks tickets of the key before, and the lack of any key.
func TestKeys(t *testing.T) {
	streams := []catalog.StreamRecord{{URL: "/master.m3u8"}, {URL: "/live.m3u8"}}
	before := start(t, setup{streams: streams, origin: family, keys: oldKey})
	ref := before.child(before.get(path(1, "")).body)
	_, text, _ := strings.Cut(ref, "?p=")

	streams[0].URL = before.origin.URL + "/master.m3u8" // tickets are bound to the address
	next := start(t, setup{streams: streams, origin: family, keys: "next:" + testKey + ",old:" + oldKey, allow: []string{before.origin.Listener.Addr().String()}})
	if a := next.get(path(1, "?p="+text)); a.StatusCode != 200 {
		t.Errorf("a ticket of the previous key: %d %s", a.StatusCode, a.body)
	}
	next.clock.Store(int64(13 * time.Hour))
	if a := next.get(path(1, "?p="+text)); a.StatusCode != 404 {
		t.Errorf("a ticket of the previous key, expired: %d %s", a.StatusCode, a.body)
	}

	none := start(t, setup{streams: streams[1:], origin: family, keys: "none"})
	if a := none.get(path(1, "")); a.StatusCode != 200 {
		t.Errorf("a media playlist needs no key: %d %s", a.StatusCode, a.body)
	}
	none.show([]catalog.StreamRecord{{URL: "/master.m3u8"}})
	for _, query := range []string{"", "?p=" + text} {
		if a := none.get(path(1, query)); a.StatusCode != 503 || a.code() != "playlist_config" {
			t.Errorf("%q without a key: %d %s", query, a.StatusCode, a.body)
		}
	}
}

// TestRedirects checks what a stream that is no playlist leads to.
func TestRedirects(t *testing.T) {
	hidden := "http://radio.example.com/live"
	for _, test := range []struct {
		kind, url string
		status    int
		location  string
		legacy    bool
	}{
		{"audio", "https://radio.example.com:8443/live?x=é y", 302, "https://radio.example.com:8443/live?x=%C3%A9%20y", false},
		{"ts", "https://tv.example.com/live.ts", 302, "https://tv.example.com/live.ts", false},
		{"flv", "https://tv.example.com/live.flv", 302, "https://tv.example.com/live.flv", false},
		{"dash", "https://tv.example.com/live.mpd", 302, "https://tv.example.com/live.mpd", false},
		{"youtube", "https://www.youtube.com/watch?v=jfKfPfyJRdk", 302, "https://www.youtube.com/watch?v=jfKfPfyJRdk", false},
		{"youtube", "https://www.youtube.com/@someone", 422, "", false},
		{"externo", "rtmp://tv.example.com/live", 422, "", false},
		{"audio", hidden, 422, "", true},
		{"ts", "HTTP://tv.example.com/live.ts", 422, "", true},
		{"audio", "https://127.0.0.1/live", 422, "", false},
		{"audio", "https://router/live", 422, "", false},
		{"audio", "https://hop.example.com/api/s/s_0", 422, "", false},
		{"audio", "https://HOP.example.com./api/s/s_0", 422, "", false},
		{"audio", "javascript:alert(1)", 422, "", false},
		{"audio", "https://user:pass@radio.example.com/", 422, "", false},
	} {
		w := start(t, setup{streams: []catalog.StreamRecord{{URL: test.url, Kind: test.kind}}, ownHosts: []string{"hop.example.com"}})
		for _, method := range []string{"GET", "HEAD"} {
			a := w.do(method, path(1, ""))
			if a.StatusCode != test.status || a.Header.Get("Location") != test.location {
				t.Errorf("%s %s: %d to %q, want %d to %q", method, test.url, a.StatusCode, a.Header.Get("Location"), test.status, test.location)
			}
			if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Cdn-Cache-Control") != "" {
				t.Errorf("%s %s may be kept: %v", method, test.url, a.Header)
			}
			player := legacyURL + "/?stream=" + catalog.StreamID(1).String()
			if got := a.Header.Get("X-Service-Legacy"); (got == player) != test.legacy {
				t.Errorf("%s %s: the isolated player is at %q", method, test.url, got)
			}
			if method == "GET" && test.legacy != strings.Contains(a.body, `"legacy_url":"`+player+`"`) {
				t.Errorf("%s %s: body %s", method, test.url, a.body)
			}
		}
		plays, times := w.audience.take()
		if counted := len(plays) == 1; counted != (test.status == 302) || len(times) > 0 {
			t.Errorf("%s: plays %q, times %q", test.url, plays, times)
		}
	}
}

// TestCounting checks what is a play, and what is told of it.
func TestCounting(t *testing.T) {
	w := start(t, setup{
		streams: []catalog.StreamRecord{{URL: "/live.m3u8"}, {URL: "/master.m3u8"}, {URL: "/none.m3u8"}},
		origin: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/none.m3u8" {
				http.NotFound(w, r)
				return
			}
			family(w, r)
		}),
	})
	ref := w.child(w.do("GET", path(2, "")).body)
	w.audience.take()
	for _, test := range []struct {
		method, path string
		headers      []string
		want         string
	}{
		{"GET", path(1, ""), []string{"User-Agent", "x"}, "192.0.2.7 x   c1"},
		{"GET", path(1, ".m3u8"), []string{"User-Agent", "x", "X-Guest-Token", "ipt_abc", "X-Client-Region", "PT"}, "192.0.2.7 x g_abc PT c1"},
		{"GET", path(1, ".m3u8"), []string{"User-Agent", "x", "X-Guest-Token", "ipt_made_up", "X-Client-Region", "PT"}, "192.0.2.7 x  PT c1"},
		{"GET", path(1, ""), []string{"User-Agent", "x", "Authorization", "Bearer ipt_abc", "X-Client-Region", "Portugal"}, "192.0.2.7 x g_abc  c1"},
		{"GET", path(2, ""), []string{"User-Agent", "x"}, "192.0.2.7 x   c2"},
		{"HEAD", path(1, ""), nil, ""},
		{"OPTIONS", path(1, ""), nil, ""},
		{"POST", path(1, ""), nil, ""},
		{"GET", path(1, "?_HLS_msn=1"), nil, ""},
		{"GET", path(1, "?ahead=1"), nil, ""},
		{"GET", path(1, ".m3u8?x=y&ahead=1"), nil, ""},
		{"GET", path(2, "?ahead=1"), nil, ""},
		{"GET", path(1, "?ahead=0"), []string{"User-Agent", "x"}, "192.0.2.7 x   c1"},
		{"GET", ref, nil, ""},
		{"GET", path(3, ""), nil, ""},
		{"GET", path(4, ""), nil, ""},
		{"GET", path(1, ""), []string{"Via", "1.1 miramundo-hop"}, ""},
	} {
		w.do(test.method, test.path, test.headers...)
		plays, times := w.audience.take()
		if got := strings.Join(plays, "|"); got != test.want {
			t.Errorf("%s %s %q: plays %q, want %q", test.method, test.path, test.headers, got, test.want)
		}
		if len(times) != len(plays) {
			t.Errorf("%s %s: times %q", test.method, test.path, times)
		}
	}
}

// TestEdge checks that what an edge tells counts, also when it does so in a
// header of its own after one that the caller sent.
func TestEdge(t *testing.T) {
	w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/live.m3u8"}}, origin: one(media)})
	for _, test := range []struct {
		addresses, countries []string
		want                 string
	}{
		{[]string{"198.51.100.1", "192.0.2.9"}, []string{"DE", "PT"}, "192.0.2.9   PT c1"},
		{[]string{"198.51.100.1, 192.0.2.9"}, []string{"PT"}, "192.0.2.9   PT c1"},
		{[]string{"2001:db8::1"}, nil, "2001:db8::1    c1"},
		{nil, []string{"PT", ""}, "127.0.0.1    c1"},
	} {
		req, err := http.NewRequest("GET", w.hop.URL+path(1, ""), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header["X-Client-Address"], req.Header["X-Client-Region"] = test.addresses, test.countries
		req.Header["User-Agent"] = []string{""}
		res, err := w.transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		plays, _ := w.audience.take()
		if got := strings.Join(plays, "|"); got != test.want {
			t.Errorf("%q %q: plays %q, want %q", test.addresses, test.countries, got, test.want)
		}
	}
}

// spent is an allowance that is used up, and counts who asks.
type spent struct{ asked int }

var errSpent = fault.New(fault.Unpaid, "free_minutes_spent")

func (s *spent) Watch(identity.Caller) error {
	s.asked++
	return errSpent.With("limit_minutes", 120)
}

// TestAllowance checks what is metered: live media playlists.
func TestAllowance(t *testing.T) {
	meter := &spent{}
	w := start(t, setup{
		allowance: meter,
		streams:   []catalog.StreamRecord{{URL: "/live.m3u8"}, {URL: "/master.m3u8"}, {URL: "/film.m3u8"}},
		origin: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			family(w, r)
			if r.URL.Path == "/film.m3u8" {
				io.WriteString(w, "#EXT-X-ENDLIST\n")
			}
		}),
	})
	for _, test := range []struct {
		method, path string
		status       int
		kept         bool // between the hop and the caller
	}{
		{"GET", path(1, ""), 402, false}, {"GET", path(1, "?ahead=1"), 402, false}, {"HEAD", path(1, ""), 200, false}, {"GET", path(2, ""), 200, true},
		{"GET", path(3, ""), 200, true}, {"GET", w.child(w.get(path(2, "")).body), 402, false},
	} {
		a := w.do(test.method, test.path)
		if a.StatusCode != test.status || (a.Header.Get("Cdn-Cache-Control") != "") != test.kept {
			t.Errorf("%s %s: %d %v, want %d", test.method, test.path, a.StatusCode, a.Header, test.status)
		}
		if test.status == 402 && (a.code() != "free_minutes_spent" || !strings.Contains(a.body, `"limit_minutes":120`)) {
			t.Errorf("%s: body %s", test.path, a.body)
		}
	}
	if plays, _ := w.audience.take(); len(plays) != 3 { // the master twice, and the film
		t.Errorf("plays %q", plays)
	}
	if meter.asked != 3 {
		t.Errorf("the meter was asked %d times", meter.asked)
	}
}

// TestRoutes checks what is answered beside the streams.
func TestRoutes(t *testing.T) {
	w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/live.m3u8"}}, origin: one(media)})
	for _, test := range []struct {
		method, path string
		status       int
		code, allow  string
	}{
		{"GET", "/", 404, "not_found", ""},
		{"GET", "/api/s/", 404, "not_found", ""},
		{"GET", "/api/s", 404, "not_found", ""},
		{"GET", path(1, "/"), 404, "not_found", ""},
		{"GET", path(1, "%2f"), 404, "not_found", ""},
		{"GET", path(9, ""), 404, "stream_not_found", ""},
		{"GET", "/api/s/..", 404, "stream_not_found", ""},
		{"GET", "/api/s/%00", 404, "stream_not_found", ""},
		{"GET", "/api/s/" + strings.Repeat("s", 8000), 404, "stream_not_found", ""},
		{"POST", path(1, ""), 405, "method_not_allowed", "GET, HEAD, OPTIONS"},
		{"BREW", path(1, ""), 405, "method_not_allowed", "GET, HEAD, OPTIONS"},
		{"DELETE", "/api/health", 405, "method_not_allowed", "GET, HEAD, OPTIONS"},
		{"OPTIONS", path(1, ""), 204, "", "GET, HEAD, OPTIONS"},
		{"OPTIONS", path(9, ""), 204, "", "GET, HEAD, OPTIONS"},
		{"POST", "/", 404, "not_found", ""},
		{"GET", path(1, "?_HLS_part=1"), 400, "invalid_request", ""},
		{"GET", path(1, "?_HLS_msn=99999999999999999999"), 400, "invalid_request", ""},
	} {
		a := w.do(test.method, test.path)
		if a.StatusCode != test.status || a.code() != test.code || a.Header.Get("Allow") != test.allow {
			t.Errorf("%s %.60s: %d %s, Allow %q", test.method, test.path, a.StatusCode, a.body, a.Header.Get("Allow"))
		}
		if test.status == 405 && !strings.Contains(a.body, `"allow":["GET","HEAD","OPTIONS"]`) {
			t.Errorf("%s %.60s: body %s", test.method, test.path, a.body)
		}
		known := strings.HasPrefix(test.path, "/api/s/s_") || strings.HasPrefix(test.path, "/api/h")
		if known && test.code != "not_found" && a.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s %.60s: scripts may not read the answer", test.method, test.path)
		}
	}
	if n := w.fetches("/live.m3u8"); n != 0 {
		t.Errorf("the origin was asked %d times", n)
	}
}

func TestLanguages(t *testing.T) {
	w := start(t, setup{})
	de := w.get(path(1, ""), "Accept-Language", "de")
	pt := w.get(path(1, ""))
	if !strings.Contains(de.body, "Stream mit") && de.body == pt.body || !strings.Contains(de.Header.Get("Vary"), "Accept-Language") {
		t.Errorf("German %s, Portuguese %s, Vary %s", de.body, pt.body, de.Header.Get("Vary"))
	}
}

func TestPreflight(t *testing.T) {
	w := start(t, setup{})
	a := w.do("OPTIONS", path(1, ""), "Origin", "https://x.example", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "x-guest-token")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS", "Access-Control-Max-Age": "86400",
		"Access-Control-Allow-Headers": "Accept-Language, Authorization, Content-Type, Range, X-Credito, X-Guest-Token, X-PAYMENT, PAYMENT-SIGNATURE",
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// stubborn are playlists that fail in a way of their own.
type stubborn func(context.Context) error

func (s stubborn) Get(ctx context.Context, _ upstream.Request) (*upstream.Copy, error) {
	return nil, s(ctx)
}

// TestPanic checks that a defect is one answer, and one record.
func TestPanic(t *testing.T) {
	w := start(t, setup{
		streams:   []catalog.StreamRecord{{URL: "/live.m3u8"}},
		playlists: func(Playlists) Playlists { return stubborn(func(context.Context) error { panic("a defect") }) },
	})
	a := w.get(path(1, ""))
	if a.StatusCode != 500 || a.code() != "internal" || strings.Contains(a.body, "defect") {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if log := w.log.take(); !strings.Contains(log, `"severity":"ERROR"`) || !strings.Contains(log, "a defect") {
		t.Errorf("log is %s", log)
	}
}

// TestGone checks that a caller that goes away is no failure of anything.
func TestGone(t *testing.T) {
	asked := make(chan struct{})
	done := make(chan struct{})
	w := start(t, setup{
		streams: []catalog.StreamRecord{{URL: "/live.m3u8"}},
		playlists: func(Playlists) Playlists {
			return stubborn(func(ctx context.Context) error {
				defer close(done)
				close(asked)
				<-ctx.Done()
				return ctx.Err()
			})
		},
	})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-asked
		leave()
	}()
	req := httptest.NewRequestWithContext(ctx, "GET", path(1, ""), nil)
	w.server.ServeHTTP(httptest.NewRecorder(), req)
	<-done
	if log := w.log.take(); !strings.Contains(log, `"status":499`) || !strings.Contains(log, `"severity":"INFO"`) {
		t.Errorf("log is %s", log)
	}
}

// TestUnknownFailure checks that an error that is no fault is told as ours.
func TestUnknownFailure(t *testing.T) {
	for _, err := range []error{errors.New("odd"), context.Canceled} {
		w := start(t, setup{
			streams:   []catalog.StreamRecord{{URL: "/live.m3u8"}},
			playlists: func(Playlists) Playlists { return stubborn(func(context.Context) error { return err }) },
		})
		if a := w.get(path(1, "")); a.StatusCode != 500 || a.code() != "internal" {
			t.Errorf("%v: %d %s", err, a.StatusCode, a.body)
		}
	}
}

package measure_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/probe/measure"
)

// song is some seconds of MP3.
var song = strings.Repeat("\xff\xfb\x90\x00"+strings.Repeat("\x00", 413), 100)

// says returns a handler that answers by path with texts, and with a status
// where there is none.
func says(otherwise int, texts map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, ok := texts[r.URL.Path]
		if !ok {
			w.WriteHeader(otherwise)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "*")
		fmt.Fprint(w, text)
	}
}

// vod is a playlist of some lines and one segment.
func vod(lines ...string) string {
	return "#EXTM3U\n#EXT-X-TARGETDURATION:3\n" + strings.Join(lines, "\n") + "\n#EXTINF:2.6,\nsong.mp3\n#EXT-X-ENDLIST\n"
}

// TestReasons has one stream for each thing that can be found.
func TestReasons(t *testing.T) {
	for _, tc := range []struct {
		name   string
		serve  http.HandlerFunc
		status probe.Status
		reason string
	}{
		{"good", says(404, map[string]string{"/": vod(), "/song.mp3": song}), probe.Online, ""},
		{"404", says(404, nil), probe.Offline, "missing"},
		{"410", says(410, nil), probe.Offline, "missing"},
		{"401", says(401, nil), probe.Blocked, "denied"},
		{"403", says(403, nil), probe.Blocked, "denied"},
		{"451", says(451, nil), probe.Blocked, "denied"},
		{"429", says(429, nil), probe.Blocked, "limited"},
		{"400", says(400, nil), probe.Error, "broken"},
		{"204", says(204, nil), probe.Error, "broken"},
		{"503", says(503, nil), probe.Error, "failing"},
		{"hangs up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, probe.Error, "broken"},
		{"geo page", says(404, map[string]string{"/": `{"message":"Conteúdo não disponível no seu país"}`}), probe.Blocked, "geo"},
		{"other page", says(404, map[string]string{"/": `<html>`}), probe.Error, "page"},
		{"text", says(404, map[string]string{"/": `stream not found`}), probe.Error, "page"},
		{"blank", says(404, map[string]string{"/": " \r\n"}), probe.Error, "empty"},
		{"noise", says(404, map[string]string{"/": strings.Repeat("\x00\x01\x93", 999)}), probe.Error, "no_media"},
		{"no XML", says(404, map[string]string{"/": "<MPD><Period"}), probe.Error, "no_media"},
		{"empty MPD", says(404, map[string]string{"/": "<MPD/>"}), probe.Error, "empty"},
		{"variant 404", says(404, map[string]string{"/": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\nv.m3u8\n"}), probe.Error, "variant"},
		{"variant is a page", says(404, map[string]string{"/": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\nv.m3u8\n", "/v.m3u8": "<html>"}), probe.Error, "page"},
		{"first variant 404", says(404, map[string]string{
			"/": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\nv.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=8\nw.m3u8\n", "/w.m3u8": vod(), "/song.mp3": song,
		}), probe.Online, ""},
		{"segment 404", says(404, map[string]string{"/": vod()}), probe.Error, "variant"},
		{"segment is a page", says(404, map[string]string{"/": vod(), "/song.mp3": "<html>log in"}), probe.Error, "page"},
		{"segment is empty", says(404, map[string]string{"/": vod(), "/song.mp3": ""}), probe.Error, "empty"},
		{"segment of one byte", says(404, map[string]string{"/": vod(), "/song.mp3": "\x00"}), probe.Error, "no_media"},
		{"key 404", says(404, map[string]string{"/": vod(`#EXT-X-KEY:METHOD=AES-128,URI="k"`), "/song.mp3": song}), probe.Error, "key"},
		{"key 403", says(403, map[string]string{"/": vod(`#EXT-X-KEY:METHOD=AES-128,URI="k"`), "/song.mp3": song}), probe.Blocked, "denied"},
		{"key is a page", says(404, map[string]string{"/": vod(`#EXT-X-KEY:METHOD=AES-128,URI="k"`), "/k": "<html><body>log", "/song.mp3": song}), probe.Error, "key"},
		{"key of a shop", says(404, map[string]string{"/": vod(`#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://k",KEYFORMAT="com.apple.streamingkeydelivery"`), "/song.mp3": "\x00noise"}), probe.Online, ""},
		{"initialisation 404", says(404, map[string]string{"/": vod(`#EXT-X-MAP:URI="i.mp4"`), "/song.mp3": song}), probe.Error, "variant"},
		{"no player decodes", says(404, map[string]string{
			"/":         "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9,CODECS=\"xyz1\"\nv.m3u8\n",
			"/v.m3u8":   vod(`#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://k"`),
			"/song.mp3": "\x00noise",
		}), probe.Error, "codecs"},
		{"in itself", says(404, map[string]string{"/": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\n/\n"}), probe.Error, "nested"},
		{"list in list", says(404, map[string]string{"/": "[playlist]\nFile1=/b.pls\n", "/b.pls": "[playlist]\nFile1=/song.mp3\n", "/song.mp3": song}), probe.Error, "nested"},
		{"list", says(404, map[string]string{"/": "#EXTM3U\n#EXTINF:-1,Radio\nsong.mp3\n", "/song.mp3": song}), probe.Online, ""},
		{"list whose first is gone", says(404, map[string]string{"/": "#EXTM3U\n#EXTINF:-1,A\ngone.mp3\n#EXTINF:-1,B\nsong.mp3\n", "/song.mp3": song}), probe.Online, ""},
		{"empty list", says(404, map[string]string{"/": "[playlist]\nNumberOfEntries=0\n"}), probe.Error, "empty"},
		{"inner address", says(404, map[string]string{"/": "http://192.168.1.1/\n"}), probe.Offline, "inward"},
		{"too large", says(404, map[string]string{"/": "#EXTM3U\n" + strings.Repeat("#EXT-X-NOTHING\n", 100_000)}), probe.Error, "too_large"},
		{"never goes on", says(404, map[string]string{"/": strings.TrimSuffix(vod(), "#EXT-X-ENDLIST\n"), "/song.mp3": song}), probe.Error, "stalled"},
		{"a station", says(404, map[string]string{"/": song}), probe.Online, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := httptest.NewServer(tc.serve)
			defer s.Close()
			r := measurer(s).Measure(t.Context(), probe.Target{URL: s.URL, Kind: catalog.StreamHLS})
			if r.Status != tc.status || r.Reason != tc.reason || !r.Answered {
				t.Errorf("%+v, want %s %q", r, tc.status, tc.reason)
			}
			if good := r.Status == probe.Online; good != (r.Latency > 0 && r.CORS && r.Bytes > 0) && good {
				t.Errorf("online without a latency: %+v", r)
			}
		})
	}
}

// TestKinds has streams that are not what their addresses promise.
func TestKinds(t *testing.T) {
	packets := strings.Repeat("G@\x00\x10"+strings.Repeat("\xff", 184), 20)
	mpd := `<MPD><Period><AdaptationSet contentType="audio"><SegmentTemplate media="song.mp3" duration="4"/><Representation id="a"/></AdaptationSet></Period></MPD>`
	for _, tc := range []struct {
		name, listed, body, want string
		status                   probe.Status
	}{
		{"as promised", catalog.StreamHLS, vod(), "", probe.Online},
		{"audio", catalog.StreamHLS, song, catalog.StreamAudio, probe.Online},
		{"audio, as promised", catalog.StreamAudio, song, "", probe.Online},
		{"a list of audio", catalog.StreamHLS, "[playlist]\nFile1=song.mp3\n", catalog.StreamAudio, probe.Online},
		{"a list of playlists", catalog.StreamAudio, "[playlist]\nFile1=vod.m3u8\n", catalog.StreamHLS, probe.Online},
		{"a list of segments", catalog.StreamHLS, "#EXTM3U\n#EXTINF:9,\nsong.mp3\n", "", probe.Online},
		{"a playlist", catalog.StreamAudio, vod(), catalog.StreamHLS, probe.Online},
		{"DASH", catalog.StreamHLS, mpd, catalog.StreamDASH, probe.Online},
		{"packets that do not play", catalog.StreamHLS, packets, "", probe.Error},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := httptest.NewServer(says(404, map[string]string{"/": tc.body, "/song.mp3": song, "/vod.m3u8": vod()}))
			defer s.Close()
			r := measurer(s).Measure(t.Context(), probe.Target{URL: s.URL, Kind: tc.listed})
			if r.Status != tc.status || r.Kind != tc.want {
				t.Errorf("%+v, want %s of kind %q", r, tc.status, tc.want)
			}
		})
	}
}

// TestUnreached has streams that no origin says anything of.
func TestUnreached(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	stalled, cancel := context.WithCancel(t.Context())
	held := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer held.Close()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := &httptest.Server{Listener: l}
	l.Close()
	m := measurer(secure, held, nobody)
	for _, tc := range []struct {
		name     string
		ctx      context.Context
		url      string
		kind     string
		status   probe.Status
		reason   string
		answered bool
	}{
		{"nobody", t.Context(), "http://" + l.Addr().String(), catalog.StreamTS, probe.Offline, "nobody", false},
		{"certificate", t.Context(), secure.URL, catalog.StreamHLS, probe.Error, "untrusted", true},
		{"given up", stalled, held.URL, catalog.StreamHLS, probe.Unknown, "stopped", false},
		{"inner host", t.Context(), "http://localhost:8080/live.m3u8", catalog.StreamHLS, probe.Offline, "inward", false},
		{"other scheme", t.Context(), "rtmp://a.example.com/live", catalog.StreamFLV, probe.Offline, "inward", false},
		{"YouTube", t.Context(), "https://www.youtube.com/watch", catalog.StreamYouTube, probe.Unknown, "kind", false},
		{"no kind", t.Context(), held.URL, "", probe.Unknown, "kind", false},
	} {
		r := m.Measure(tc.ctx, probe.Target{URL: tc.url, Kind: tc.kind})
		if r.Status != tc.status || r.Reason != tc.reason || r.Answered != tc.answered {
			t.Errorf("%s: %+v, want %s %q", tc.name, r, tc.status, tc.reason)
		}
	}
}

// TestHeaders looks at what is sent: the stream's headers with each request
// but the last, which shows whether a page could open the segment too.
func TestHeaders(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, fmt.Sprintf("%s %s %s %s", r.URL.Path, r.Referer(), r.UserAgent(), r.Header.Get("Origin")))
		mu.Unlock()
		says(404, map[string]string{"/": vod(), "/song.mp3": song})(w, r)
	}))
	defer s.Close()
	r := measurer(s).Measure(t.Context(), probe.Target{
		URL: s.URL, Kind: catalog.StreamHLS, Referrer: "https://tv.example/", UserAgent: "TV/1\r\nX: y",
	})
	if r.Status != probe.Online || r.Closed {
		t.Errorf("%+v", r)
	}
	const page, us = "https://miramundo.dev", "Miramundo/1.0 (+https://miramundo.dev)"
	want := []string{"/ https://tv.example/ " + us + " " + page, "/song.mp3 https://tv.example/ " + us + " " + page, "/song.mp3  " + us + " " + page}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("requests (-want +got)\n%s", diff)
	}
}

// TestCORS has origins that let pages read all, some, or nothing.
func TestCORS(t *testing.T) {
	for _, tc := range []struct {
		playlist, media string
		want            bool
	}{
		{"*", "*", true},
		{"https://miramundo.dev", "*", true},
		{"*", "https://other.example", false},
		{"", "*", false},
		{"*", "", false},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			allowed := tc.playlist
			if r.URL.Path == "/song.mp3" {
				allowed = tc.media
			}
			w.Header()["Access-Control-Allow-Origin"] = []string{allowed}
			fmt.Fprint(w, map[string]string{"/": vod(), "/song.mp3": song}[r.URL.Path])
		}))
		r := measurer(s).Measure(t.Context(), probe.Target{URL: s.URL, Kind: catalog.StreamHLS})
		if r.CORS != tc.want || r.Status != probe.Online {
			t.Errorf("%q and %q: %+v, want %t", tc.playlist, tc.media, r, tc.want)
		}
		s.Close()
	}
}

// TestAdvances has live playlists that go on after so many looks, and notes
// for how long it is waited between them.
func TestAdvances(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		target int
		after  int // looks with the same answer, the first included
		status probe.Status
		waits  []time.Duration
	}{
		{6, 1, probe.Online, []time.Duration{6 * time.Second}},
		{6, 2, probe.Online, []time.Duration{6 * time.Second, 6 * time.Second}},
		{6, 9, probe.Error, []time.Duration{6 * time.Second, 6 * time.Second}},
		{20, 9, probe.Error, []time.Duration{12 * time.Second, 12 * time.Second}},
		{60, 9, probe.Online, nil},
		{0, 9, probe.Error, []time.Duration{2 * time.Second, 2 * time.Second}}, // as long as a segment
	} {
		asked := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" {
				fmt.Fprint(w, song)
				return
			}
			asked++
			first := 7
			if asked > tc.after {
				first++
			}
			fmt.Fprintf(w, "#EXTM3U\n#EXT-X-TARGETDURATION:%d\n#EXT-X-MEDIA-SEQUENCE:%d\n#EXTINF:2,\nsong.mp3?token=%d\n", tc.target, first, asked)
		}))
		var waits []time.Duration
		m := measure.New(measure.Options{
			Origin:   origin.New(origin.Options{Allow: []string{s.Listener.Addr().String()}, Header: forever, Timeout: forever}),
			Patience: forever, Now: func() time.Time { return now }, Wait: func(_ context.Context, d time.Duration) { waits = append(waits, d) },
		})
		r := m.Measure(t.Context(), probe.Target{URL: s.URL, Kind: catalog.StreamHLS})
		s.Close()
		if r.Status != tc.status || !slices.Equal(waits, tc.waits) {
			t.Errorf("target %d, after %d looks: %+v after waiting for %v, want %s after %v", tc.target, tc.after, r, waits, tc.status, tc.waits)
		}
		if !r.At.Equal(now) {
			t.Errorf("measured at %v", r.At)
		}
	}
}

// TestBounds has streams that would take all the requests and bytes there are.
func TestBounds(t *testing.T) {
	big := "#EXTM3U\n#EXT-X-TARGETDURATION:2\n" + strings.Repeat("#EXTINF:2,\nsegment-with-a-long-name.mp3\n", 20_000)
	for name, serve := range map[string]http.HandlerFunc{
		"large playlists": func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ".mp3") {
				fmt.Fprint(w, song)
				return
			}
			fmt.Fprint(w, big)
		},
		"large everything": func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/":
				fmt.Fprint(w, "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",URI=\"/a.m3u8\"\n#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\"\n/v.m3u8\n")
			case "/v.m3u8", "/a.m3u8":
				fmt.Fprint(w, "#EXT-X-TARGETDURATION:2\n#EXT-X-MAP:URI=\"i.mp3\"\n"+big)
			default:
				for range 200 {
					fmt.Fprint(w, song)
				}
			}
		},
	} {
		s := httptest.NewServer(serve)
		r := measurer(s).Measure(t.Context(), probe.Target{URL: s.URL, Kind: catalog.StreamHLS, Referrer: "https://tv.example/"})
		s.Close()
		if r.Requests > 12 || r.Bytes > 2<<20 {
			t.Errorf("%s: %+v takes more than its part", name, r)
		}
	}
}

package measure

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/probe/measure/manifest"
)

// hang is how long a test waits for what happens at once, before it says that
// it does not.
const hang = time.Minute

// asking returns a run at a server that has so much time left.
func asking(t *testing.T, s *httptest.Server, left time.Duration) *run {
	o := origin.New(origin.Options{PerHost: 1, Allow: []string{s.Listener.Addr().String()}, Header: hang, Timeout: hang})
	m := New(Options{Origin: o, Patience: hang, Wait: func(context.Context, time.Duration) {}})
	return &run{opts: m.opts, ctx: t.Context(), end: time.Now().Add(left), target: probe.Target{URL: s.URL}}
}

// TestQueued has a measurement wait for its place at a host: that takes none of
// its time, and is no latency of the origin.
func TestQueued(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "#EXTM3U\n#EXT-X-ENDLIST\n") }))
	defer s.Close()
	r := asking(t, s, hang)
	end := r.end
	first, err := r.ask(ask{url: s.URL, most: 9})
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, first.close)
	second, err := r.ask(ask{url: s.URL, most: 9})
	if err != nil {
		t.Fatal(err)
	}
	defer second.close()
	if !r.end.Equal(end.Add(r.queued)) || second.res.Waited <= 0 || second.res.Waited > r.queued {
		t.Errorf("it waited for %v of %v, and ends %v later", second.res.Waited, r.queued, r.end.Sub(end))
	}
	err = second.fill(9)
	if most := time.Since(second.sent) - second.res.Waited; err != nil || second.seen > most {
		t.Errorf("%v; the first byte came after %v, want at most %v", err, second.seen, most)
	}
}

// TestEnd has measurements whose time is over.
func TestEnd(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, "#EXTM3U\n")
	}))
	defer s.Close()
	r := asking(t, s, 0)
	if _, err := r.ask(ask{url: s.URL, most: 9}); !errors.Is(err, context.DeadlineExceeded) || verdictOf(t.Context(), err) != late || asked.Load() != 0 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
}

// TestNoTimeToAdvance has live playlists that stand still: what has played is
// believed when there is no time to look again.
func TestNoTimeToAdvance(t *testing.T) {
	song := strings.Repeat("\xff\xfb\x90\x00"+strings.Repeat("\x00", 413), 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/song.mp3" {
			fmt.Fprint(w, song)
			return
		}
		fmt.Fprint(w, "#EXTM3U\n#EXT-X-TARGETDURATION:600\n#EXT-X-MEDIA-SEQUENCE:1\n#EXTINF:2,\n/song.mp3\n")
	}))
	defer s.Close()
	for _, tc := range []struct {
		target float64
		left   time.Duration
		want   error
	}{{12, 10 * hang, stalled}, {12, 11 * time.Second, nil}, {600, 10 * hang, nil}} {
		r := asking(t, s, tc.left)
		p, err := r.playlist(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		m := manifest.ReadHLS(p.data)
		m.Target = tc.target
		if err := r.advances(p, m); !errors.Is(err, tc.want) {
			t.Errorf("every %v s, with %v left: %v, want %v", tc.target, tc.left, err, tc.want)
		}
	}
}

// TestGoneWithin has a playlist that a stream names vanish between two looks:
// it is the stream that is wrong, not its address.
func TestGoneWithin(t *testing.T) {
	song := strings.Repeat("\xff\xfb\x90\x00"+strings.Repeat("\x00", 413), 100)
	var looked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/song.mp3":
			fmt.Fprint(w, song)
		case r.URL.Path != "/v.m3u8":
			fmt.Fprint(w, "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\nv.m3u8\n")
		case looked.Add(1) > 1:
			w.WriteHeader(http.StatusNotFound)
		default:
			fmt.Fprint(w, "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:1\n#EXTINF:2,\n/song.mp3\n")
		}
	}))
	defer s.Close()
	r := asking(t, s, 10*hang)
	if v := verdictOf(t.Context(), r.open(s.URL, 0)); v != noVariant {
		t.Errorf("%v, want %v", v, noVariant)
	}
}

// TestClosedInList has a list that all may read, of a station that needs its
// headers.
func TestClosedInList(t *testing.T) {
	song := strings.Repeat("\xff\xfb\x90\x00"+strings.Repeat("\x00", 413), 400)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/":
			fmt.Fprint(w, "[playlist]\nFile1=/song.mp3\n")
		case r.Referer() == "":
			w.WriteHeader(http.StatusForbidden)
		default:
			fmt.Fprint(w, song)
		}
	}))
	defer s.Close()
	r := asking(t, s, 10*hang)
	r.target.Referrer = "https://radio.example/"
	if err := r.open(s.URL+"/", 0); err != nil || !r.result.Closed {
		t.Errorf("%v, %+v", err, r.result)
	}
}

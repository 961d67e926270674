package server

import (
	"context"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"miramundo.dev/hop/upstream"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/origin"
)

// song is some seconds of MP3.
var song = strings.Repeat("\xff\xfb\x90\x00"+strings.Repeat("\x00", 413), 100)

// TestTurned has origins that send something else than a playlist over plain HTTP:
// each is answered as a stream of its kind is, with the isolated player.
func TestTurned(t *testing.T) {
	bodies := map[string]string{
		"/song": song, "/packets": strings.Repeat("G@\x00\x10"+strings.Repeat("\xff", 184), 200),
		"/mpd": "<MPD></MPD>", "/pls": "[playlist]\nFile1=/song\n", "/m3u": "#EXTM3U\n#EXTINF:-1,Radio\n/song\n",
	}
	var streams []catalog.StreamRecord
	for path := range bodies {
		streams = append(streams, catalog.StreamRecord{URL: path})
	}
	w := start(t, setup{streams: streams, origin: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, bodies[r.URL.Path]) })})
	for i, st := range streams {
		for range 2 {
			a := w.get(path(i+1, ".m3u8"))
			player := legacyURL + "/?stream=" + catalog.StreamID(i+1).String()
			if a.StatusCode != 422 || a.code() != "playlist_origem" || !strings.Contains(a.body, `"legacy_url":"`+player+`"`) {
				t.Errorf("%s: %d %s", st.URL, a.StatusCode, a.body)
			}
		}
		if n := w.fetches(st.URL); n != 1 && st.URL != "/song" {
			t.Errorf("%s was asked for %d times", st.URL, n)
		}
	}
}

// finds are playlists of an origin that sends something else, and counts requests.
type finds struct {
	err   atomic.Pointer[error] // nil for a playlist
	asked atomic.Int64
}

func (f *finds) Get(context.Context, upstream.Request) (*upstream.Copy, error) {
	f.asked.Add(1)
	if err := f.err.Load(); err != nil {
		return nil, *err
	}
	return &upstream.Copy{}, nil
}

func (f *finds) set(err error) { f.err.Store(&err) }

// TestTurnedLocation checks where callers are redirected: to the address that sends
// the media, or to the provider's own address, and never to plain HTTP or to us.
func TestTurnedLocation(t *testing.T) {
	const secure, plain = "https://radio.example.com/live.m3u8", "http://radio.example.com/live.m3u8"
	for _, tc := range []struct {
		name, url string
		found     upstream.Other
		location  string
		legacy    bool
	}{
		{"media", secure, upstream.Other{Kind: "audio"}, secure, false},
		{"media over plain HTTP", plain, upstream.Other{Kind: "audio"}, "", true},
		{"a list", secure, upstream.Other{Kind: "audio", Entry: "https://media.example.com/a b"}, "https://media.example.com/a%20b", false},
		{"a list of plain HTTP", secure, upstream.Other{Kind: "audio", Entry: "http://media.example.com/a"}, secure, false},
		{"a plain list of https", plain, upstream.Other{Kind: "audio", Entry: "https://media.example.com/a"}, "https://media.example.com/a", true},
		{"a list of our own address", secure, upstream.Other{Kind: "audio", Entry: "https://hop.example.com/api/s/s_1"}, secure, false},
		{"a list of an inner address", secure, upstream.Other{Kind: "ts", Entry: "https://10.0.0.1/"}, secure, false},
		{"media without a kind", secure, upstream.Other{}, secure, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &finds{}
			f.set(&tc.found)
			w := start(t, setup{
				streams: []catalog.StreamRecord{{URL: tc.url}}, ownHosts: []string{"hop.example.com"},
				playlists: func(Playlists) Playlists { return f },
			})
			for range 2 {
				a := w.get(path(1, ""))
				if got := a.Header.Get("Location"); got != tc.location || (a.StatusCode == 302) != (tc.location != "") {
					t.Errorf("%d to %q, want %q", a.StatusCode, got, tc.location)
				}
				if tc.location == "" && (a.code() != "playlist_origem" || strings.Contains(a.body, "legacy_url") != tc.legacy) {
					t.Errorf("%d %s", a.StatusCode, a.body)
				}
			}
			if n := f.asked.Load(); n != 1 {
				t.Errorf("the origin was asked %d times", n)
			}
			if plays, _ := w.audience.take(); (len(plays) == 2) != (tc.location != "") {
				t.Errorf("plays %q", plays)
			}
		})
	}
}

// TestTurnedBack follows a stream whose origin sends media, fails, and is repaired:
// it is asked again beside the answers, and then its playlist is answered.
func TestTurnedBack(t *testing.T) {
	for name, measured := range map[string]string{"found here": "", "measured": catalog.StreamAudio} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &finds{}
				f.set(&upstream.Other{Kind: "audio"})
				s := &Server{Options: Options{Playlists: f, Now: time.Now}, turned: turned{of: map[catalog.StreamID]*finding{}}}
				st := &stream{StreamRecord: catalog.StreamRecord{ID: 1, URL: "https://radio.example.com/live.m3u8", Kind: catalog.StreamHLS}, listed: catalog.StreamHLS}
				if measured != "" {
					st.Kind, st.location = measured, st.URL
				} else {
					s.note(st, &upstream.Other{Kind: "audio"}, retryAsk)
				}
				look := func(when string, redirects bool, asked int64) {
					t.Helper()
					turn, ok := s.turned.look(st, time.Now())
					if turn.due {
						s.askAgain(t.Context(), st, upstream.Request{})
					}
					if got := f.asked.Swap(0); ok != redirects || got != asked {
						t.Errorf("%s: redirects %t, asked %d times, want %t, %d", when, ok, got, redirects, asked)
					}
				}
				if look("at first", true, 0); measured == "" {
					time.Sleep(retryAsk)
					look("soon after it was found", true, 1)
				}
				time.Sleep(againAfter - time.Second)
				look("just before", true, 0)
				time.Sleep(time.Second)
				look("after a while", true, 1)
				look("at once after that", true, 0)
				time.Sleep(againAfter)
				f.set(origin.ErrTimeout)
				look("while the origin hangs", true, 1)
				look("at once after that", true, 0)
				time.Sleep(retryAsk)
				f.err.Store(nil)
				look("when it is repaired", true, 1)
				look("after that", false, 0)
				time.Sleep(2 * againAfter)
				look("much later", false, 0)
			})
		})
	}
}

// TestTurnedOnce checks that one caller at a time has an origin asked again.
func TestTurnedOnce(t *testing.T) {
	var m turned
	m.of = map[catalog.StreamID]*finding{}
	st := &stream{StreamRecord: catalog.StreamRecord{ID: 1, URL: "https://a.example.com/"}}
	now := time.Unix(1e9, 0)
	m.put(st, finding{until: now})
	first, _ := m.look(st, now)
	second, _ := m.look(st, now)
	if !first.due || second.due {
		t.Errorf("due %t and %t", first.due, second.due)
	}
	moved := &stream{StreamRecord: catalog.StreamRecord{ID: 1, URL: "https://b.example.com/", Kind: catalog.StreamHLS}}
	if _, ok := m.look(moved, now); ok {
		t.Error("what was found at another address counts")
	}
}

// TestTurnedBound fills the memory beyond its bound.
func TestTurnedBound(t *testing.T) {
	m := turned{of: map[catalog.StreamID]*finding{}}
	for i := range maxTurned + 100 {
		m.put(&stream{StreamRecord: catalog.StreamRecord{ID: catalog.StreamID(i)}}, finding{})
	}
	if len(m.of) != maxTurned {
		t.Errorf("%d streams are remembered, want %d", len(m.of), maxTurned)
	}
	if _, ok := m.of[maxTurned+99]; !ok {
		t.Error("the last one is forgotten")
	}
}

// TestMeasuredTurn has streams that were measured to be something else: the hop
// redirects without asking, also the first time, and reads the playlist of a stream
// that was listed as audio.
func TestMeasuredTurn(t *testing.T) {
	streams := []catalog.StreamRecord{
		{URL: "https://radio.example.com/live.m3u8"}, {URL: "/live", Kind: catalog.StreamAudio},
	}
	w := start(t, setup{streams: streams, origin: one(media)})
	measured := map[catalog.StreamID]*catalog.Measurement{1: {Kind: catalog.StreamAudio}, 2: {Kind: catalog.StreamHLS}}
	ix, err := index.Build(w.register)
	if err != nil {
		t.Fatal(err)
	}
	w.catalog.view.Store(index.NewView(ix, index.Overlay{Streams: maps.All(measured)}, catalog.LinkBase{Hop: hopURL, Legacy: legacyURL}))
	if a := w.get(path(1, "")); a.StatusCode != 302 || a.Header.Get("Location") != streams[0].URL {
		t.Errorf("measured as audio: %d to %q %s", a.StatusCode, a.Header.Get("Location"), a.body)
	}
	if a := w.get(path(2, ".m3u8")); a.StatusCode != 200 || a.Header.Get("Content-Type") != mpegURL[0] {
		t.Errorf("measured as a playlist: %d %s", a.StatusCode, a.body)
	}
}

// TestTurnedBelow has a variant that turns out to be media: a ticket leads to
// playlists alone, so that it is a failure of the origin.
func TestTurnedBelow(t *testing.T) {
	w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/master.m3u8"}}, origin: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/master.m3u8" {
			io.WriteString(w, master)
			return
		}
		io.WriteString(w, song)
	})})
	a := w.get(w.child(w.get(path(1, "")).body))
	if a.StatusCode != 422 || a.code() != "playlist_origem" || a.Header.Get("Location") != "" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if a := w.get(path(1, "")); a.StatusCode != 200 {
		t.Errorf("the master after that: %d %s", a.StatusCode, a.body)
	}
}

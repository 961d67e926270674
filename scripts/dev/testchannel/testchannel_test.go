package testchannel

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// start is the first moment of a loop: 16 s divide it.
var start = time.Unix(1_800_000_000, 0)

// A listed segment is what a playlist says of it.
type listed struct {
	length, date, uri string
}

// TestPlaylistSlides reads the playlist ten times a second for four loops: it
// never goes back, and says the same of a segment each time.
func TestPlaylistSlides(t *testing.T) {
	clock := start
	o := newOrigin(t, func() time.Time { return clock })
	known := map[int64]listed{}
	last := int64(0)
	for ; clock.Before(start.Add(64 * time.Second)); clock = clock.Add(100 * time.Millisecond) {
		first, segments := parse(t, get(t, o, "GET", "/tv/live.m3u8").Body.String())
		if first < last || first > last+1 && last != 0 {
			t.Fatalf("at %v the media sequence went from %d to %d", clock.Sub(start), last, first)
		}
		if len(segments) < 5 {
			t.Fatalf("at %v the window has %d segments, want 5 or more", clock.Sub(start), len(segments))
		}
		for i, s := range segments {
			n := first + int64(i)
			if was, ok := known[n]; ok && was != s {
				t.Fatalf("at %v segment %d became %+v, was %+v", clock.Sub(start), n, s, was)
			}
			known[n] = s
			if w := get(t, o, "HEAD", "/tv/"+s.uri); w.Code != http.StatusOK {
				t.Fatalf("at %v segment %d of the playlist answers %d", clock.Sub(start), n, w.Code)
			}
		}
		last = first
	}
	if len(known) < 32+window-1 {
		t.Errorf("saw %d segments in 64 s, want at least %d", len(known), 32+window-1)
	}
}

// TestPicturesFollow checks that the clip goes on from segment to segment and
// begins again after its last.
func TestPicturesFollow(t *testing.T) {
	clock := start
	o := newOrigin(t, func() time.Time { return clock })
	var played []string
	for range 26 {
		_, segments := parse(t, get(t, o, "GET", "/tv/live.m3u8").Body.String())
		body := get(t, o, "GET", "/tv/"+segments[len(segments)-1].uri).Body.Bytes()
		played = append(played, strconv.Itoa(index(o.clip.segments, body)))
		clock = clock.Add(segmentLength)
	}
	// The segment that ends at the start of a loop is the last of the one before.
	want := "7" + strings.Repeat(" 0 1 2 3 4 5 6 7", 3) + " 0"
	if got := strings.Join(played, " "); got != want {
		t.Errorf("played %s\nwant   %s", got, want)
	}
}

func TestSegmentsComeAndGo(t *testing.T) {
	o := newOrigin(t, func() time.Time { return start })
	live := edge(start)
	for _, test := range []struct {
		segment string
		status  int
	}{
		{fmt.Sprint(live - 1), 200},
		{fmt.Sprint(live), 404}, // not recorded yet
		{fmt.Sprint(live - window - kept), 200},
		{fmt.Sprint(live - window - kept - 1), 404}, // gone
		{"0" + fmt.Sprint(live-1), 404},             // one address each
		{"+" + fmt.Sprint(live-1), 404},
		{"-1", 404}, {"", 404}, {"x", 404}, {"99999999999999999999", 404},
		{"..%2f..%2fetc%2fpasswd", 404},
	} {
		if w := get(t, o, "GET", "/tv/"+test.segment+".ts"); w.Code != test.status {
			t.Errorf("segment %q answers %d, want %d", test.segment, w.Code, test.status)
		}
	}
}

func TestAnswers(t *testing.T) {
	o := newOrigin(t, func() time.Time { return start })
	segment := fmt.Sprintf("/tv/%d.ts", edge(start)-1)
	for _, test := range []struct {
		method, path string
		status       int
		mediaType    string
		cache        string
	}{
		{"GET", "/tv/master.m3u8", 200, "application/vnd.apple.mpegurl", "no-cache"},
		{"GET", "/tv/live.m3u8", 200, "application/vnd.apple.mpegurl", "no-cache"},
		{"HEAD", "/tv/live.m3u8", 200, "application/vnd.apple.mpegurl", "no-cache"},
		{"GET", segment, 200, "video/mp2t", "public, max-age=60"},
		{"HEAD", segment, 200, "video/mp2t", "public, max-age=60"},
		{"HEAD", "/station.mp3", 200, "audio/mpeg", "no-store"},
		{"OPTIONS", segment, 204, "", ""},
		{"POST", "/tv/live.m3u8", 405, "text/plain; charset=utf-8", ""},
		{"GET", "/", 404, "text/plain; charset=utf-8", ""},
	} {
		w := get(t, o, test.method, test.path)
		got := []string{fmt.Sprint(w.Code), w.Header().Get("Content-Type"), w.Header().Get("Cache-Control"), w.Header().Get("Access-Control-Allow-Origin")}
		want := []string{fmt.Sprint(test.status), test.mediaType, test.cache, "*"}
		if test.method == "HEAD" && w.Body.Len() > 0 {
			t.Errorf("HEAD %s has a body", test.path)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.method, test.path, diff)
		}
	}
}

// TestMasterLeadsToMedia follows the address in the master playlist.
func TestMasterLeadsToMedia(t *testing.T) {
	o := newOrigin(t, func() time.Time { return start })
	lines := strings.Fields(get(t, o, "GET", MasterPath).Body.String())
	if w := get(t, o, "GET", "/tv/"+lines[len(lines)-1]); w.Code != 200 {
		t.Errorf("the variant %s answers %d", lines[len(lines)-1], w.Code)
	}
}

func TestRanges(t *testing.T) {
	o := newOrigin(t, func() time.Time { return start })
	r := httptest.NewRequest("GET", fmt.Sprintf("/tv/%d.ts", edge(start)-1), nil)
	r.Header.Set("Range", "bytes=0-187")
	w := httptest.NewRecorder()
	o.ServeHTTP(w, r)
	if w.Code != http.StatusPartialContent || w.Body.Len() != 188 || w.Body.Bytes()[0] != 0x47 {
		t.Errorf("the first packet: %d with %d bytes", w.Code, w.Body.Len())
	}
}

// TestStationKeepsTime listens for two loops: after the burst the sound comes
// as fast as it is played, in whole frames, each after the one before.
func TestStationKeepsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOrigin(t, time.Now)
		l := listen(t, o)
		first := len(l.heard())
		if want := int(burst/frameLength) * frameBytes; first != want {
			t.Errorf("the burst has %d bytes, want %d", first, want)
		}
		time.Sleep(24 * time.Second)
		synctest.Wait()
		if got, want := len(l.heard())-first, 24*8000; got != want {
			t.Errorf("24 s have %d bytes, want %d", got, want)
		}
		l.leave()
		if !bytes.Contains(bytes.Repeat(o.clip.frames, 4), l.heard()) {
			t.Error("the sound is not the clip's, repeated")
		}
	})
}

// TestStationSkipsAhead lets the clock jump by an hour, as when a machine wakes.
func TestStationSkipsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jump atomic.Int64
		o := newOrigin(t, func() time.Time { return time.Now().Add(time.Duration(jump.Load())) })
		l := listen(t, o)
		first := len(l.heard())
		jump.Store(int64(time.Hour))
		time.Sleep(beat)
		synctest.Wait()
		l.leave()
		if got := len(l.heard()) - first; got != first {
			t.Errorf("after an hour's jump came %d bytes, want a burst of %d", got, first)
		}
	})
}

// A listener is a player of the station.
type listener struct {
	*httptest.ResponseRecorder
	mu    sync.Mutex
	leave func() // returns when the station has let it go
}

// listen returns a listener that has heard the first burst.
func listen(t *testing.T, o *Origin) *listener {
	ctx, cancel := context.WithCancel(t.Context())
	l := &listener{ResponseRecorder: httptest.NewRecorder()}
	done := make(chan struct{})
	l.leave = func() { cancel(); <-done }
	go func() {
		defer close(done)
		o.ServeHTTP(l, httptest.NewRequestWithContext(ctx, "GET", StationPath, nil))
	}()
	synctest.Wait()
	return l
}

func (l *listener) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ResponseRecorder.Write(b)
}

func (l *listener) heard() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.Body.Bytes())
}

func TestStationHasRoomForSoMany(t *testing.T) {
	o := newOrigin(t, func() time.Time { return start })
	for range maxListeners {
		o.listeners <- struct{}{}
	}
	if w := get(t, o, "GET", StationPath); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("one listener too many gets %d", w.Code)
	}
	<-o.listeners
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	o.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", StationPath, nil))
	if w.Code != http.StatusOK || len(o.listeners) != maxListeners-1 {
		t.Errorf("a listener in the free place gets %d and leaves %d places taken", w.Code, len(o.listeners))
	}
}

// TestDatasetIsServed fetches every address that the dataset names.
func TestDatasetIsServed(t *testing.T) {
	o := newOrigin(t, func() time.Time { return start })
	d := Dataset("http://origin.example")
	for _, u := range []string{d.Streams[0].URL, d.Stations[0].URL, d.Stations[0].URLResolved} {
		path, ok := strings.CutPrefix(u, "http://origin.example")
		if w := get(t, o, "HEAD", path); !ok || w.Code != http.StatusOK {
			t.Errorf("%s answers %d", u, w.Code)
		}
	}
	if d.Streams[0].Channel != d.Channels[0].ID || d.Feeds[0].Channel != d.Channels[0].ID || d.Streams[0].Feed != d.Feeds[0].ID {
		t.Error("the stream, the feed and the channel do not join")
	}
}

func newOrigin(t *testing.T, now func() time.Time) *Origin {
	t.Helper()
	o, err := New(now)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func get(t *testing.T, o *Origin, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	o.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

// index tells which segment of the clip a body is. Only counters and
// timestamps change from loop to loop: a few bytes in each packet.
func index(segments [][]byte, body []byte) int {
	for i, s := range segments {
		differ := 0
		for at := range min(len(s), len(body)) {
			if s[at] != body[at] {
				differ++
			}
		}
		if len(s) == len(body) && differ < len(s)/20 {
			return i
		}
	}
	return -1
}

// parse reads a media playlist as RFC 8216 says.
func parse(t *testing.T, text string) (first int64, segments []listed) {
	t.Helper()
	next := listed{}
	for sc := bufio.NewScanner(strings.NewReader(text)); sc.Scan(); {
		tag, value, _ := strings.Cut(sc.Text(), ":")
		switch {
		case tag == "#EXT-X-MEDIA-SEQUENCE":
			first = number(t, value)
		case tag == "#EXT-X-PROGRAM-DATE-TIME":
			next.date = value
		case tag == "#EXTINF":
			next.length = value
		case !strings.HasPrefix(tag, "#"):
			next.uri = sc.Text()
			segments, next = append(segments, next), listed{}
		}
	}
	return first, segments
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

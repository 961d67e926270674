package upstream

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/shared/origin"
)

var (
	song    = strings.Repeat("\xff\xfb\x90\x00"+strings.Repeat("\x00", 413), 100)
	packets = strings.Repeat("G@\x00\x10"+strings.Repeat("\xff", 184), 200)
	film    = "FLV\x01\x05\x00\x00\x00\x09\x00\x00\x00\x00\x08\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\xaf\x00\x12\x10\x56\xe5\x00\x00\x00\x00\x12" + strings.Repeat("\x00", 900)
	mpd     = "<?xml version=\"1.0\"?>\n<!-- of the day -->\n<MPD type=\"dynamic\"></MPD>\n"
	page    = "<!DOCTYPE html><html><head><title>Log in</title></head><body><video src=\"/x.m3u8\"></video><mpd></mpd></body></html>"
)

var plain = media(1)

// A site is an origin that answers with a text at each path.
type site struct {
	*rig
	header http.Header // of all answers

	mu    sync.Mutex
	texts map[string]string // guarded by mu
	paths []string          // that were requested; guarded by mu
}

func newSite(t *testing.T, texts map[string]string, set ...func(*Options)) *site {
	t.Helper()
	s := &site{texts: map[string]string{}}
	maps.Copy(s.texts, texts)
	s.rig = newRig(t, func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		text, ok := s.texts[r.URL.Path]
		s.paths = append(s.paths, r.URL.Path)
		s.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		maps.Copy(w.Header(), s.header)
		io.WriteString(w, text)
	}, set...)
	return s
}

// set changes the text at a path.
func (s *site) set(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[path] = text
}

// taken returns the paths that were requested since it was called last.
func (s *site) taken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.paths = nil }()
	return strings.Join(s.paths, " ")
}

// find asks the cache for the playlist at a path, with an empty memory.
func (s *site) find(t *testing.T, path string) error {
	t.Helper()
	s.clock.advance(time.Minute)
	_, err := s.Get(t.Context(), s.to(path))
	return err
}

func (s *site) to(path string) Request { return Request{Stream: 7, Origin: s.URL + path} }

// TestRecognize has an origin for each thing that an address may send.
func TestRecognize(t *testing.T) {
	var inner atomic.Int64
	internal := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inner.Add(1) }))
	defer internal.Close()
	s := newSite(t, map[string]string{
		"/song": song, "/live.m3u8": plain, "/page": page, "/list": "[playlist]\nFile1=/song\n",
	})
	other := func(kind, entry string) *Other { return &Other{Kind: kind, Entry: entry} }
	for _, tc := range []struct {
		name, body string
		want       error // an *Other, or a fault; nil for a playlist
	}{
		{"a playlist", plain, nil},
		{"a playlist after a byte order mark and lines", "\ufeff\r\n\n" + plain, nil},
		{"MP3", song, other("audio", "")},
		{"MP3 from the middle of a frame", song[100:], other("audio", "")},
		{"MP3 with tags", "ID3\x04\x00\x00\x00\x00\x00\x0a" + strings.Repeat("t", 10) + song, other("audio", "")},
		{"a transport stream", packets, other("ts", "")},
		{"a transport stream from the middle of a packet", packets[77:], other("ts", "")},
		{"FLV", film, other("flv", "")},
		{"DASH", mpd, other("dash", "")},
		{"DASH with a byte order mark", "\ufeff" + mpd, other("dash", "")},
		{"PLS", "[playlist]\r\nNumberOfEntries=1\r\nFile1=/song\r\n", other("audio", s.URL+"/song")},
		{"PLS that leads to a playlist", "[playlist]\nFile1=live.m3u8\n", nil},
		{"M3U", "#EXTM3U\n#EXTINF:-1,Radio\n/song\n", other("audio", s.URL+"/song")},
		{"M3U without a header", "# of the station\n" + s.URL + "/song\n", other("audio", s.URL+"/song")},
		{"M3U that leads to a playlist", "#EXTM3U\n#EXTINF:0,TV\n/live.m3u8\n", nil},
		{"addresses alone", s.URL + "/song\n" + s.URL + "/other\n", other("audio", s.URL+"/song")},
		{"ASX", `<ASX version="3.0"><Entry><Ref href="/song"/></Entry></ASX>`, other("audio", s.URL+"/song")},
		{"a list whose first entry is gone", "[playlist]\nFile1=/gone\nFile2=/song\n", other("audio", s.URL+"/song")},
		{"a list that is cut within an address", "[playlist]\nFile1=/song\nFile2=" + strings.Repeat("/x", maxHead), other("audio", s.URL+"/song")},
		{"a list of what is gone", "[playlist]\nFile1=/gone\nFile2=/gone\nFile3=/song\n", origin.ErrOrigin},
		{"a list of an inner address", "[playlist]\nFile1=" + internal.URL + "\nFile2=http://169.254.169.254/\n", origin.ErrRefused},
		{"a list of other protocols", "[playlist]\nFile1=rtmp://tv.example.com/live\n", origin.ErrRefused},
		{"a list of pages", "[playlist]\nFile1=/page\n", playlist.ErrOrigin},
		{"a list of lists", "[playlist]\nFile1=/list\n", playlist.ErrOrigin},
		{"an empty list", "[playlist]\nNumberOfEntries=0\n", playlist.ErrOrigin},
		{"segments with durations and no other tag", "#EXTM3U\n#EXTINF:9.5,\nsong\n", nil},
		{"a page", page, playlist.ErrOrigin},
		{"a page that is long", page + strings.Repeat("<p>", 1<<20), playlist.ErrOrigin},
		{"JSON", `{"error":"gone"}`, playlist.ErrOrigin},
		{"a word", "offline", playlist.ErrOrigin},
		{"nothing", "", playlist.ErrOrigin},
		{"blank", strings.Repeat("\n", 3*maxHead), playlist.ErrOrigin},
		{"noise", strings.Repeat("\x00\x01\x93", 1<<20), playlist.ErrOrigin},
		{"a playlist with media behind it", plain + song, playlist.ErrOrigin},
		{"media with a playlist behind it", song[:417*20] + "\n" + plain, other("audio", "")},
		{"a page with packets behind it", page + "\x00" + packets, playlist.ErrOrigin},
		{"too many bytes of a playlist", plain + strings.Repeat("#\n", 1<<20), origin.ErrLimit},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s.set("/at", tc.body)
			checkFound(t, s.find(t, "/at"), tc.want)
		})
	}
	if n := inner.Load(); n != 0 {
		t.Errorf("%d requests reached the inner server", n)
	}
}

// checkFound compares an error with the *Other or the fault that it should be.
func checkFound(t *testing.T, err, want error) {
	t.Helper()
	other, found := errors.AsType[*Other](err)
	if wanted, ok := errors.AsType[*Other](want); ok {
		if diff := cmp.Diff(wanted, other); diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		return
	}
	if found || !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
}

// TestRecognizeLies has origins whose headers say something else than the body.
func TestRecognizeLies(t *testing.T) {
	for _, tc := range []struct {
		name, media, body string
		want              error
	}{
		{"a playlist said to be audio", "audio/mpeg", plain, nil},
		{"a page said to be a playlist", "application/vnd.apple.mpegurl", page, playlist.ErrOrigin},
		{"a page said to be audio", "audio/mpeg", page, playlist.ErrOrigin},
		{"audio said to be a playlist", "application/vnd.apple.mpegurl", song, &Other{Kind: "audio"}},
		{"noise said to be audio", "audio/mpeg", strings.Repeat("\x00\x01\x93", 9999), playlist.ErrOrigin},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSite(t, nil)
			s.header = http.Header{"Content-Type": {tc.media}, "Icy-Name": {"Radio"}}
			s.set("/at", tc.body)
			checkFound(t, s.find(t, "/at"), tc.want)
		})
	}
}

// TestRecognizeReads has endless origins, and counts what is taken of them: a few
// KiB, and then the connection is closed.
func TestRecognizeReads(t *testing.T) {
	for name, body := range map[string]string{"audio": song, "packets": packets, "noise": strings.Repeat("\x00\x01\x93", 9999), "page": page} {
		for _, packed := range []bool{false, true} {
			t.Run(fmt.Sprint(name, packed), func(t *testing.T) {
				closed := make(chan struct{})
				s := newSite(t, nil)
				s.serve(func(w http.ResponseWriter, r *http.Request) {
					out := io.Writer(w)
					defer close(closed)
					if packed {
						w.Header().Set("Content-Encoding", "gzip")
						z, err := gzip.NewWriterLevel(w, gzip.NoCompression)
						if err != nil {
							panic(err)
						}
						out = z
					}
					for r.Context().Err() == nil {
						if _, err := io.WriteString(out, body); err != nil {
							return
						}
					}
				})
				if err := s.find(t, "/at"); !errors.Is(err, playlist.ErrOrigin) {
					t.Errorf("%v", err)
				}
				<-closed // the origin has seen that nobody reads
			})
		}
	}
}

// TestRecognizeBomb sends a gzip body that unpacks to much more.
func TestRecognizeBomb(t *testing.T) {
	for name, body := range map[string]string{"zeros": strings.Repeat("\x00", 4<<20), "letters": strings.Repeat("x", 4<<20)} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := io.WriteString(z, body); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		s := newSite(t, map[string]string{"/at": b.String()})
		s.header = http.Header{"Content-Encoding": {"gzip"}}
		if err := s.find(t, "/at"); !errors.Is(err, playlist.ErrOrigin) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRecognizeSlow has an origin that sends a byte now and then. What came before
// the time is over decides, when it is enough.
func TestRecognizeSlow(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		want       error
	}{
		{"audio", song[:900], &Other{Kind: "audio"}},
		{"a page", page[:40], origin.ErrTimeout},
		{"a playlist", plain, origin.ErrTimeout},
		{"nothing", "", origin.ErrTimeout},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, nil, func(o *Options) { o.Timeout = 2 * time.Second }) // also a slow machine has read the first bytes by then
			s.serve(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, tc.body)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			})
			checkFound(t, s.find(t, "/at"), tc.want)
		})
	}
}

// TestRecognizeICY has an old radio server, which answers in a protocol of its own.
func TestRecognizeICY(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := conn.Read(make([]byte, 4096)); err == nil {
					_, _ = io.WriteString(conn, "ICY 200 OK\r\nicy-name:Radio\r\ncontent-type:audio/mpeg\r\n\r\n"+song) // fails when the hop has seen enough
				}
			}()
		}
	}()
	r := newRig(t, nil, func(o *Options) {
		o.Client = origin.New(origin.Options{Allow: []string{l.Addr().String()}, Shoutcast: true})
	})
	_, err = r.Get(t.Context(), Request{Stream: 7, Origin: "http://" + l.Addr().String() + "/live.m3u8"})
	checkFound(t, err, &Other{Kind: "audio"})
}

// TestListIsFollowedOnce checks that the playlist behind a list is asked for
// directly from the second request on, and the list again when that fails.
func TestListIsFollowedOnce(t *testing.T) {
	s := newSite(t, map[string]string{"/at": "[playlist]\nFile1=/one.m3u8\n", "/one.m3u8": plain, "/two.m3u8": plain})
	get := func(want string) {
		t.Helper()
		s.clock.advance(5 * time.Second)
		if _, err := s.Get(t.Context(), s.to("/at")); err != nil {
			t.Error(err)
		}
		if got := s.taken(); got != want {
			t.Errorf("asked for %s, want %s", got, want)
		}
	}
	get("/at /one.m3u8")
	get("/one.m3u8")
	s.set("/at", "[playlist]\nFile1=/two.m3u8\n")
	s.set("/one.m3u8", page)
	get("/one.m3u8 /at /two.m3u8")
	get("/two.m3u8")
}

// TestFoundIsRemembered checks that an address that is not a playlist is not asked
// again at once, and is recognized when it becomes one.
func TestFoundIsRemembered(t *testing.T) {
	s := newSite(t, map[string]string{"/at": song})
	for range 5 {
		_, err := s.Get(t.Context(), s.to("/at"))
		checkFound(t, err, &Other{Kind: "audio"})
		s.clock.advance(time.Second)
	}
	if got := s.taken(); got != "/at" {
		t.Errorf("asked for %s", got)
	}
	s.set("/at", plain)
	s.clock.advance(foundTime)
	if _, err := s.Get(t.Context(), s.to("/at")); err != nil {
		t.Errorf("repaired: %v", err)
	}
}

// TestListsGiveTheirPlacesBack follows lists that are so large that they need a
// place, to playlists that need one too.
func TestListsGiveTheirPlacesBack(t *testing.T) {
	long := strings.Repeat("# of the day\n", smallBody/8)
	s := newSite(t, map[string]string{
		"/list": "#EXTM3U\n" + long + "/large\n", "/large": media(1) + long,
		"/nested": "#EXTM3U\n" + long + "/list\n",
	})
	for range 2 * bodyPlaces.Stream {
		if err := s.find(t, "/list"); err != nil {
			t.Fatal(err)
		}
		checkFound(t, s.find(t, "/nested"), errNested)
	}
	if taken, waiting := s.bodies.Size(); taken+waiting > 0 {
		t.Errorf("%d places are taken, and %d fetches wait", taken, waiting)
	}
}

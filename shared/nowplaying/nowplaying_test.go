package nowplaying

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"miramundo.dev/shared/origin"
)

func TestTitleOf(t *testing.T) {
	for block, want := range map[string]string{
		"StreamTitle='Artist - Song';StreamUrl='https://x.example';": "Artist - Song",
		"StreamTitle='Guns N' Roses - Don't Cry';\x00\x00":           "Guns N' Roses - Don't Cry",
		"StreamTitle='No end'":                                       "No end",
		"StreamTitle='No quotation mark":                             "No quotation mark",
		"StreamUrl='x';StreamTitle='Second';":                        "Second",
		"StreamTitle='Caf\xe9 Tacvba';":                              "Café Tacvba",
		"StreamTitle='Café – Ação';":                                 "Café – Ação",
		"StreamTitle='A &amp; B \t\n  C';":                           "A & B C",
		"StreamTitle='&lt;script&gt;';":                              "<script>",
		"StreamTitle='a\u202eb\x07c';":                               "abc",
		"StreamTitle=' - ';":                                         "",
		"StreamTitle='';":                                            "",
		"StreamTitle=x;":                                             "",
		"":                                                           "",
	} {
		if got := titleOf([]byte(block)); got != want {
			t.Errorf("titleOf(%q) = %q, want %q", block, got, want)
		}
	}
	if got := titleOf([]byte(titleField + strings.Repeat("é", 300) + "';")); utf8.RuneCountInString(got) != maxTitle+1 {
		t.Errorf("a long title has %d characters", utf8.RuneCountInString(got))
	}
}

func FuzzTitleOf(f *testing.F) {
	f.Add([]byte("StreamTitle='Artist - Song';StreamUrl='';"))
	f.Add([]byte("StreamTitle='\xff\xfe';"))
	f.Add([]byte("StreamTitle='&#0;&#x202e;&#55296;';"))
	f.Fuzz(func(t *testing.T, block []byte) {
		got := titleOf(block)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxTitle+1 || strings.ContainsAny(got, "\x00\n\r\t") || got != strings.TrimSpace(got) {
			t.Errorf("titleOf(%q) = %q", block, got)
		}
	})
}

// station is a radio server on loopback.
type station struct {
	header string // icy-metaint; empty for none
	body   []byte
	asked  atomic.Int64
	hold   chan struct{} // closed when it may answer; nil to answer at once
	last   sync.Map      // headers of the last request
}

func (s *station) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	s.last.Store("icy", r.Header.Get("Icy-Metadata"))
	if s.hold != nil {
		<-s.hold
	}
	if s.header != "" {
		w.Header().Set("icy-metaint", s.header)
	}
	_, _ = w.Write(s.body) // a reader that has enough ends the connection
}

func body(n int, title string) []byte {
	meta := titleField + title + "';"
	units := (len(meta) + 15) / 16
	return append(append(append(make([]byte, n), byte(units)), meta...), make([]byte, units*16-len(meta)+200_000)...)
}

// open returns a reader that may read a station on loopback, its clock and the address.
func open(t *testing.T, s *station) (*Reader, *atomic.Int64, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // ends with the test
	t.Cleanup(func() { server.Close() })
	var clock atomic.Int64
	clock.Store(1_800_000_000)
	host := l.Addr().String()
	client := origin.New(origin.Options{Allow: []string{host}, MaxInFlight: MaxInFlight, Shoutcast: true})
	return New(client, func() time.Time { return time.Unix(clock.Load(), 0) }), &clock, "http://" + host + "/live"
}

func TestRead(t *testing.T) {
	for name, test := range map[string]struct {
		header string
		body   []byte
		want   string
	}{
		"a title":             {"8192", body(8192, "Artist - Song"), "Artist - Song"},
		"spaces in a header":  {" 16 ", body(16, "One"), "One"},
		"no metadata":         {"", body(8192, "Artist - Song"), ""},
		"no number":           {"many", body(8192, "x"), ""},
		"a negative number":   {"-1", body(1, "x"), ""},
		"too far apart":       {"70000", body(70000, "x"), ""},
		"an empty block":      {"16", make([]byte, 5000), ""},
		"an end before it":    {"8192", make([]byte, 100), ""},
		"an end in the block": {"4", []byte("abcd\xffStreamTitle='x"), ""},
	} {
		s := &station{header: test.header, body: test.body}
		r, _, address := open(t, s)
		got := r.Read(t.Context(), "rb.1", address)
		if got.Title != test.want || got.At.Unix() != 1_800_000_000 {
			t.Errorf("%s: %+v, want %q", name, got, test.want)
		}
		if icy, _ := s.last.Load("icy"); icy != "1" {
			t.Errorf("%s: the request has Icy-MetaData: %v", name, icy)
		}
	}
}

// TestReadSeldom checks that however many ask, a station is read once in 15 seconds, and
// once in a minute after it told nothing.
func TestReadSeldom(t *testing.T) {
	for name, test := range map[string]struct {
		title       string
		soon, later int64 // seconds after which it is not, and is read again
	}{"a title": {"Song", 14, 15}, "nothing": {"", 59, 60}} {
		s := &station{header: "16", body: body(16, test.title), hold: make(chan struct{})}
		r, clock, address := open(t, s)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if got := r.Read(t.Context(), "rb.1", address); got.Title != test.title {
					t.Errorf("%s: %+v", name, got)
				}
			})
		}
		close(s.hold)
		all.Wait()
		ask := func(want int64) {
			t.Helper()
			r.Read(t.Context(), "rb.1", address)
			if got := s.asked.Load(); got != want {
				t.Errorf("%s: the station was asked %d times, want %d", name, got, want)
			}
		}
		clock.Add(test.soon)
		ask(1)
		clock.Add(test.later - test.soon)
		ask(2)
	}
}

// TestReadGuarded checks that a private address is not asked, that a caller who leaves
// does not wait, and that a nil reader answers.
func TestReadGuarded(t *testing.T) {
	s := &station{header: "16", body: body(16, "Song"), hold: make(chan struct{})}
	r, _, address := open(t, s)
	r.client = origin.New(origin.Options{})
	if got := r.Read(t.Context(), "rb.1", address); got.Title != "" || s.asked.Load() != 0 {
		t.Errorf("a private address: %+v after %d requests", got, s.asked.Load())
	}
	r, _, address = open(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := r.Read(ctx, "rb.1", address); got.Title != "" {
		t.Errorf("one who left got %+v", got)
	}
	close(s.hold)
	if got := r.Read(t.Context(), "rb.1", address); got.Title != "Song" {
		t.Errorf("who asks after one who left got %+v", got)
	}
	var none *Reader
	if got := none.Read(t.Context(), "rb.1", address); got.Title != "" {
		t.Errorf("a nil reader: %+v", got)
	}
}

// TestBounded checks that a reader forgets stations, those first whose time is over.
func TestBounded(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	r := New(nil, func() time.Time { return now })
	r.remember("old", "x")
	now = now.Add(fresh)
	for i := range 2 * most {
		r.remember(fmt.Sprint(i), "x")
	}
	if _, ok := r.known["old"]; ok || len(r.known) > most {
		t.Errorf("%d stations are remembered, the oldest among them: %v", len(r.known), ok)
	}
}

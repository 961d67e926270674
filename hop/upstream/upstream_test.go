package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/hop/ticket"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/origin"
)

const hop = "https://hop.example"

// media returns a live playlist whose first segment has a number.
func media(first int) string {
	return fmt.Sprintf("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:%d\n#EXTINF:6,\n%d.ts\n", first, first)
}

const master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2\nhigh.m3u8\n"

// A clock is set by the test.
type clock struct{ nano atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(0, c.nano.Load()).UTC() }
func (c *clock) advance(d time.Duration) { c.nano.Add(int64(d)) }

// A rig is a cache before an origin on loopback.
type rig struct {
	*Cache
	*httptest.Server
	clock   *clock
	signer  *ticket.Signer
	asked   atomic.Int64 // requests that reached the origin
	handler atomic.Pointer[http.HandlerFunc]
	at      string // host:port of the origin
}

func newRig(t testing.TB, serve http.HandlerFunc, set ...func(*Options)) *rig {
	t.Helper()
	r := &rig{clock: &clock{}}
	r.clock.nano.Store(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC).UnixNano())
	r.handler.Store(&serve)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.asked.Add(1)
		(*r.handler.Load())(w, req)
	}))
	t.Cleanup(r.Close)
	r.at = r.Listener.Addr().String()
	r.signer = ticket.New(keyringtest.Ring("a key of at least thirty-two characters"), r.clock.now)
	o := Options{
		Client: origin.New(origin.Options{Allow: []string{r.at}}),
		Signer: r.signer, HopURL: hop, Now: r.clock.now,
	}
	for _, s := range set {
		s(&o)
	}
	r.Cache = New(o)
	return r
}

// serve changes what the origin answers.
func (r *rig) serve(h http.HandlerFunc) { r.handler.Store(&h) }

// respond returns a handler that answers with a text.
func respond(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
}

// respondStatus returns a handler that answers with a status.
func respondStatus(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// gated returns a handler that waits for the test before it answers, and the
// function that lets one request through.
func gated(t testing.TB, h http.HandlerFunc) (serve http.HandlerFunc, entered <-chan struct{}, release func()) {
	in, gate := make(chan struct{}, 1000), make(chan struct{})
	closed := t.Context().Done()
	serve = func(w http.ResponseWriter, r *http.Request) {
		in <- struct{}{}
		select {
		case <-gate:
		case <-closed:
		case <-r.Context().Done():
			return
		}
		h(w, r)
	}
	return serve, in, func() { gate <- struct{}{} }
}

func (r *rig) request() Request { return Request{Stream: 7, Origin: r.URL + "/live/index.m3u8"} }

func (r *rig) must(t testing.TB, req Request) *Copy {
	t.Helper()
	cp, err := r.Get(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return cp
}

// wantRequests checks how many requests have reached the origin.
func (r *rig) wantRequests(t testing.TB, want int64, when string) {
	t.Helper()
	if got := r.asked.Load(); got != want {
		t.Errorf("%s: %d requests at the origin, want %d", when, got, want)
	}
}

// waitIdle waits until no refresh for a request is under way, of which there is an
// outcome already.
func (r *rig) waitIdle(req Request) {
	v := r.rendering(&req, req.Directives, r.clock.now())
	<-v.Next(nil, r.clock.now(), nil).Done // starts nothing: to a caller without an outcome the last one is new
}

// TestBodiesStayApart checks that what an address answered stays as it was while other bodies,
// of all sizes, are read: a second stream of the address is made from the same answer.
func TestBodiesStayApart(t *testing.T) {
	list := func(prefix string, lines int) string {
		var b strings.Builder
		b.WriteString("#EXTM3U\n#EXT-X-TARGETDURATION:6\n")
		for n := range lines {
			fmt.Fprintf(&b, "#EXTINF:6,\n%s%d.ts\n", prefix, n)
		}
		return b.String()
	}
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		var address, lines int
		if _, err := fmt.Sscanf(req.URL.Path, "/%d/%d/", &address, &lines); err != nil {
			t.Error(err)
		}
		io.WriteString(w, list(fmt.Sprintf("%d-", address), lines))
	})
	var all sync.WaitGroup
	for address := range 40 {
		all.Go(func() {
			for _, lines := range []int{1, 100, 20_000} {
				folder := fmt.Sprintf("%s/%d/%d/", r.URL, address, lines)
				want := list(fmt.Sprintf("%s%d-", folder, address), lines)
				for stream := range 3 {
					cp := r.must(t, Request{Stream: catalog.StreamID(1000*stream + address), Origin: folder})
					if string(cp.Body) != want {
						t.Errorf("stream %d of %s shows %.200s", stream, folder, cp.Body)
					}
				}
			}
		})
	}
	all.Wait()
	r.wantRequests(t, 40*3, "each address is asked once")
}

func TestCopy(t *testing.T) {
	r := newRig(t, respond(media(1)))
	cp := r.must(t, r.request())
	want := strings.Replace(media(1), "1.ts", r.URL+"/live/1.ts", 1)
	if string(cp.Body) != want {
		t.Errorf("body %q, want %q", cp.Body, want)
	}
	if cp.Status != 200 || cp.URL != r.URL+"/live/index.m3u8" || !cp.At.Equal(r.clock.now()) || !cp.Info.Media || !cp.Info.MediaHTTP {
		t.Errorf("copy %+v", cp)
	}
}

// TestFreshness checks from when on an origin is asked again.
func TestFreshness(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		fresh      time.Duration
	}{
		{"live", media(1), time.Second},
		{"ended", media(1) + "#EXT-X-ENDLIST\n", 10 * time.Second},
		{"on demand", strings.Replace(media(1), "#EXTINF", "#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF", 1), 10 * time.Second},
		{"multivariant", master, time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, respond(tc.text))
			first := r.must(t, r.request())
			r.clock.advance(tc.fresh - time.Nanosecond)
			if again := r.must(t, r.request()); again != first {
				t.Error("another copy while the first is fresh")
			}
			r.wantRequests(t, 1, "while fresh")
			r.clock.advance(time.Nanosecond)
			r.must(t, r.request())
			r.waitIdle(r.request())
			r.wantRequests(t, 2, "afterwards")
		})
	}
}

// TestOneFetchForManyPlayers has a thousand players ask for one playlist at
// once.
func TestOneFetchForManyPlayers(t *testing.T) {
	serve, entered, release := gated(t, respond(media(1)))
	r := newRig(t, serve)
	var all sync.WaitGroup
	copies := make(chan *Copy, 1000)
	for range 1000 {
		all.Go(func() { copies <- r.must(t, r.request()) })
	}
	<-entered
	release()
	all.Wait()
	close(copies)
	first := <-copies
	for cp := range copies {
		if cp != first {
			t.Fatal("players were shown different copies")
		}
	}
	r.wantRequests(t, 1, "the herd")
}

// TestStreamsShareAnAddress has two streams with one address, and the same
// address with another user agent.
func TestStreamsShareAnAddress(t *testing.T) {
	r := newRig(t, respond(master))
	req := r.request()
	one := r.must(t, req)
	req.Stream = 8
	two := r.must(t, req)
	r.wantRequests(t, 1, "two streams")
	if string(one.Body) == string(two.Body) || !strings.Contains(string(two.Body), catalogID(8)) {
		t.Errorf("the second stream got %q", two.Body)
	}
	req.Referrer = "https://site.example/"
	r.must(t, req)
	r.wantRequests(t, 2, "with a referrer")
}

func TestHeaders(t *testing.T) {
	seen := make(chan http.Header, 1)
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		seen <- q.Header
		io.WriteString(w, media(1))
	})
	req := r.request()
	req.Referrer, req.UserAgent = "https://site.example/", "Player/1"
	r.must(t, req)
	h := <-seen
	if h.Get("Referer") != req.Referrer || h.Get("User-Agent") != req.UserAgent {
		t.Errorf("the origin got the headers %v", h)
	}
	if !Looped(h) {
		t.Error("the request does not tell that it comes from a hop")
	}
	if Looped(http.Header{"Via": {"1.1 cache.example", "2 edge"}}) || Looped(http.Header{}) {
		t.Error("another request counts as one of a hop")
	}
}

// TestFailures checks for how long failures of an origin are remembered.
func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		name  string
		serve http.HandlerFunc
		want  error
	}{
		{"forbidden", respondStatus(403), origin.ErrAccess},
		{"not found", respondStatus(404), origin.ErrOrigin},
		{"broken", respondStatus(500), origin.ErrOrigin},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, tc.serve)
			for i, pause := range []time.Duration{1, 2, 2, 2, 2, 2} {
				check := func() {
					t.Helper()
					if cp, err := r.Get(t.Context(), r.request()); !errors.Is(err, tc.want) || cp != nil {
						t.Fatalf("%v, %v; want %v", cp, err, tc.want)
					}
				}
				check()
				r.clock.advance(pause*time.Second - 1)
				check()
				r.wantRequests(t, int64(i+1), fmt.Sprintf("failure %d", i+1))
				r.clock.advance(1)
			}
			r.serve(respond(media(1)))
			r.must(t, r.request())
			r.serve(tc.serve)
			r.clock.advance(time.Minute)
			r.Get(t.Context(), r.request())
			asked := r.asked.Load()
			r.clock.advance(time.Second)
			r.Get(t.Context(), r.request())
			r.wantRequests(t, asked+1, "a failure after a success")
		})
	}
}

// TestNotAPlaylist has an origin answer 200 with something that is not a
// playlist: it is asked once a second.
func TestNotAPlaylist(t *testing.T) {
	r := newRig(t, respond("<html>busy</html>"))
	for range 5 {
		if _, err := r.Get(t.Context(), r.request()); !errors.Is(err, playlist.ErrOrigin) {
			t.Fatalf("%v, want playlist.ErrOrigin", err)
		}
	}
	r.wantRequests(t, 1, "within a second")
}

// TestStaleCopyDuringFailure checks that the last good copy is served for a
// while after the origin fails.
func TestStaleCopyDuringFailure(t *testing.T) {
	r := newRig(t, respond(media(1)))
	good := r.must(t, r.request())
	r.serve(respondStatus(500))
	for range 6 {
		r.clock.advance(time.Second)
		if cp, err := r.Get(t.Context(), r.request()); err != nil || cp != good {
			t.Fatalf("%v after: %v, %v; want the last good copy", r.clock.now().Sub(good.At), cp, err)
		}
		r.waitIdle(r.request())
	}
	r.clock.advance(time.Second)
	if _, err := r.Get(t.Context(), r.request()); !errors.Is(err, origin.ErrOrigin) {
		t.Errorf("seven seconds after: %v, want the failure", err)
	}
	r.wantRequests(t, 5, "backing off") // at 0, 1, 2, 4 and 6 s
}

// TestStaleCopyWhileOriginIsSlow has a busy channel with a slow origin: no
// player waits, and one request is under way at a time.
func TestStaleCopyWhileOriginIsSlow(t *testing.T) {
	r := newRig(t, respond(media(1)))
	good := r.must(t, r.request())
	serve, entered, release := gated(t, respond(media(2)))
	r.serve(serve)
	r.clock.advance(1500 * time.Millisecond)
	for range 50 {
		if cp := r.must(t, r.request()); cp != good {
			t.Fatal("not the copy that stands in")
		}
		r.clock.advance(100 * time.Millisecond)
	}
	<-entered
	r.wantRequests(t, 2, "while the origin takes its time")
	release()
	r.waitIdle(r.request())
	if cp := r.must(t, r.request()); cp.Info.NextMSN != 3 {
		t.Errorf("afterwards %q", cp.Body)
	}
}

// TestNoCopyBeyondStale has a lone player: it waits for a new copy instead of
// getting the one of its previous request.
func TestNoCopyBeyondStale(t *testing.T) {
	r := newRig(t, respond(media(1)))
	r.must(t, r.request())
	r.serve(respond(media(2)))
	r.clock.advance(6 * time.Second)
	if cp := r.must(t, r.request()); cp.Info.NextMSN != 3 {
		t.Errorf("got the copy %q", cp.Body)
	}
}

// TestTargetBounds checks that a copy is served stale for no longer than a
// target duration.
func TestTargetBounds(t *testing.T) {
	for _, tc := range []struct {
		target string
		wait   time.Duration
	}{{"0", time.Second}, {"3", 3 * time.Second}, {"6", 6 * time.Second}, {"60", 6 * time.Second}} {
		r := newRig(t, respond(strings.Replace(media(1), "DURATION:6", "DURATION:"+tc.target, 1)))
		cp := r.must(t, r.request())
		if got := cp.stale.Sub(cp.fresh); got != tc.wait {
			t.Errorf("target of %s s: served stale for %v, want %v", tc.target, got, tc.wait)
		}
	}
}

// TestCanceledCallers has the first caller, and then all others, stop
// waiting.
func TestCanceledCallers(t *testing.T) {
	serve, entered, release := gated(t, respond(media(1)))
	r := newRig(t, serve)
	ctx, leave := context.WithCancel(t.Context())
	gone, stays := make(chan error), make(chan error)
	go func() {
		_, err := r.Get(ctx, r.request())
		gone <- err
	}()
	<-entered
	go func() {
		_, err := r.Get(t.Context(), r.request())
		stays <- err
	}()
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the canceled caller got %v", err)
	}
	release()
	if err := <-stays; err != nil {
		t.Errorf("the waiting caller got %v", err)
	}
	r.wantRequests(t, 1, "both")
}

// TestPanic checks that a panic while rewriting ends neither the process nor
// the wait of its callers.
func TestPanic(t *testing.T) {
	r := newRig(t, respond(master), func(o *Options) { o.Signer = nil })
	for range 2 {
		_, err := r.Get(t.Context(), r.request())
		if fault.From(err).Code != fault.ErrInternal.Code {
			t.Errorf("%v, want an internal failure", err)
		}
	}
	r.wantRequests(t, 1, "twice")
}

// TestPanicOfFetch has the fetch itself panic.
func TestPanicOfFetch(t *testing.T) {
	r := newRig(t, respond(master), func(o *Options) { o.Client = nil })
	if _, err := r.Get(t.Context(), r.request()); fault.From(err).Code != fault.ErrInternal.Code {
		t.Errorf("%v, want an internal failure", err)
	}
}

func TestNoKey(t *testing.T) {
	r := newRig(t, respond(master), func(o *Options) { o.Signer = ticket.New(nil, o.Now) })
	if _, err := r.Get(t.Context(), r.request()); !errors.Is(err, ticket.ErrKey) {
		t.Errorf("%v, want ticket.ErrKey", err)
	}
	r.serve(respond(media(1)))
	r.clock.advance(time.Second)
	r.must(t, r.request()) // has nothing to sign
}

// TestUnchanged checks that an unchanged playlist is not rewritten while its
// tickets are valid.
func TestUnchanged(t *testing.T) {
	r := newRig(t, respond(master+strings.Repeat("# a comment\n", 100)))
	first := r.must(t, r.request())
	r.clock.advance(8 * time.Second)
	again := r.must(t, r.request())
	if again == first || !again.At.After(first.At) || &again.Body[0] != &first.Body[0] || &gzipped(again)[0] != &gzipped(first)[0] {
		t.Error("the same playlist was rewritten or packed again")
	}
	r.clock.advance(6 * time.Hour)
	if later := r.must(t, r.request()); string(later.Body) == string(first.Body) {
		t.Error("the tickets are those of hours ago")
	}
}

// TestFreshAllocatesNothing checks requests for fresh copies, of the stream's
// own playlist and of one below it.
func TestFreshAllocatesNothing(t *testing.T) {
	r := newRig(t, respond(media(1)))
	own, below := r.request(), r.request()
	below.Ticket = &ticket.Ticket{URL: r.URL + "/live/low.m3u8", Depth: 1}
	for name, req := range map[string]Request{"own": own, "below": below} {
		r.must(t, req)
		ctx := t.Context()
		if n := testing.AllocsPerRun(100, func() { r.Get(ctx, req) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// gzipped returns the compressed body of a copy.
func gzipped(c *Copy) []byte {
	body, _ := c.Gzip()
	return body
}

func TestGzip(t *testing.T) {
	long := newRig(t, respond(media(1)+strings.Repeat("#EXTINF:6,\nsegment.ts\n", 500)))
	cp := long.must(t, long.request())
	if got := unpack(t, gzipped(cp)); got != string(cp.Body) {
		t.Error("unpacked, the body is another")
	}
	if _, length := cp.Gzip(); length[0] != strconv.Itoa(len(gzipped(cp))) || cp.Length()[0] != strconv.Itoa(len(cp.Body)) {
		t.Errorf("the lengths are %s, and compressed %s", cp.Length(), length)
	}
	short := newRig(t, respond(media(1)))
	if got := gzipped(short.must(t, short.request())); got != nil {
		t.Errorf("a short body was compressed to %d bytes", len(got))
	}
}

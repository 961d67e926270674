package upstream

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/origin"
)

func TestParseDirectives(t *testing.T) {
	for query, want := range map[string]Directives{
		"":                                     {},
		"p=abc&x=_HLS_msn":                     {},
		"_HLS_msn=0":                           {Block: true},
		"_HLS_msn=12&p=abc":                    {Block: true, MSN: 12},
		"_HLS_part=3&_HLS_msn=12":              {Block: true, MSN: 12, Part: 4},
		"_HLS_msn=012&_HLS_part=0003":          {Block: true, MSN: 12, Part: 4},
		"_HLS_msn=9223372036854775807":         {Block: true, MSN: 1<<63 - 1},
		"_HLS_skip=YES":                        {Skip: "YES"},
		"_HLS_skip=v2&_HLS_msn=1":              {Block: true, MSN: 1, Skip: "v2"},
		"_HLS_skip=x":                          {},
		"_HLS_skip=yes&_HLS_skip=":             {},
		"_HLS_other=1&_HLS_pushed=1&_HLS_msnx": {},
	} {
		got, err := ParseDirectives(query)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, (-want +got)\n%s", query, err, diff)
		}
	}
	for query, param := range map[string]string{
		"_HLS_part=1":                           partParam,
		"_HLS_part=0&_HLS_skip=YES":             partParam,
		"_HLS_msn=99999999999999999999":         msnParam,
		"_HLS_msn=9999999999999999999":          msnParam,
		"_HLS_msn=":                             msnParam,
		"_HLS_msn":                              msnParam,
		"_HLS_msn=-1":                           msnParam,
		"_HLS_msn=+1":                           msnParam,
		"_HLS_msn=1%0d%0a":                      msnParam,
		"_HLS_msn=0x1":                          msnParam,
		"_HLS_msn=1&_HLS_part=10000":            partParam,
		"_HLS_msn=1&_HLS_part=":                 partParam,
		"_HLS_msn=1&_HLS_part=a":                partParam,
		"_HLS_msn=1&_HLS_msn=x":                 msnParam,
		"_HLS_msn=" + strings.Repeat("1", 9999): msnParam,
	} {
		got, err := ParseDirectives(query)
		if !errors.Is(err, fault.ErrInvalid) || fault.From(err).Fields["param"] != param || got != (Directives{}) {
			t.Errorf("%.40s: %+v, %v; want %s refused", query, got, err, param)
		}
	}
}

func FuzzParseDirectives(f *testing.F) {
	for _, seed := range []string{"_HLS_msn=1&_HLS_part=2&_HLS_skip=YES", "_HLS_part=1", "&&_HLS_msn=", "p=a&_HLS_msn=99999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		d, err := ParseDirectives(query)
		if err != nil {
			if !errors.Is(err, fault.ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		again, err := ParseDirectives(strings.TrimPrefix(d.query("http://x/"), "?"))
		if err != nil || again != d {
			t.Fatalf("%q parses as %+v, whose query parses as %+v, %v", query, d, again, err)
		}
	})
}

func TestQuery(t *testing.T) {
	for _, tc := range []struct {
		address string
		d       Directives
		want    string
	}{
		{"http://x/a", Directives{}, ""},
		{"http://x/a", Directives{Block: true, MSN: 5}, "?_HLS_msn=5"},
		{"http://x/a?b=~/%2F", Directives{Block: true, MSN: 5, Part: 1, Skip: "v2"}, "&_HLS_msn=5&_HLS_part=0&_HLS_skip=v2"},
		{"http://x/a?", Directives{Skip: "YES"}, "&_HLS_skip=YES"},
	} {
		if got := tc.d.query(tc.address); got != tc.want {
			t.Errorf("%s %+v: %q, want %q", tc.address, tc.d, got, tc.want)
		}
	}
}

func TestJudge(t *testing.T) {
	live := playlist.Info{Media: true, CanBlock: true, NextMSN: 100, NextPart: 2, PartTarget: 500 * time.Millisecond}
	coarse, ended, polled := live, live, live
	coarse.PartTarget = 0
	ended.End = true
	polled.CanBlock = false
	at := func(msn int64, part int32) Directives { return Directives{Block: true, MSN: msn, Part: part + 1} }
	whole := func(msn int64) Directives { return Directives{Block: true, MSN: msn} }
	for _, tc := range []struct {
		info playlist.Info
		d    Directives
		want verdict
	}{
		{live, whole(0), available},
		{live, whole(99), available},
		{live, at(99, 500), available},
		{live, whole(100), upcoming},
		{live, at(100, 0), available},
		{live, at(100, 1), available},
		{live, at(100, 2), upcoming},
		{live, at(100, 8), upcoming},
		{live, at(100, 9), tooFar},
		{coarse, at(100, 4), upcoming},
		{coarse, at(100, 5), tooFar},
		{live, whole(101), upcoming},
		{live, at(101, 0), upcoming},
		{live, at(101, 9999), tooFar},
		{live, whole(102), tooFar},
		{live, whole(1<<63 - 1), tooFar},
		{live, Directives{Skip: "YES"}, upcoming},
		{ended, whole(1 << 60), ignored},
		{polled, whole(1 << 60), ignored},
		{polled, Directives{Skip: "YES"}, ignored},
		{playlist.Info{Multivariant: true}, whole(5), ignored},
		{live, Directives{}, ignored},
	} {
		if got := tc.d.judge(tc.info); got != tc.want {
			t.Errorf("%+v: %d, want %d", tc.d, got, tc.want)
		}
	}
}

// A packager is an origin of a low-latency playlist of segments with two
// parts each. It holds requests for parts that are not published yet.
type packager struct {
	*rig
	holds   chan struct{} // receives a signal for each request that is held
	queries chan string

	mu    sync.Mutex
	cond  *sync.Cond
	parts int // that are there; guarded by mu
	down  bool
}

func newPackager(t *testing.T) *packager {
	p := &packager{parts: 20, queries: make(chan string, 1000), holds: make(chan struct{}, 1000)}
	p.cond = sync.NewCond(&p.mu)
	p.rig = newRig(t, p.answer)
	t.Cleanup(func() { p.publish(1000) })
	return p
}

// publish publishes more parts.
func (p *packager) publish(parts int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parts += parts
	p.cond.Broadcast()
}

func (p *packager) answer(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p.queries <- r.URL.RawQuery
	p.mu.Lock()
	defer p.mu.Unlock()
	if msn := q.Get(msnParam); msn != "" {
		n, _ := strconv.Atoi(msn)
		need := 2*n + 2
		if part, err := strconv.Atoi(q.Get(partParam)); err == nil {
			need = 2*n + part + 1
		}
		p.holds <- struct{}{}
		for p.parts < need && !p.down {
			p.cond.Wait()
		}
	}
	if p.down {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	io.WriteString(w, p.text(q.Get(skipParam) != ""))
}

// text returns the playlist of the last five segments, or its delta.
func (p *packager) text(changes bool) string {
	var b strings.Builder
	whole := p.parts / 2
	first := whole - 5
	fmt.Fprintf(&b, "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-PART-INF:PART-TARGET=0.5\n")
	fmt.Fprintf(&b, "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.5,CAN-SKIP-UNTIL=6\n#EXT-X-MEDIA-SEQUENCE:%d\n", first)
	if changes {
		fmt.Fprintf(&b, "#EXT-X-SKIP:SKIPPED-SEGMENTS=4\n")
		first += 4
	}
	for n := first; n < whole; n++ {
		fmt.Fprintf(&b, "#EXTINF:1,\n%d.mp4\n", n)
	}
	for n := range p.parts % 2 {
		fmt.Fprintf(&b, "#EXT-X-PART:DURATION=0.5,URI=\"%d.%d.mp4\"\n", whole, n)
	}
	return b.String()
}

func (p *packager) asking(msn int64, part int32, skip string) Request {
	r := p.request()
	r.Directives = Directives{Block: true, MSN: msn, Part: part + 1, Skip: skip}
	return r
}

// held waits until the origin holds n more requests.
func (p *packager) held(t *testing.T, n int) {
	t.Helper()
	for range n {
		select {
		case <-p.holds:
		case <-time.After(p.opts.Timeout):
			t.Fatal("nothing more reaches the origin")
		}
	}
}

// TestBlocking has a hundred players wait for the next part: the origin gets
// one request.
func TestBlocking(t *testing.T) {
	p := newPackager(t)
	p.must(t, p.request())
	if got := <-p.queries; got != "" {
		t.Fatalf("first asked with %q", got)
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			cp := p.must(t, p.asking(10, 0, ""))
			if cp.Info.NextMSN != 10 || cp.Info.NextPart != 1 || cp.URL != p.request().Origin {
				t.Errorf("from %s: %q", cp.URL, cp.Body)
			}
		})
	}
	if got := <-p.queries; got != "_HLS_msn=10&_HLS_part=0" {
		t.Errorf("asked with %q", got)
	}
	p.publish(1)
	all.Wait()
	p.wantRequests(t, 2, "a hundred players")
	if cp := p.must(t, p.request()); cp.Info.NextPart != 1 {
		t.Errorf("a player that polls got %q", cp.Body)
	}
	for _, d := range []Request{p.asking(10, 0, ""), p.asking(9, 1, ""), p.asking(3, -1, ""), p.asking(0, -1, "YES")} {
		p.must(t, d)
	}
	p.wantRequests(t, 2, "asking for what is there")
}

// TestTooFarAhead has players ask for segments that no player may ask for.
func TestTooFarAhead(t *testing.T) {
	p := newPackager(t)
	for _, r := range []Request{p.asking(12, -1, ""), p.asking(1<<62, -1, ""), p.asking(10, 1000, ""), p.asking(11, 1000, "YES")} {
		_, err := p.Get(t.Context(), r)
		if !errors.Is(err, fault.ErrInvalid) || fault.From(err).Fields["param"] != msnParam {
			t.Errorf("%+v: %v, want it refused", r.Directives, err)
		}
	}
	p.wantRequests(t, 1, "all of them")
}

// TestJudgedByCurrentPlaylist checks that directives are judged by the
// current playlist when the cached copy is old.
func TestJudgedByCurrentPlaylist(t *testing.T) {
	p := newPackager(t)
	p.must(t, p.request())
	p.publish(5)
	p.clock.advance(1500 * time.Millisecond)
	if cp := p.must(t, p.asking(12, 0, "")); cp.Info.NextMSN != 12 || cp.Info.NextPart != 1 {
		t.Errorf("shown %q", cp.Body)
	}
	p.wantRequests(t, 2, "without waiting")
}

// TestLane checks which directives ask for the next part.
func TestLane(t *testing.T) {
	parts := playlist.Info{NextMSN: 100, NextPart: 2, PartTarget: time.Second}
	whole := playlist.Info{NextMSN: 100}
	for _, tc := range []struct {
		info playlist.Info
		d    Directives
		want int
	}{
		{parts, Directives{Block: true, MSN: 100, Part: 3}, nextLane},
		{parts, Directives{Block: true, MSN: 100, Part: 3, Skip: "YES"}, nextSkipLane},
		{parts, Directives{Block: true, MSN: 100, Part: 3, Skip: "v2"}, nextSkipV2Lane},
		{parts, Directives{Block: true, MSN: 100, Part: 4}, furtherLane},
		{parts, Directives{Block: true, MSN: 100}, furtherLane},
		{parts, Directives{Block: true, MSN: 101, Part: 3, Skip: "YES"}, furtherLane},
		{whole, Directives{Block: true, MSN: 100}, nextLane},
		{whole, Directives{Block: true, MSN: 100, Skip: "YES"}, nextSkipLane},
		{whole, Directives{Block: true, MSN: 100, Part: 1}, furtherLane},
		{whole, Directives{Block: true, MSN: 101}, furtherLane},
	} {
		if got := tc.d.lane(tc.info); got != tc.want {
			t.Errorf("%+v of %+v: %d, want %d", tc.d, tc.info, got, tc.want)
		}
	}
}

// TestLaneIsFull fills the lane of parts that are far ahead: requests for the
// next part still get through.
func TestLaneIsFull(t *testing.T) {
	p := newPackager(t)
	p.must(t, p.request())
	var all sync.WaitGroup
	for part := range int32(maxBlocked) {
		all.Go(func() { p.must(t, p.asking(10, part+1, "")) })
	}
	p.held(t, maxBlocked)
	if _, err := p.Get(t.Context(), p.asking(11, -1, "")); !errors.Is(err, origin.ErrBusy) {
		t.Errorf("one more: %v, want origin.ErrBusy", err)
	}
	for _, skip := range []string{"", "YES", "v2"} {
		all.Go(func() { p.must(t, p.asking(10, 0, skip)) })
	}
	p.held(t, 3)
	p.publish(10)
	all.Wait()
	p.wantRequests(t, 4+maxBlocked, "all of them")
	p.publish(1)
	p.must(t, p.asking(15, 0, ""))
}

// TestFailureAheadSparesNextPart has an origin refuse parts that are far
// ahead: requests for the next part are not affected.
func TestFailureAheadSparesNextPart(t *testing.T) {
	p := newPackager(t)
	p.must(t, p.request())
	packager := *p.handler.Load()
	p.serve(respondStatus(400))
	for _, r := range []Request{p.asking(11, -1, ""), p.asking(11, 0, ""), p.asking(10, 2, "YES"), p.asking(10, -1, "v2")} {
		if _, err := p.Get(t.Context(), r); !errors.Is(err, origin.ErrOrigin) {
			t.Errorf("%+v: %v, want origin.ErrOrigin", r.Directives, err)
		}
	}
	p.wantRequests(t, 2, "the first was refused for all")
	p.serve(packager)
	p.publish(1)
	if cp := p.must(t, p.asking(10, 0, "")); cp.Info.NextPart != 1 {
		t.Errorf("shown %q", cp.Body)
	}
}

// TestFailureOfNextPartStopsRequests has an origin fail while a request
// waits: no other request is sent for a second.
func TestFailureOfNextPartStopsRequests(t *testing.T) {
	p := newPackager(t)
	p.must(t, p.request())
	failed := make(chan error)
	go func() {
		_, err := p.Get(t.Context(), p.asking(10, 0, ""))
		failed <- err
	}()
	p.held(t, 1)
	p.mu.Lock()
	p.down = true
	p.cond.Broadcast()
	p.mu.Unlock()
	if err := <-failed; !errors.Is(err, origin.ErrOrigin) {
		t.Errorf("%v, want origin.ErrOrigin", err)
	}
	for _, r := range []Request{p.asking(10, 0, ""), p.asking(10, 1, ""), p.asking(11, -1, "")} {
		if _, err := p.Get(t.Context(), r); !errors.Is(err, origin.ErrOrigin) {
			t.Errorf("%+v: %v, want origin.ErrOrigin", r.Directives, err)
		}
	}
	p.wantRequests(t, 2, "within the second")
	p.mu.Lock()
	p.down = false
	p.parts++
	p.mu.Unlock()
	p.clock.advance(time.Second)
	p.must(t, p.asking(10, 0, ""))
}

// TestDelta checks that delta playlists are kept apart from complete ones.
func TestDelta(t *testing.T) {
	p := newPackager(t)
	whole := p.must(t, p.request())
	done := make(chan *Copy)
	go func() { done <- p.must(t, p.asking(10, 0, "YES")) }()
	p.held(t, 1)
	p.publish(1)
	changes := <-done
	if !strings.Contains(string(changes.Body), "#EXT-X-SKIP:") || changes.Info.NextPart != 1 {
		t.Errorf("changes %q", changes.Body)
	}
	if again := p.must(t, p.asking(10, 0, "YES")); again != changes {
		t.Error("the changes were asked for twice")
	}
	if now := p.must(t, p.request()); now != whole {
		t.Errorf("a request for the complete playlist got %q", now.Body)
	}
	req := p.request()
	req.Directives.Skip = "v2"
	if cp := p.must(t, req); !strings.Contains(string(cp.Body), "#EXT-X-SKIP:") {
		t.Errorf("without waiting %q", cp.Body)
	}
	p.wantRequests(t, 3, "so far")
	p.publish(2)
	p.must(t, p.asking(11, 0, "YES"))
	// 12.0 is too far from the whole, but not from what the changes have shown.
	p.publish(2)
	if cp := p.must(t, p.asking(12, 0, "YES")); cp.Info.NextMSN != 12 || cp.Info.NextPart != 1 {
		t.Errorf("shown %q", cp.Body)
	}
	p.wantRequests(t, 5, "further on")
}

// TestDeltaUnsupported checks that _HLS_skip is ignored for a playlist that
// has no deltas.
func TestDeltaUnsupported(t *testing.T) {
	p := newPackager(t)
	packager := *p.handler.Load()
	p.serve(func(w http.ResponseWriter, q *http.Request) {
		rec := httptest.NewRecorder()
		packager(rec, q)
		io.WriteString(w, strings.Replace(rec.Body.String(), ",CAN-SKIP-UNTIL=6", "", 1))
	})
	req := p.request()
	first := p.must(t, req)
	for _, req.Directives.Skip = range []string{"YES", "v2"} {
		if cp := p.must(t, req); cp != first {
			t.Errorf("%s: shown %q", req.Directives.Skip, cp.Body)
		}
	}
	p.publish(1)
	p.must(t, p.asking(10, 0, "YES"))
	p.wantRequests(t, 2, "all of them")
	if <-p.queries; <-p.queries != "_HLS_msn=10&_HLS_part=0" {
		t.Error("the origin was asked for the changes")
	}
}

// TestBlockingUnsupported checks that directives are ignored for a playlist
// that does not support them.
func TestBlockingUnsupported(t *testing.T) {
	r := newRig(t, respond(media(1)))
	req := r.request()
	req.Directives = Directives{Block: true, MSN: 1 << 40, Skip: "YES"}
	for range 10 {
		r.must(t, req)
		req.Directives.MSN++
	}
	r.wantRequests(t, 1, "ten numbers")
}

// TestOvertaken has a waiting request end before one that polls, which then
// has less: the cached copy does not go back.
func TestOvertaken(t *testing.T) {
	now := time.Unix(1000, 0)
	show := func(msn int64, began, at time.Duration) *outcome {
		return &outcome{copy: &Copy{Info: playlist.Info{NextMSN: msn}, began: now.Add(began), At: now.Add(at)}}
	}
	kept := show(10, 0, 2*time.Second)
	for name, tc := range map[string]struct {
		made *outcome
		wins bool
	}{
		"further":              {show(11, time.Second, 3*time.Second), true},
		"as far":               {show(10, time.Second, 3*time.Second), true},
		"overtaken":            {show(9, time.Second, 3*time.Second), false},
		"asked for afterwards": {show(1, 2*time.Second, 3*time.Second), true},
	} {
		if got := tc.made.merge(kept) == tc.made; got != tc.wins {
			t.Errorf("%s: the new copy is kept: %v, want %v", name, got, tc.wins)
		}
	}
}

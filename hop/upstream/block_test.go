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

	"miramundo.dev/hop/playlist"
	"miramundo.dev/hop/upstream/lowlatency"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/origin"
)

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
	if msn := q.Get("_HLS_msn"); msn != "" {
		n, _ := strconv.Atoi(msn)
		need := 2*n + 2
		if part, err := strconv.Atoi(q.Get("_HLS_part")); err == nil {
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
	io.WriteString(w, p.text(q.Get("_HLS_skip") != ""))
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
	r.Directives = lowlatency.Directives{Block: true, MSN: msn, Part: part + 1, Skip: skip}
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
		if !errors.Is(err, fault.ErrInvalid) || fault.From(err).Fields["param"] != "_HLS_msn" {
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
	req.Directives = lowlatency.Directives{Block: true, MSN: 1 << 40, Skip: "YES"}
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
		if got := tc.made.Merge(kept) == tc.made; got != tc.wins {
			t.Errorf("%s: the new copy is kept: %v, want %v", name, got, tc.wins)
		}
	}
}

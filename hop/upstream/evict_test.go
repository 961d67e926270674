package upstream

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"miramundo.dev/hop/upstream/lowlatency"
	"miramundo.dev/shared/catalog"
)

// sweepNow sweeps and waits for it.
func (r *rig) sweepNow() {
	r.sweeping.Lock() // none is under way
	r.sweptAt.Store(-1)
	r.sweeping.Unlock()
	r.sweepSoon(r.clock.now())
	r.sweeping.Lock()
	defer r.sweeping.Unlock()
}

// sizes returns how many renderings and sources are cached.
func (r *rig) sizes() (renderings, sources int) {
	for i := range r.renderings {
		r.renderings[i].mu.RLock()
		renderings += len(r.renderings[i].renderings)
		r.renderings[i].mu.RUnlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return renderings, len(r.sources)
}

// TestUnusedEntriesAreDropped checks what is left of a playlist as time
// passes without requests.
func TestUnusedEntriesAreDropped(t *testing.T) {
	r := newRig(t, respond(media(1)+strings.Repeat("#\n", 1000)))
	cp := r.must(t, r.request())
	with := r.bytes.Load()
	if with < 2*int64(len(cp.Body)) {
		t.Errorf("%d bytes counted, want at least the source and the rendering", with)
	}
	for _, step := range []struct {
		pause               time.Duration
		renderings, sources int
	}{{time.Second, 1, 1}, {59 * time.Second, 1, 1}, {2 * time.Second, 0, 1}, {30 * time.Second, 0, 0}} {
		r.clock.advance(step.pause)
		r.sweepNow()
		if renderings, sources := r.sizes(); renderings != step.renderings || sources != step.sources {
			t.Errorf("%v after: %d renderings and %d sources, want %d and %d", r.clock.now().Sub(cp.At), renderings, sources, step.renderings, step.sources)
		}
		if now := r.bytes.Load(); now >= with {
			t.Errorf("%v after: %d bytes counted, want fewer than before", r.clock.now().Sub(cp.At), now)
		} else {
			with = now + 1
		}
	}
	if left := r.bytes.Load(); left != 0 {
		t.Errorf("%d bytes are still counted, want 0", left)
	}
}

// TestSweepKeepsFailures checks that sweeping does not make an origin be
// asked more often.
func TestSweepKeepsFailures(t *testing.T) {
	r := newRig(t, respondStatus(500))
	for range 20 {
		r.Get(t.Context(), r.request())
		r.clock.advance(time.Second)
		r.sweepNow()
	}
	r.wantRequests(t, 11, "in twenty seconds") // at 0, 1, 3, 5 and so on until 19 s
}

// TestMaxBytes fills the cache beyond its size.
func TestMaxBytes(t *testing.T) {
	const room = 1 << 20
	body := media(1) + strings.Repeat("#EXTINF:6,\nx.ts\n", 1000)
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) { io.WriteString(w, "#EXTM3U\n#"+q.URL.Path+body[7:]) },
		func(o *Options) { o.MaxBytes = room })
	for i := range 200 {
		req := Request{Stream: catalog.StreamID(i), Origin: fmt.Sprintf("%s/%d.m3u8", r.URL, i)}
		r.must(t, req)
		r.clock.advance(time.Second)
		r.sweepNow()
		if kept := r.bytes.Load(); kept > room {
			t.Fatalf("%d bytes counted after %d playlists, want at most MaxBytes", kept, i+1)
		}
	}
	renderings, _ := r.sizes()
	if renderings < 4 {
		t.Errorf("%d renderings are left of what there is room for", renderings)
	}
	asked := r.asked.Load()
	last := Request{Stream: 199, Origin: r.URL + "/199.m3u8"}
	if v := r.rendering(&last, lowlatency.Directives{}, r.clock.now()); v.Kept() == nil {
		t.Error("the last playlist is gone")
	}
	r.wantRequests(t, asked, "looking")
}

// TestMaxBytesOfOne has a cache of one byte: a refresh under way is not
// dropped, and its callers get the copy, although later callers have the
// address asked again within a second.
func TestMaxBytesOfOne(t *testing.T) {
	r := newRig(t, respond(media(1)), func(o *Options) { o.MaxBytes = 1 })
	for i := range 3 {
		r.must(t, r.request())
		r.waitIdle(r.request())
		r.sweepNow()
		r.wantRequests(t, int64(i+1), "without room")
	}
}

// TestFloodEvictsNothingWatched requests many large playlists at once: memory
// and work stay within their bounds, and a watched playlist is not evicted.
func TestFloodEvictsNothingWatched(t *testing.T) {
	const room, many = 4 << 20, 400
	large := media(1) + strings.Repeat("#EXTINF:6,\nx\n", 5000) // ten times as large when its references are absolute
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "index.m3u8") {
			io.WriteString(w, media(1))
			return
		}
		io.WriteString(w, large)
	}, func(o *Options) { o.MaxBytes = room })
	for range 5 {
		r.must(t, r.request())
		r.waitIdle(r.request())
		r.clock.advance(time.Second / 2)
	}
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			r.Get(t.Context(), Request{Stream: catalog.StreamID(i), Origin: fmt.Sprintf("%s/%s/%d", r.URL, strings.Repeat("x", 70), i)})
		})
	}
	all.Wait()
	made := int64(runtime.GOMAXPROCS(0)+1) * 20 * int64(len(large))
	if kept, most := r.bytes.Load(), room+made+int64(bodyPlaces.Total*len(large)); kept > most {
		t.Errorf("%d bytes counted, want at most %d", kept, most)
	}
	bodies, _ := r.bodies.Size()
	if bodies != 0 || len(r.rewriting) != 0 {
		t.Errorf("%d places of bodies and %d rewriting slots are in use, want 0", bodies, len(r.rewriting))
	}
	watched := r.request()
	v := r.rendering(&watched, lowlatency.Directives{}, r.clock.now())
	if v.Kept() == nil {
		t.Error("what is watched was dropped")
	}
}

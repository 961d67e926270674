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

	"miramundo.dev/shared/catalog"
)

// clean tidies now and waits for it.
func (r *rig) clean() {
	r.tidying.Lock() // none is under way
	r.tidied.Store(-1)
	r.tidying.Unlock()
	r.tidy(r.clock.now())
	r.tidying.Lock()
	defer r.tidying.Unlock()
}

// sizes returns how many views and sources are kept.
func (r *rig) sizes() (views, sources int) {
	for i := range r.views {
		r.views[i].mu.RLock()
		views += len(r.views[i].views)
		r.views[i].mu.RUnlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return views, len(r.sources)
}

// TestForgets checks what is left of a playlist as time passes.
func TestForgets(t *testing.T) {
	r := newRig(t, says(media(1)+strings.Repeat("#\n", 1000)))
	cp := r.must(t, r.request())
	with := r.bytes.Load()
	if with < 2*int64(len(cp.Body)) {
		t.Errorf("%d bytes kept, less than what came and what is shown", with)
	}
	for _, step := range []struct {
		pause          time.Duration
		views, sources int
	}{{time.Second, 1, 1}, {59 * time.Second, 1, 1}, {2 * time.Second, 0, 1}, {30 * time.Second, 0, 0}} {
		r.clock.advance(step.pause)
		r.clean()
		if views, sources := r.sizes(); views != step.views || sources != step.sources {
			t.Errorf("%v after: %d views and %d sources, want %d and %d", r.clock.now().Sub(cp.At), views, sources, step.views, step.sources)
		}
		if now := r.bytes.Load(); now >= with {
			t.Errorf("%v after: %d bytes kept, as many as before", r.clock.now().Sub(cp.At), now)
		} else {
			with = now + 1
		}
	}
	if left := r.bytes.Load(); left != 0 {
		t.Errorf("%d bytes are left", left)
	}
}

// TestRemembersFailures checks that tidying does not make an origin be asked
// more often.
func TestRemembersFailures(t *testing.T) {
	r := newRig(t, fails(500))
	for range 20 {
		r.Get(t.Context(), r.request())
		r.clock.advance(time.Second)
		r.clean()
	}
	r.fetched(t, 5, "in twenty seconds") // at 0, 1, 3, 7 and 15 s
}

// TestRoom fills the cache with more than there is room for.
func TestRoom(t *testing.T) {
	const room = 1 << 20
	body := media(1) + strings.Repeat("#EXTINF:6,\nx.ts\n", 1000)
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) { io.WriteString(w, "#EXTM3U\n#"+q.URL.Path+body[7:]) },
		func(o *Options) { o.MaxBytes = room })
	for i := range 200 {
		req := Request{Stream: catalog.StreamID(i), Origin: fmt.Sprintf("%s/%d.m3u8", r.URL, i)}
		r.must(t, req)
		r.clock.advance(time.Second)
		r.clean()
		if kept := r.bytes.Load(); kept > room {
			t.Fatalf("%d bytes kept after %d playlists", kept, i+1)
		}
	}
	views, _ := r.sizes()
	if views < 4 {
		t.Errorf("%d views are left of what there is room for", views)
	}
	asked := r.asked.Load()
	last := Request{Stream: 199, Origin: r.URL + "/199.m3u8"}
	if v := r.view(&last, Directives{}, r.clock.now()); v.kept.Load() == nil {
		t.Error("the last playlist is gone")
	}
	r.fetched(t, asked, "looking")
}

// TestNoRoom has no room at all: what is being made is not dropped, and players
// get it, although the address is asked again within a second for those who
// come later.
func TestNoRoom(t *testing.T) {
	r := newRig(t, says(media(1)), func(o *Options) { o.MaxBytes = 1 })
	for i := range 3 {
		r.must(t, r.request())
		r.drained(r.request())
		r.clean()
		r.fetched(t, int64(i+1), "without room")
	}
}

// TestFlood asks for many large playlists at once: more are not kept, nor in
// work, than there is room for, and what is watched stays.
func TestFlood(t *testing.T) {
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
		r.drained(r.request())
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
	if kept, most := r.bytes.Load(), room+made+maxBodies*int64(len(large)); kept > most {
		t.Errorf("%d bytes kept, want %d at most", kept, most)
	}
	if len(r.bodies) != 0 || len(r.rewriting) != 0 {
		t.Errorf("%d and %d places are taken", len(r.bodies), len(r.rewriting))
	}
	watched := r.request()
	v := r.view(&watched, Directives{}, r.clock.now())
	if v.kept.Load() == nil {
		t.Error("what is watched was dropped")
	}
}

package upstream

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/hop/ticket"
	"miramundo.dev/hop/upstream/lowlatency"
	"miramundo.dev/hop/upstream/share"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/origin"
)

// An army is hosts that do not answer, each with a loopback address of its own.
type army struct {
	hosts   []string // host:port
	ended   chan struct{}
	all     sync.WaitGroup // requests for its streams
	settled atomic.Int64   // those that were answered
}

// newArmy starts hosts that hold each request until they are ended, before the
// response or, when they drip, after the beginning of a large body.
func newArmy(t *testing.T, n int, drip bool) *army {
	t.Helper()
	a := &army{ended: make(chan struct{})}
	for i := range n {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.1.%d:0", i+1))
		if err != nil {
			t.Skip("this machine has one loopback address")
		}
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if drip {
				io.WriteString(w, media(1)+strings.Repeat("#", smallBody))
				w.(http.Flusher).Flush()
			}
			select {
			case <-a.ended:
			case <-r.Context().Done():
			}
		}))
		s.Listener.Close()
		s.Listener = l
		s.Start()
		t.Cleanup(s.Close)
		a.hosts = append(a.hosts, l.Addr().String())
	}
	return a
}

// attack requests streams in the name of clients until each is answered, waits
// or hangs. Each stream is at the next host.
func (a *army) attack(t *testing.T, r *rig, clients, streams int) {
	for i := range streams {
		a.all.Go(func() {
			defer a.settled.Add(1)
			r.Get(t.Context(), Request{
				Stream: catalog.StreamID(1000 + i), Client: network(i % clients),
				Origin: fmt.Sprintf("http://%s/%d", a.hosts[i%len(a.hosts)], i),
			})
		})
	}
	for {
		taken, waits := r.fetches.Size()
		if taken+waits+int(a.settled.Load()) >= streams {
			return
		}
		runtime.Gosched()
	}
}

// end lets the hosts answer, and waits until no request is under way.
func (a *army) end() {
	close(a.ended)
	a.all.Wait()
}

// network returns the network of client n.
func network(n int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}), 32)
}

// newPatientRig returns a rig that waits for an hour at its origin and at the
// hosts of an army, so that nothing but the test ends a fetch.
func newPatientRig(t *testing.T, text string, a *army) *rig {
	r := newRig(t, respond(text))
	r.opts.Timeout = time.Hour
	r.opts.Client = origin.New(origin.Options{
		Allow: append(slices.Clone(a.hosts), r.at), MaxInFlight: MaxFetches, Timeout: time.Hour, Header: time.Hour,
	})
	return r
}

// TestHostileStreamsHoldUpNobody has hosts that hang take all that they can.
// Unrelated streams, each of another client, are answered while they do: their
// fetches would never end if they had to wait for one of those.
func TestHostileStreamsHoldUpNobody(t *testing.T) {
	for _, tc := range []struct {
		name             string
		clients, streams int
		drip             bool
	}{
		{"dead streams of one client", 1, 400, false},
		{"slow bodies of one client", 1, 400, true},
		{"dead streams of many clients", 40, 1200, false},
		{"slow bodies of many clients", 40, 1200, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newArmy(t, 64, tc.drip)
			r := newPatientRig(t, media(1)+strings.Repeat("#", 2*smallBody), a)
			a.attack(t, r, tc.clients, tc.streams)
			for i := range 40 {
				req := r.request()
				req.Stream, req.Origin, req.Client = catalog.StreamID(i), fmt.Sprintf("%s/%d", r.URL, i), network(60000+i)
				r.must(t, req)
			}
			a.end()
			if taken, waits := r.fetches.Size(); taken+waits != 0 {
				t.Errorf("%d places are taken and %d fetches wait in the end", taken, waits)
			}
		})
	}
}

// TestHangingVariantsHoldUpNobody has one stream whose master names hosts that
// hang, and many clients that ask for all of them.
func TestHangingVariantsHoldUpNobody(t *testing.T) {
	a := newArmy(t, 8, false)
	r := newPatientRig(t, media(1), a)
	var hostile sync.WaitGroup
	for i := range 128 {
		hostile.Go(func() {
			req := r.request()
			req.Client = network(i)
			req.Ticket = &ticket.Ticket{URL: fmt.Sprintf("http://%s/%d", a.hosts[i%8], i), Depth: 1}
			r.Get(t.Context(), req)
		})
	}
	for taken, waits := 0, 0; taken+waits < 128; taken, waits = r.fetches.Size() {
		runtime.Gosched()
	}
	if taken, _ := r.fetches.Size(); taken != fetchPlaces.Stream {
		t.Errorf("the stream has %d places, want %d", taken, fetchPlaces.Stream)
	}
	for i := range 40 {
		r.must(t, Request{Stream: catalog.StreamID(100 + i), Client: network(i), Origin: fmt.Sprintf("%s/%d", r.URL, i)})
	}
	a.end()
	hostile.Wait()
}

// TestSharedStreamDoesNotWait has a client over its budget ask for a stream
// first. Others that want the stream do not wait for the client's other fetches.
func TestSharedStreamDoesNotWait(t *testing.T) {
	a := newArmy(t, 64, false)
	r := newPatientRig(t, media(1), a)
	a.attack(t, r, 1, fetchPlaces.Client+20)
	first := make(chan error)
	go func() {
		req := r.request()
		req.Client = network(0)
		_, err := r.Get(t.Context(), req)
		first <- err
	}()
	for waits := 0; waits < 21; _, waits = r.fetches.Size() {
		runtime.Gosched()
	}
	other := r.request()
	other.Stream, other.Client = 8, network(9) // another stream at the same address
	r.must(t, other)
	if err := <-first; err != nil {
		t.Error(err)
	}
	r.wantRequests(t, 1, "for both")
	a.end()
}

// TestOutcomes checks which failures count against a host.
func TestOutcomes(t *testing.T) {
	part := lowlatency.Directives{Block: true, MSN: 1}
	for _, tc := range []struct {
		err        error
		directives lowlatency.Directives
		want       share.Outcome
	}{
		{nil, lowlatency.Directives{}, share.Answered},
		{origin.ErrAccess, lowlatency.Directives{}, share.Answered},
		{origin.ErrOrigin, lowlatency.Directives{}, share.Answered},
		{origin.ErrLimit, lowlatency.Directives{}, share.Answered},
		{origin.ErrUnreachable, lowlatency.Directives{}, share.Unknown},
		{origin.ErrBusy, lowlatency.Directives{}, share.Unknown},
		{origin.ErrRefused, lowlatency.Directives{}, share.Unknown},
		{origin.ErrTimeout, lowlatency.Directives{}, share.Hung},
		{context.Canceled, lowlatency.Directives{}, share.Hung},
		{origin.ErrTimeout, part, share.Unknown},
		{nil, part, share.Answered},
	} {
		e := fetcher{target: target{directives: tc.directives}}
		if got := e.outcome(tc.err); got != tc.want {
			t.Errorf("%v, blocking %v: %d, want %d", tc.err, tc.directives.Block, got, tc.want)
		}
	}
	for address, want := range map[string]string{
		"https://A.example:8443/x": "a.example", "http://a.example./": "a.example", "http://[2001:db8::1]:80/": "[2001:db8::1]", "http://[2001:db8::1]": "[2001:db8::1]",
	} {
		if got := hostname(address); got != want {
			t.Errorf("the host of %s is %q, want %q", address, got, want)
		}
	}
}

// TestReturnAfterOutage checks that an origin is asked again within two seconds
// of its return, and never more than once a second, whatever it did while it
// was away. A player asks five times a second.
func TestReturnAfterOutage(t *testing.T) {
	for name, away := range map[string]http.HandlerFunc{
		"answered 500": respondStatus(500), "hung up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		for outage := 300 * time.Millisecond; outage < 40*time.Second; outage += 1300 * time.Millisecond {
			r := newRig(t, respond(media(1)))
			r.must(t, r.request())
			r.clock.advance(time.Minute)
			r.serve(away)
			var asked []time.Time
			player := func() bool {
				before := r.asked.Load()
				_, err := r.Get(t.Context(), r.request())
				r.waitIdle(r.request())
				if r.asked.Load() > before {
					asked = append(asked, r.clock.now())
				}
				r.clock.advance(200 * time.Millisecond)
				return err == nil
			}
			for end := r.clock.now().Add(outage); r.clock.now().Before(end); {
				player()
			}
			r.serve(respond(media(2)))
			back := r.clock.now()
			for !player() {
			}
			if late := asked[len(asked)-1].Sub(back); late > 2*time.Second {
				t.Errorf("%s for %v: asked %v after its return", name, outage, late)
			}
			for i := 1; i < len(asked); i++ {
				if d := asked[i].Sub(asked[i-1]); d < time.Second {
					t.Errorf("%s for %v: asked again after %v", name, outage, d)
				}
			}
			r.Close()
		}
	}
}

// TestPatience checks for how long an origin is asked after it hung.
func TestPatience(t *testing.T) {
	r := newRig(t, respond(media(1)))
	v := r.request()
	e := r.fetcher(r.rendering(&v, v.Directives, r.clock.now()), netip.Prefix{})
	hang := func(last *result) *result { return e.failed(last, origin.ErrTimeout) }
	hangs := func(n int) (last *result) {
		for range n {
			last = hang(last)
		}
		return last
	}
	good := func(took time.Duration) *result { return &result{took: took} }
	for name, tc := range map[string]struct {
		last *result
		want time.Duration
	}{
		"at first":              {nil, 8 * time.Second},
		"after an answer":       {good(time.Second), 8 * time.Second},
		"after a failure":       {e.failed(nil, origin.ErrOrigin), 8 * time.Second},
		"after a hang":          {hang(nil), 2 * time.Second},
		"after hangs":           {hang(hang(good(time.Millisecond))), 2 * time.Second},
		"of a slow origin":      {hang(good(3 * time.Second)), 6 * time.Second},
		"of a slower one":       {hang(good(6 * time.Second)), 8 * time.Second},
		"when we were busy":     {e.failed(hang(nil), origin.ErrBusy), 2 * time.Second},
		"when it hung 15 times": {hangs(15), 2 * time.Second},
		"when it hung 16 times": {hangs(16), 8 * time.Second},
		"when it hung 17 times": {hangs(17), 2 * time.Second},
		"when it hung 32 times": {hangs(32), 8 * time.Second},
		"after it hung twice":   {hang(hang(good(3 * time.Second))), 6 * time.Second},
	} {
		if got := e.patience(tc.last); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
	if r := hang(nil); r.until.Sub(e.began) != time.Second {
		t.Errorf("asked again %v after the fetch began", r.until.Sub(e.began))
	}
	e.began = r.clock.now().Add(-8 * time.Second)
	if r := hang(nil); !r.until.Equal(r.at) {
		t.Errorf("asked again %v after a fetch that took eight seconds", r.until.Sub(r.at))
	}
}

package share

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"sync"
	"testing"

	"miramundo.dev/shared/catalog"
)

var limits = Limits{Total: 8, Client: 4, Stream: 3, Host: 4, Waiting: 6, ClientWaiting: 4}

// client returns the network of client n.
func client(n int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}), 32)
}

// claim claims a place for a client at a stream and a host.
func claim(p *Pool, by, stream, host int) *Place {
	return p.Claim(Claim{client(by), catalog.StreamID(stream), "h" + strconv.Itoa(host), false}, func() {})
}

// want checks the states of places.
func want(t *testing.T, when string, state state, places ...*Place) {
	t.Helper()
	for i, pl := range places {
		pl.pool.mu.Lock()
		if pl.state != state {
			t.Errorf("%s: place %d is in state %d, want %d", when, i, pl.state, state)
		}
		pl.pool.mu.Unlock()
	}
}

// TestBudgets checks that a fetch over the budget of its client, stream or host
// waits, and holds up no other.
func TestBudgets(t *testing.T) {
	for name, over := range map[string]func(p *Pool, n int) *Place{
		"client": func(p *Pool, n int) *Place { return claim(p, 1, n, n) },
		"stream": func(p *Pool, n int) *Place { return claim(p, n, 1, n) },
		"host":   func(p *Pool, n int) *Place { return claim(p, n, n, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			p := New(limits)
			budget := map[string]int{"client": limits.Client, "stream": limits.Stream, "host": limits.Host}[name]
			var places []*Place
			for n := range budget {
				places = append(places, over(p, n+1))
			}
			want(t, "within the budget", inside, places...)
			first, second := over(p, 98), over(p, 99)
			want(t, "over it", waiting, first, second)
			if !first.Waiting() {
				t.Error("the place does not say that it waits")
			}
			want(t, "of others", inside, claim(p, 70, 70, 70))
			places[0].Leave(Answered)
			want(t, "after one left", inside, first)
			want(t, "after one left", waiting, second)
			first.Leave(Unknown)
			first.Leave(Unknown) // counts once
			want(t, "after two left", inside, second)
		})
	}
}

// TestLargestGivesWay checks that a client without a place gets one at once
// while others have more, and that a client cannot gain by it what it has not.
func TestLargestGivesWay(t *testing.T) {
	p := New(limits)
	cut := 0
	oldest := p.Claim(Claim{client(1), 1, "h1", false}, func() { cut++ })
	for n := 2; n <= limits.Client; n++ {
		claim(p, 1, n, n)
	}
	for n := 1; n <= limits.Client; n++ {
		claim(p, 2, 10+n, 10+n)
	}
	fresh := claim(p, 3, 20, 20)
	want(t, "the oldest of the largest", revoked, oldest)
	want(t, "the new client", inside, fresh)
	if cut != 1 || !oldest.Leave(Unknown) {
		t.Errorf("cut off %d times, want once", cut)
	}
	for n := range 3 {
		claim(p, 4+n, 30+n, 30+n)
	}
	taken, waits := p.Size()
	if taken != limits.Total || waits != 0 {
		t.Errorf("%d places are taken and %d wait, want %d and 0", taken, waits, limits.Total)
	}
	for by, most := range map[int]int{1: 2, 2: 2, 3: 1, 4: 1, 5: 1, 6: 1} {
		if got := p.load(client(by)); got > most {
			t.Errorf("client %d has %d places, want at most %d", by, got, most)
		}
	}
	want(t, "a client that has as many as others", waiting, claim(p, 3, 40, 40))
}

// TestAhead checks that renewals wait in half of the places to wait in, and that a
// request for which there is no copy finds one in the other half.
func TestAhead(t *testing.T) {
	p := New(Limits{Total: 1, Client: 1, Stream: 1, Host: 1, Waiting: 6, ClientWaiting: 4})
	ahead := func(by, n int) *Place {
		return p.Claim(Claim{Client: client(by), Stream: catalog.StreamID(n), Host: strconv.Itoa(n), Ahead: true}, func() {})
	}
	want(t, "with room", inside, ahead(1, 1))
	want(t, "half of what its client may have", waiting, ahead(1, 2), ahead(1, 3))
	want(t, "over that", refused, ahead(1, 4))
	want(t, "half of all", waiting, ahead(2, 5))
	want(t, "over that", refused, ahead(2, 6))
	want(t, "a request", waiting, claim(p, 1, 7, 7), claim(p, 1, 8, 8))
	want(t, "over what a client may have", refused, claim(p, 1, 9, 9))
}

// TestKept checks that a place that is kept is not taken away.
func TestKept(t *testing.T) {
	p := New(Limits{Total: 2, Client: 2, Stream: 2, Host: 2, Waiting: 2, ClientWaiting: 2})
	a, b := claim(p, 1, 1, 1), claim(p, 1, 2, 2)
	a.Keep()
	b.Keep()
	other := claim(p, 2, 3, 3)
	want(t, "kept", inside, a, b)
	want(t, "the other", waiting, other)
	a.Leave(Unknown)
	want(t, "the other", inside, other)
}

// TestOrder checks that the client with the fewest places is next, then the
// stream with the fewest, then the oldest.
func TestOrder(t *testing.T) {
	p := New(Limits{Total: 4, Client: 4, Stream: 4, Host: 4, Waiting: 9, ClientWaiting: 9})
	var places []*Place
	for n := range 4 {
		places = append(places, claim(p, 1+n/2, 1, n)) // two of each of two clients
	}
	for _, pl := range places {
		pl.Keep()
	}
	busy, quiet, later, another := claim(p, 1, 1, 10), claim(p, 1, 2, 11), claim(p, 1, 2, 12), claim(p, 3, 1, 13)
	for i, next := range []*Place{another, quiet, later, busy} {
		places[len(places)-1-i].Leave(Unknown)
		want(t, "turn "+strconv.Itoa(i), inside, next)
	}
}

// TestHangingHost checks that a host that hangs is asked by one fetch at a time
// in the end, that none waits for it then, and that an answer restores it.
func TestHangingHost(t *testing.T) {
	p := New(Limits{Total: 100, Client: 100, Stream: 100, Host: 4, Waiting: 100, ClientWaiting: 100})
	fill := func() (in, wait []*Place) {
		for n := range 6 {
			if pl := claim(p, n, n, 1); pl.Waiting() {
				wait = append(wait, pl)
			} else {
				in = append(in, pl)
			}
		}
		return in, wait
	}
	in, wait := fill()
	if len(in) != 4 || len(wait) != 2 {
		t.Fatalf("%d inside and %d waiting at first", len(in), len(wait))
	}
	for _, pl := range in {
		pl.Leave(Hung)
	}
	want(t, "those that waited", refused, wait...)
	if err := wait[0].Wait(t.Context()); !errors.Is(err, ErrRefused) {
		t.Errorf("%v, want ErrRefused", err)
	}
	in, wait = fill()
	if len(in) != 1 {
		t.Errorf("%d fetches of a host that hangs, want 1", len(in))
	}
	want(t, "another host", inside, claim(p, 9, 9, 2))
	in[0].Leave(Answered)
	want(t, "once it answers", inside, wait[:4]...)
	want(t, "once it answers", waiting, wait[4:]...)
}

// TestShare checks that a fetch is charged to the client with the fewest
// places of those that want it, so that it does not wait behind the others of
// the client that asked first.
func TestShare(t *testing.T) {
	p := New(limits)
	for n := range limits.Client {
		claim(p, 1, n, n)
	}
	pl := claim(p, 1, 50, 50)
	want(t, "of a busy client", waiting, pl)
	pl.Share(client(1))
	want(t, "asked by the same again", waiting, pl)
	pl.Share(client(2))
	want(t, "of a client with nothing", inside, pl)
	if p.load(client(1)) != limits.Client || p.load(client(2)) != 1 {
		t.Errorf("the clients have %d and %d places", p.load(client(1)), p.load(client(2)))
	}
	busy := claim(p, 2, 51, 51)
	busy.Share(client(1))
	if p.load(client(2)) != 2 {
		t.Error("a place was charged to a client with more")
	}
	for n := range 2 {
		claim(p, 7, 60+n, 60+n) // the pool is full
	}
	full := claim(p, 1, 70, 70)
	full.Share(client(8))
	want(t, "of a client with nothing in a full pool", inside, full)
}

// TestQueueIsBounded checks how many fetches may wait, and that a client with
// many gives way to one with few.
func TestQueueIsBounded(t *testing.T) {
	p := New(limits)
	wait := func(by, n int) []*Place {
		var all []*Place
		for i := range limits.Client + n {
			if pl := claim(p, by, 100*by+i, 100*by+i); i >= limits.Client {
				all = append(all, pl)
			}
		}
		return all
	}
	one := wait(1, 5)
	want(t, "of one client", waiting, one[:4]...)
	want(t, "of one client beyond its bound", refused, one[4])
	two := wait(2, 3)
	want(t, "of the second client", waiting, two...)
	want(t, "the newest of the first, for the second", refused, one[3])
	if _, waits := p.Size(); waits != limits.Waiting {
		t.Errorf("%d wait, want %d", waits, limits.Waiting)
	}
	late := claim(p, 1, 400, 400)
	want(t, "of a client with many when too many wait", refused, late)
}

// TestWaitEnds checks that a fetch that is given up takes no place.
func TestWaitEnds(t *testing.T) {
	p := New(limits)
	var all []*Place
	for n := range limits.Client {
		all = append(all, claim(p, 1, n, n))
	}
	pl := claim(p, 1, 9, 9)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := pl.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the error of the context", err)
	}
	pl.Leave(Unknown)
	for _, other := range all {
		if err := other.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		other.Leave(Answered)
	}
	wantEmpty(t, p)
}

// wantEmpty checks that a pool remembers nothing.
func wantEmpty(t *testing.T, p *Pool) {
	t.Helper()
	if taken, waits := p.Size(); taken+waits+len(p.clients)+len(p.streams)+len(p.hosts) != 0 {
		t.Errorf("%d inside, %d waiting, %d clients, %d streams and %d hosts are left", taken, waits, len(p.clients), len(p.streams), len(p.hosts))
	}
}

// TestHostsAreForgotten checks that hosts that hung do not pile up.
func TestHostsAreForgotten(t *testing.T) {
	p := New(limits)
	held := claim(p, 1, 1, 0)
	for n := range 3 * maxHosts {
		claim(p, 2, 2, n+1).Leave(Hung)
	}
	if n := len(p.hosts); n > maxHosts {
		t.Errorf("%d hosts are remembered, want at most %d", n, maxHosts)
	}
	if p.hosts["h0"] == nil {
		t.Error("a host with a place was forgotten")
	}
	held.Leave(Answered)
}

// TestConcurrent has many clients come and go at once: budgets hold at each
// moment, and nothing is left in the end.
func TestConcurrent(t *testing.T) {
	p := New(limits)
	var all sync.WaitGroup
	for by := range 20 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(by), 1))
			for range 300 {
				ctx, cancel := context.WithCancel(t.Context())
				pl := p.Claim(Claim{client(by % 7), catalog.StreamID(r.IntN(5)), "h" + strconv.Itoa(r.IntN(5)), r.IntN(3) == 0}, cancel)
				pl.Share(client(r.IntN(7)))
				if r.IntN(4) == 0 {
					cancel()
				}
				if pl.Wait(ctx) == nil {
					p.mu.Lock()
					if len(p.inside) > limits.Total || p.load(pl.claim.Client) > limits.Client+1 || p.streams[pl.claim.Stream] > limits.Stream {
						t.Errorf("over a budget: %d inside, client %d, stream %d", len(p.inside), p.load(pl.claim.Client), p.streams[pl.claim.Stream])
					}
					p.mu.Unlock()
				}
				pl.Leave(Outcome(r.IntN(2))) // Unknown or Answered: no host hangs
				cancel()
			}
		})
	}
	all.Wait()
	wantEmpty(t, p)
}

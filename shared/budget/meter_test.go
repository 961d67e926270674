package budget

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

var home = netip.MustParseAddr("192.0.2.1")

// A ledger keeps allowances in memory, as the documents of a database do for instances.
type ledger struct {
	now   func() time.Time
	mu    sync.Mutex
	due   map[string]time.Time
	draws int // transactions
	fails error
}

func newLedger(c *clock) *ledger { return &ledger{now: c.now, due: map[string]time.Time{}} }

func (l *ledger) Draw(_ context.Context, kind string, a Allowance, subject string, n int) (int, time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.draws++
	if l.fails != nil {
		return 0, 0, l.fails
	}
	taken, next, wait := a.Grant(l.due[kind+" "+subject], l.now(), n)
	l.due[kind+" "+subject] = next
	return taken, wait, nil
}

// retryAfter returns the seconds of a refusal; 0 for a call that was allowed.
func retryAfter(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	if !errors.Is(err, ErrTooMany) {
		t.Fatal(err)
	}
	return fault.From(err).Fields["retry_after"].(int)
}

// TestFastPerson plays a person who presses ten times a second for a minute, and an
// office of fifty such people behind one address. The pages send one request for each
// press. Nobody is refused.
func TestFastPerson(t *testing.T) {
	for _, people := range []int{1, 50} {
		c := newClock()
		m := New(Options{Now: c.now})
		for range 600 {
			for p := range people {
				if err := m.Take(t.Context(), Writes, identity.Owner(fmt.Sprint("g_", p)), home); err != nil {
					t.Fatalf("%d people: person %d after %v: %v", people, p, c.t.Sub(newClock().t), err)
				}
			}
			c.t = c.t.Add(100 * time.Millisecond)
		}
	}
}

// TestOrdinaryDay plays what people do in a day: an evening of zapping, every two seconds
// for four hours with three writes each; an office of fifty people who begin at nine, of
// whom thirty are new; an agent that fills a library; a move to a new account with a file
// that is tried again and again. Nobody is refused.
func TestOrdinaryDay(t *testing.T) {
	c := newClock()
	m := New(Options{Now: c.now, Ledger: newLedger(c)})
	take := func(b *Budget, owner string) {
		t.Helper()
		if err := m.Take(t.Context(), b, identity.Owner(owner), home); err != nil {
			t.Fatalf("%s of %q at %s: %v", b.Name, owner, c.t.Format(time.TimeOnly), err)
		}
	}
	for range Guests.Network.AtOnce {
		take(Guests, "")
	}
	for p := range 50 {
		for range 3 {
			take(Imports, fmt.Sprint("a_", p))
			take(Rotations, fmt.Sprint("a_", p))
		}
	}
	for range 20 {
		take(Imports, "a_file")
	}
	for range 21 { // ten keys, created and replaced, and a feed token
		take(Rotations, "a_keys")
	}
	for range 480 { // a folder with twelve full sub-tabs
		take(Writes, "g_agent")
	}
	for range 4 * 3600 / 2 {
		for range 3 {
			take(Writes, "g_zapper")
		}
		c.t = c.t.Add(2 * time.Second)
	}
}

// TestAttack counts what one connection gets through in a minute at the speed at which
// it was measured before there were budgets.
func TestAttack(t *testing.T) {
	for _, test := range []struct {
		b         *Budget
		perSecond int
		most      int // of 60 seconds
	}{
		{Writes, 524, 600 + 120},
		{Rotations, 711, 30 + 1},
		{Imports, 100, 30 + 3},
	} {
		c := newClock()
		m := New(Options{Now: c.now})
		through := 0
		for range 60 {
			for range test.perSecond {
				if m.Take(t.Context(), test.b, "g_attacker", home) == nil {
					through++
				}
			}
			c.t = c.t.Add(time.Second)
		}
		if through > test.most || through < test.b.Owner.AtOnce {
			t.Errorf("%s: %d of %d calls in a minute, want at most %d", test.b.Name, through, 60*test.perSecond, test.most)
		}
	}
}

// TestNeighbors checks that a caller who does not stop uses up its own allowance, and not
// that of the people behind the same address.
func TestNeighbors(t *testing.T) {
	c := newClock()
	m := New(Options{Now: c.now})
	for range 3 * Writes.Network.AtOnce {
		_ = m.Take(t.Context(), Writes, "g_attacker", home)
	}
	if err := m.Take(t.Context(), Writes, "g_neighbor", home); err != nil {
		t.Errorf("the neighbor: %v", err)
	}
	if err := m.Check(Writes, home); err != nil {
		t.Errorf("the network: %v", err)
	}
	for p := range 51 { // fifty-one owners use up what the network has
		for range Writes.Owner.AtOnce {
			_ = m.Take(t.Context(), Writes, identity.Owner(fmt.Sprint("g_", p)), home)
		}
	}
	if wait := retryAfter(t, m.Check(Writes, home)); wait != 1 {
		t.Errorf("the network is refused for %d s, want 1", wait)
	}
	if err := m.Take(t.Context(), Writes, "g_elsewhere", netip.MustParseAddr("192.0.2.2")); err != nil {
		t.Errorf("another network: %v", err)
	}
}

// TestNetworks checks which addresses are one network, and when it is allowed more.
func TestNetworks(t *testing.T) {
	const most = 30
	c := newClock()
	m := New(Options{Now: c.now})
	for _, step := range []struct {
		after time.Duration
		from  string // with %d in place of what differs from call to call
		calls int
		taken int
		wait  int // seconds, of the last call
	}{
		{0, "192.0.2.1", most + 5, most, 30},
		{0, "192.0.2.2", 1, 1, 0},
		{0, "::ffff:192.0.2.1", 1, 0, 30},
		{29 * time.Second, "192.0.2.1", 3, 0, 1},
		{500 * time.Millisecond, "192.0.2.1", 3, 0, 1},
		{500 * time.Millisecond, "192.0.2.1", 3, 1, 30},
		{time.Minute, "192.0.2.1", 3, 2, 30},
		{time.Hour, "192.0.2.1", most + 5, most, 30},
		{0, "2001:db8::%d", most + 5, most, 30},
		{0, "2001:db8:0:1::%d", 1, 1, 0},
	} {
		c.t = c.t.Add(step.after)
		taken, wait := 0, 0
		for i := range step.calls {
			from := step.from
			if strings.Contains(from, "%d") {
				from = fmt.Sprintf(from, i+1)
			}
			if wait = retryAfter(t, m.Take(t.Context(), Guests, "", netip.MustParseAddr(from))); wait == 0 {
				taken++
			}
		}
		if taken != step.taken || wait != step.wait {
			t.Errorf("at %s %s: %d calls, then wait %d s; want %d, %d s", c.t.Format(time.TimeOnly), step.from, taken, wait, step.taken, step.wait)
		}
	}
	if err := m.Take(t.Context(), Guests, "", netip.Addr{}); err != nil {
		t.Errorf("without an address: %v", err)
	}
}

// TestShared checks that two instances together allow no more guests than one, also when
// they are asked at the same time, and what that costs in documents.
func TestShared(t *testing.T) {
	c := newClock()
	l := newLedger(c)
	instances := []*Meter{New(Options{Now: c.now, Ledger: l}), New(Options{Now: c.now, Ledger: l})}
	if err := instances[0].Take(t.Context(), Guests, "", netip.MustParseAddr("192.0.2.9")); err != nil || l.draws != 1 {
		t.Errorf("the first guest: %v, %d transactions, want 1", err, l.draws)
	}
	l.draws = 0
	var mu sync.Mutex
	var all sync.WaitGroup
	taken := 0
	for i := range 60 {
		all.Go(func() {
			if instances[i%2].Take(t.Context(), Guests, "", home) == nil {
				mu.Lock()
				defer mu.Unlock()
				taken++
			}
		})
	}
	all.Wait()
	if taken != 30 || l.draws > 8 {
		t.Errorf("%d guests in %d transactions, want 30 in at most 8", taken, l.draws)
	}
	l.draws = 0
	for range 10_000 {
		_ = instances[0].Take(t.Context(), Guests, "", home)
	}
	if l.draws > 0 {
		t.Errorf("10,000 refused calls cost %d transactions, want none", l.draws)
	}
	c.t = c.t.Add(30 * time.Second)
	if err := instances[1].Take(t.Context(), Guests, "", home); err != nil {
		t.Errorf("half a minute later: %v", err)
	}
	if wait := retryAfter(t, instances[0].Take(t.Context(), Guests, "", home)); wait != 30 {
		t.Errorf("one more: wait %d s, want 30", wait)
	}
}

// TestSharedLoosely checks that the first rotations of an owner cost no document, and how
// many two instances allow together.
func TestSharedLoosely(t *testing.T) {
	c := newClock()
	l := newLedger(c)
	instances := []*Meter{New(Options{Now: c.now, Ledger: l}), New(Options{Now: c.now, Ledger: l})}
	for range Rotations.Owner.Unasked {
		if err := instances[0].Take(t.Context(), Rotations, "g_person", home); err != nil || l.draws != 0 {
			t.Fatalf("a person: %v, %d transactions", err, l.draws)
		}
	}
	taken := 0
	for i := range 200 {
		if instances[i%2].Take(t.Context(), Rotations, "g_attacker", home) == nil {
			taken++
		}
	}
	if most := Rotations.Owner.AtOnce + 2*Rotations.Owner.Unasked; taken > most || l.draws > 8 {
		t.Errorf("%d rotations in %d transactions, want at most %d in 8", taken, l.draws, most)
	}
}

// TestChunkExpires checks that what an instance took and did not use is not used twice:
// by this instance later, and by all when the bucket has it again.
func TestChunkExpires(t *testing.T) {
	c := newClock()
	l := newLedger(c)
	m := New(Options{Now: c.now, Ledger: l})
	_ = m.Take(t.Context(), Guests, "", home)
	c.t = c.t.Add(time.Duration(Guests.Network.Chunk) * Guests.Network.Every)
	if err := m.Take(t.Context(), Guests, "", home); err != nil || l.draws != 2 {
		t.Errorf("later: %v, %d transactions, want a second one", err, l.draws)
	}
}

// TestLedgerFails checks that each instance counts alone while the database fails, asks
// it once in a while, says so once, and does not take a caller who hung up for a failure.
func TestLedgerFails(t *testing.T) {
	c := newClock()
	l := newLedger(c)
	var log strings.Builder
	m := New(Options{Now: c.now, Ledger: l, Log: slog.New(slog.NewTextHandler(&log, nil))})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Take(gone, Guests, "", home); err != nil || l.draws != 1 || log.Len() > 0 {
		t.Errorf("a caller who hung up: %v, %d transactions, %s", err, l.draws, log.String())
	}
	l.fails, l.draws = errors.New("no route to host"), 0
	away := netip.MustParseAddr("192.0.2.2")
	taken := 0
	for range 100 {
		if m.Take(t.Context(), Guests, "", away) == nil {
			taken++
		}
	}
	if taken != Guests.Network.AtOnce || l.draws != 1 || strings.Count(log.String(), "no route to host") != 1 {
		t.Errorf("%d guests, %d transactions; the log: %s", taken, l.draws, log.String())
	}
	c.t = c.t.Add(Guests.Network.Every)
	if err := m.Take(t.Context(), Guests, "", away); err != nil || l.draws != 2 {
		t.Errorf("later: %v, %d transactions, want 2", err, l.draws)
	}
}

// TestLedgerFailsForMany checks that of the calls that wait for one document no second one
// asks a ledger that failed for the first: each could wait two seconds.
func TestLedgerFailsForMany(t *testing.T) {
	c := newClock()
	l := newLedger(c)
	l.fails = errors.New("no route to host")
	a := newAccount[string](&Options{Now: c.now, Ledger: l, Log: slog.New(slog.DiscardHandler)}, "guests", Guests.Network)
	waiting := a.share("network")
	for range 9 {
		if err := a.takeShared(t.Context(), waiting, "network"); err != nil || l.draws != 1 {
			t.Fatalf("%v, %d transactions, want 1", err, l.draws)
		}
	}
}

// TestSharesAreSweptSeldom checks that a crowd of subjects that fills the memory for them
// does not make every call look at all of them.
func TestSharesAreSweptSeldom(t *testing.T) {
	c := newClock()
	a := newAccount[int](&Options{Now: c.now, Ledger: newLedger(c), Log: slog.New(slog.DiscardHandler)}, "guests", Guests.Network)
	for i := range maxSubjects {
		a.share(i).until = c.t.Add(Guests.Network.Every)
	}
	if a.share(-1) != nil {
		t.Error("there is room for more subjects than fit")
	}
	a.share(0).until = c.t
	if a.share(-1) != nil {
		t.Error("all subjects were looked at again at once")
	}
	c.t = c.t.Add(Guests.Network.Every)
	if a.share(-1) == nil || len(a.shares) != 1 {
		t.Errorf("later %d subjects are there, want 1", len(a.shares))
	}
}

// TestLargerBudgets checks the settings that make budgets larger.
func TestLargerBudgets(t *testing.T) {
	m := New(Options{Now: newClock().now, Guests: 7, Factor: 10})
	for _, test := range []struct {
		b    *Budget
		want int
	}{{Guests, 7}, {Rotations, 300}} {
		taken := 0
		for m.Take(t.Context(), test.b, "g_one", home) == nil {
			taken++
		}
		if taken != test.want {
			t.Errorf("%s: %d calls, want %d", test.b.Name, taken, test.want)
		}
	}
}

// TestTable checks that the budgets hold together: a network has the allowance of many
// owners, a chunk is a part of the allowance, and names differ, since documents have them.
func TestTable(t *testing.T) {
	names := map[string]bool{}
	for _, b := range All() {
		if names[b.Name] {
			t.Errorf("two budgets are called %s", b.Name)
		}
		names[b.Name] = true
		if b.Network.AtOnce < 20*b.Owner.AtOnce || b.Owner.AtOnce > 0 && b.Network.Every*10 > b.Owner.Every {
			t.Errorf("%s: the network %+v is not worth ten owners %+v", b.Name, b.Network, b.Owner)
		}
		for _, a := range []Allowance{b.Owner, b.Network} {
			if a.Chunk > 0 && a.AtOnce < 4*a.Chunk || a.Unasked >= max(a.AtOnce, 1) {
				t.Errorf("%s: %+v", b.Name, a)
			}
		}
	}
}

// TestManyNetworks checks that callers who have very many IPv6 networks get the allowance
// of a few, cost few documents, and do not use up what their neighbors have.
func TestManyNetworks(t *testing.T) {
	c := newClock()
	l := newLedger(c)
	m := New(Options{Now: c.now, Ledger: l})
	guests := func(format string, networks int) (taken int) {
		for i := range networks {
			if m.Take(t.Context(), Guests, "", netip.MustParseAddr(fmt.Sprintf(format, i))) == nil {
				taken++
			}
		}
		return taken
	}
	const one = 30 // Guests.Network.AtOnce
	if n := guests("2001:db8:1:1%02x::1", 256) + guests("2001:db8:1:1%02x::2", 256); n != 4*one {
		t.Errorf("a /56: %d guests, want %d", n, 4*one)
	}
	if m.Check(Guests, netip.MustParseAddr("2001:db8:1:1ff::9")) == nil {
		t.Error("Check allows a call to a /56 that has none left")
	}
	if n := guests("2001:db8:1:2%02x::1", 30); n != 30 {
		t.Errorf("a neighbor in the same /48: %d guests, want 30", n)
	}
	if n := guests("2001:db8:2:%x::1", 1<<16); n != 16*one || l.draws > 1000 {
		t.Errorf("a /48: %d guests in %d transactions, want %d", n, l.draws, 16*one)
	}
	if n := guests("2001:db8:3:%x::1", 30); n != 30 {
		t.Errorf("another /48: %d guests, want 30", n)
	}
	if n := guests("192.0.2.%d", 256); n != 256 {
		t.Errorf("a /24: %d guests, want 256", n)
	}
	c.t = c.t.Add(Guests.Network.Every)
	if n := guests("2001:db8:2:%x::1", 1<<12); n != 16 {
		t.Errorf("the /48 half a minute later: %d guests, want 16", n)
	}
}

// TestNoLimits checks the meter that limits nothing.
func TestNoLimits(t *testing.T) {
	var m *Meter
	for range 1000 {
		if err := errors.Join(m.Check(Guests, home), m.Take(t.Context(), Guests, "", home)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRefused checks that each refusal is counted once, whether a call is checked or taken.
func TestRefused(t *testing.T) {
	c, refused := newClock(), map[string]int{}
	m := New(Options{Now: c.now, Guests: 2, Refused: func(budget string) { refused[budget]++ }})
	for range 2 {
		if err := m.Take(t.Context(), Guests, "", home); err != nil {
			t.Fatal(err)
		}
	}
	if m.Take(t.Context(), Guests, "", home) == nil || m.Check(Guests, home) == nil || m.Check(Writes, home) != nil {
		t.Error("the budget is not used up, or another one is")
	}
	if len(refused) != 1 || refused[Guests.Name] != 2 {
		t.Errorf("%v are refused, want 2 of %s", refused, Guests.Name)
	}
}

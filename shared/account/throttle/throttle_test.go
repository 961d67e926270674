package throttle

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

const address = "maria@exemplo.com.br"

// fast is a limit of which the tests reach every part.
var fast = Limit{"test/address", 2, time.Minute, time.Hour, MaxWait}

// A clock is the time of a test.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// ring returns a ring of one key.
func ring(t *testing.T, secret string) *keyring.Ring {
	t.Helper()
	keys, err := keyring.Parse(strings.Repeat(secret, 32))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// each runs a test on a Throttle of each backend, whose clock starts now, because
// the databases delete by their own clocks.
func each(t *testing.T, test func(t *testing.T, th *Throttle, c *clock, writers int)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, writers int) {
		c := &clock{time.Now()}
		test(t, New(db, ring(t, "a"), c.now), c, writers)
	})
}

// waitOf returns the seconds for which an attempt is refused, or 0.
func waitOf(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	if !errors.Is(err, ErrTooMany) {
		t.Fatal(err)
	}
	return fault.From(err).Fields["retry_after"].(int)
}

// TestAttempt goes through attempts at given seconds.
func TestAttempt(t *testing.T) {
	each(t, func(t *testing.T, th *Throttle, c *clock, _ int) {
		s, start := fast.Of(address), c.at
		for _, step := range []struct{ second, wait int }{
			{0, 0}, {0, 0}, // free
			{0, 60}, {20, 40}, {59, 1}, // an attempt within a wait does not prolong it
			{60, 0}, {61, 119},
			{180, 0}, {180, 240},
			{420, 0}, {900, 0}, {900, 900}, // the longest wait
			{1800, 0}, {1800, 900},
			{1800 + 3600, 0}, {1800 + 3600, 0}, {1800 + 3600, 60}, // forgotten
		} {
			c.at = start.Add(time.Duration(step.second) * time.Second)
			if got := waitOf(t, th.Attempt(t.Context(), s)); got != step.wait {
				t.Errorf("second %d: wait of %d s, want %d", step.second, got, step.wait)
			}
		}
	})
}

// TestClockAhead uses up the attempts while the clock is 30 days ahead. Once it is set
// right an attempt is free again, and counted as the first.
func TestClockAhead(t *testing.T) {
	each(t, func(t *testing.T, th *Throttle, c *clock, _ int) {
		s, right := fast.Of(address), c.at
		c.at = right.Add(30 * 24 * time.Hour)
		for range 3 {
			_ = th.Attempt(t.Context(), s) // the last has to wait
		}
		c.at = right
		for n, want := range []int{0, 0, 60} {
			if got := waitOf(t, th.Attempt(t.Context(), s)); got != want {
				t.Errorf("attempt %d with the right clock: wait of %d s, want %d", n, got, want)
			}
		}
	})
}

// TestCheck checks that a subject is looked at without being counted.
func TestCheck(t *testing.T) {
	each(t, func(t *testing.T, th *Throttle, c *clock, _ int) {
		s := Limit{"test/check", 1, time.Minute, time.Hour, 2 * time.Minute}.Of(address)
		check := func(want int) {
			t.Helper()
			for range 3 {
				if got := waitOf(t, th.Check(t.Context(), s)); got != want {
					t.Errorf("a wait of %d s, want %d", got, want)
				}
			}
		}
		check(0)
		for _, want := range []int{60, 120, 120} {
			if err := th.Attempt(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			check(want)
			c.at = c.at.Add(time.Duration(want) * time.Second)
			check(0)
		}
	})
}

// TestSubjects checks that subjects do not share counters, and that an attempt which
// one subject refuses counts for no other.
func TestSubjects(t *testing.T) {
	each(t, func(t *testing.T, th *Throttle, _ *clock, _ int) {
		network := Limit{"test/network", 4, time.Minute, time.Hour, MaxWait}.Of("192.0.2.1/32")
		for range 2 {
			if err := th.Attempt(t.Context(), fast.Of(address), network); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			if got := waitOf(t, th.Attempt(t.Context(), fast.Of(address), network)); got != 60 {
				t.Errorf("wait of %d s, want 60", got)
			}
		}
		for _, other := range []Subject{fast.Of("b" + address), Limit{"test/other", 2, time.Minute, time.Hour, MaxWait}.Of(address), network} {
			if err := th.Attempt(t.Context(), other); err != nil {
				t.Errorf("another subject: %v", err)
			}
		}
	})
}

// TestPass checks that the owner of an address can sign in from a known browser
// whatever others do, and that nobody else gains from it.
func TestPass(t *testing.T) {
	each(t, func(t *testing.T, th *Throttle, c *clock, _ int) {
		s := fast.Of(address)
		attempt := func(what, browser string, want int) {
			t.Helper()
			if got := waitOf(t, th.Attempt(t.Context(), s.From(browser))); got != want {
				t.Errorf("%s: wait of %d s, want %d", what, got, want)
			}
		}
		attempt("the first", "hers", 0)
		attempt("the second", "hers", 0)
		if err := th.Pass(t.Context(), s.From("hers")); err != nil {
			t.Fatal(err)
		}
		attempt("another browser after a success", "his", 0)
		attempt("another browser", "his", 0)
		attempt("another browser beyond the free ones", "his", 60)
		attempt("no browser", "", 60)
		attempt("the owner's browser meanwhile", "hers", 0)
		attempt("the owner's browser again", "hers", 0)
		attempt("the owner's browser beyond the free ones", "hers", 60)
		if err := th.Pass(t.Context(), s.From("hers")); err != nil {
			t.Fatal(err)
		}
		attempt("the owner's browser after another success", "hers", 0)
		attempt("another browser still", "his", 60)
		for n := range maxFamiliar {
			if err := th.Pass(t.Context(), s.From(fmt.Sprint("new", n))); err != nil {
				t.Fatal(err)
			}
		}
		attempt("a browser that gave way to newer ones, counted with the others", "hers", 0)
		attempt("one that gave way, again", "hers", 0)
		attempt("one that gave way, beyond the free ones", "hers", 60)
		attempt("a newer one", "new0", 0)
		c.at = c.at.Add(Familiar)
		attempt("after long", "new1", 0)
		attempt("one of others after long", "his", 0)
		attempt("no browser is familiar any more", "new1", 60)
	})
}

// TestAtOnce checks that attempts at the same moment cannot pass a limit together.
func TestAtOnce(t *testing.T) {
	each(t, func(t *testing.T, th *Throttle, _ *clock, writers int) {
		var group sync.WaitGroup
		var passed, refused atomic.Int32
		for range writers {
			group.Go(func() {
				switch err := th.Attempt(t.Context(), fast.Of(address)); {
				case err == nil:
					passed.Add(1)
				case errors.Is(err, ErrTooMany):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		group.Wait()
		if passed.Load() != 2 || int(refused.Load()) != writers-2 {
			t.Errorf("%d attempts passed and %d were refused, want 2 and %d", passed.Load(), refused.Load(), writers-2)
		}
	})
}

// TestDocuments checks what an attempt costs, and that the database learns neither
// the subject nor the browser.
func TestDocuments(t *testing.T) {
	meter := storetest.NewMeter(wiretest.OpenDB(t))
	th := New(meter, ring(t, "a"), time.Now)
	subjects := []Subject{fast.Of(address).From("cookie"), Limit{"test/network", 4, time.Minute, time.Hour, MaxWait}.Of("192.0.2.1/32")}
	if err := th.Attempt(t.Context(), subjects...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(storetest.Ops{Reads: 2, Writes: 2}, meter.Ops()); diff != "" {
		t.Errorf("an attempt (-want +got):\n%s", diff)
	}
	if err := th.Pass(t.Context(), subjects[0]); err != nil {
		t.Fatal(err)
	}
	found := 0
	for doc, err := range meter.Query(t.Context(), store.Query{Collection: "throttles"}) {
		var raw json.RawMessage
		if err != nil || doc.Decode(&raw) != nil {
			t.Fatal(err)
		}
		found++
		for _, secret := range []string{address, "maria", "192.0.2", "cookie"} {
			if text := doc.ID + string(raw); strings.Contains(text, secret) {
				t.Errorf("%q is in the document %s", secret, text)
			}
		}
		if !strings.Contains(string(raw), `"expire_at":"20`) {
			t.Errorf("the document %s never expires", raw)
		}
	}
	if found != 2 {
		t.Errorf("%d documents, want 2", found)
	}
}

// TestWithout checks that without a key or a database no attempt passes.
func TestWithout(t *testing.T) {
	for name, th := range map[string]*Throttle{
		"a key":      New(wiretest.OpenDB(t), nil, time.Now),
		"a database": New(storetest.Broken(), ring(t, "a"), time.Now),
	} {
		if err := th.Attempt(t.Context(), fast.Of(address)); !errors.Is(err, identity.ErrUnavailable) {
			t.Errorf("without %s: %v", name, err)
		}
		if err := th.Check(t.Context(), fast.Of(address)); !errors.Is(err, identity.ErrUnavailable) {
			t.Errorf("without %s Check returns %v", name, err)
		}
	}
}

// TestLimits checks each limit of the table.
func TestLimits(t *testing.T) {
	kinds := map[string]bool{}
	for _, l := range []Limit{
		PasswordOfAddress, PasswordOfNetwork, MailOfAddress, MailOfNetwork, CodeOfNetwork, FactorOfAccount, FactorOfNetwork,
		PasskeyOfNetwork, ChangeOfAccount, InviteOfAccount, InviteOfAddress, LinkOfAccount, LinkOfNetwork, PhotoOfAccount, ExportOfAccount,
		ContactOfNetwork, ContactOfPayer,
	} {
		if kinds[l.Kind] {
			t.Errorf("two limits are called %s", l.Kind)
		}
		kinds[l.Kind] = true
		if l.Free < 1 || l.First <= 0 || l.Forget <= l.Most {
			t.Errorf("%+v", l)
		}
		last := time.Duration(0)
		for n := range 100 {
			wait := l.wait(n)
			if wait < last || wait > l.Most || (wait == 0) != (n < l.Free) {
				t.Errorf("%s: attempt %d waits %v after %v", l.Kind, n, wait, last)
			}
			last = wait
		}
		if last != l.Most || l.wait(1<<40) != l.Most {
			t.Errorf("%s: the last wait is %v", l.Kind, last)
		}
	}
}

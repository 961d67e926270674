package visit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/agent"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"

// A line is a bus that keeps the events, or fails.
type line struct {
	bus.Bus
	events []bus.Event
	down   bool
}

func (l *line) Publish(_ context.Context, topic string, events ...bus.Event) error {
	if l.down {
		return errors.New("no answer")
	}
	if topic != Topic {
		return fmt.Errorf("topic %s", topic)
	}
	l.events = append(l.events, events...)
	return nil
}

// A world is an instance with its clock.
type world struct {
	*Taker
	line  *line
	clock time.Time
}

// newWorld returns an instance on a database and a bus.
func newWorld(db store.DB, l *line) *world {
	w := &world{line: l, clock: noon}
	now := func() time.Time { return w.clock }
	box := &outbox.Outbox{DB: db, Bus: l, Log: slog.New(slog.DiscardHandler), Now: now}
	w.Taker = NewTaker(box, identity.NewPeople(keyringtest.Ring(strings.Repeat("k", 32))), now)
	return w
}

func caller(n int, agent string) identity.Caller {
	return identity.Caller{Addr: netip.AddrFrom4([4]byte{203, 0, 113, byte(n)}), UserAgent: agent}
}

func (w *world) take(t *testing.T, c identity.Caller, k Kind) string {
	t.Helper()
	reason, err := w.Take(t.Context(), c, k)
	if err != nil {
		t.Fatal(err)
	}
	return reason
}

// TestTake counts persons on two instances and two days: each person once a day, at no
// cost in documents but those of the counter.
func TestTake(t *testing.T) {
	meter := storetest.NewMeter(wiretest.OpenDB(t))
	l := &line{}
	first, second := newWorld(meter, l), newWorld(meter, l)
	for _, step := range []struct {
		w    *world
		c    identity.Caller
		k    Kind
		want string
	}{
		{first, caller(1, firefox), Page, ""},
		{first, caller(1, firefox), Page, Again},
		{first, caller(1, firefox), Charge, ""},
		{second, caller(1, firefox), Page, ""}, // it cannot know, and publishes the same event
		{first, caller(2, firefox), Page, ""},
		{first, caller(2, "Mozilla/5.0 (iPhone) Safari/605.1.15"), Page, ""},
		{first, identity.Caller{Addr: caller(1, "").Addr, UserAgent: firefox, Guest: "g_1"}, Page, Again},
	} {
		if got := step.w.take(t, step.c, step.k); got != step.want {
			t.Errorf("%v %s: %q, want %q", step.c.Addr, step.k, got, step.want)
		}
	}
	first.clock = first.clock.Add(12 * time.Hour)
	if got := first.take(t, caller(1, firefox), Page); got != "" {
		t.Errorf("on the next day: %q", got)
	}
	if total := meter.Ops(); total != (storetest.Ops{}) {
		t.Errorf("taking visits costs %+v", total)
	}
	counter := fact.NewCounter(Book, fact.Options[*Counted]{DB: meter, Now: func() time.Time { return first.clock }})
	for range 2 { // every event comes twice
		for _, e := range l.events {
			if err := counter.Count(t.Context(), Topic, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := Read(t.Context(), meter, "2026-11-23", "2026-11-24", "2026-11-25")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Counts{{Pages: 3, Charges: 1}, {Pages: 1}, {}}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestOutage checks that a visit that could not be published is published by the next
// view.
func TestOutage(t *testing.T) {
	w := newWorld(wiretest.OpenDB(t), &line{down: true})
	for range 2 {
		if got := w.take(t, caller(1, firefox), Page); got != Unavailable {
			t.Errorf("without a bus: %q", got)
		}
	}
	w.line.down = false
	w.clock = w.clock.Add(time.Minute) // the outbox lets a bus that failed rest
	if got := w.take(t, caller(1, firefox), Page); got != "" || len(w.line.events) != 1 {
		t.Errorf("after that: %q, %d events", got, len(w.line.events))
	}
}

// TestMemory checks that a day with more persons than are remembered loses none.
func TestMemory(t *testing.T) {
	w := newWorld(wiretest.OpenDB(t), &line{})
	w.day, w.seen = identity.DayOf(noon), map[uint64]struct{}{}
	for n := range uint64(remembered) {
		w.seen[n] = struct{}{}
	}
	if got := w.take(t, caller(1, firefox), Page); got != "" || len(w.seen) != 1 {
		t.Errorf("a full memory: %q, %d remembered", got, len(w.seen))
	}
}

func TestAgents(t *testing.T) {
	for userAgent, want := range map[string]string{
		firefox: "",
		"Mozilla/5.0 (Linux; Android 13; CUBOT X70) AppleWebKit/537.36 Chrome/131.0 Mobile Safari/537.36": "",
		"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)":                         Bot,
		"facebookexternalhit/1.1":                                             Bot,
		"Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/131.0":                Bot,
		"Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://x)": Agent,
		"Mozilla/5.0 (compatible; ClaudeBot/1.0; +x@y.example)":               Agent,
		"curl/8.11.0":                           Agent,
		"python-requests/2.32":                  Agent,
		"":                                      Agent,
		"mm-smoke":                              Smoke,
		"Mozilla/5.0 MM-Smoke":                  Smoke,
		strings.Repeat("a", 1<<16) + "mozilla/": Agent,
	} {
		if got := refusals[agent.Classify(userAgent).Kind]; got != want {
			t.Errorf("%.60q is %q, want %q", userAgent, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	good := Visit{Key: strings.Repeat("0f", 16), Kind: Page, At: noon}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Visit){
		"no key":    func(v *Visit) { v.Key = "" },
		"upper key": func(v *Visit) { v.Key = strings.Repeat("0F", 16) },
		"no kind":   func(v *Visit) { v.Kind = "" },
		"no time":   func(v *Visit) { v.At = time.Time{} },
	} {
		v := good
		spoil(&v)
		if _, err := fact.Encode(v); !errors.Is(err, bus.ErrEvent) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package fact

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
	"miramundo.dev/shared/store/storetest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

// A visit is a fact that only these tests have: a page was visited for some
// seconds. This type, its document and one entry in the book are all that a new
// kind of facts needs.
type visit struct {
	ID      string    `json:"id"`
	Page    string    `json:"page"`
	Seconds int       `json:"seconds"`
	At      time.Time `json:"at"`
}

func (v visit) About() About { return About{"visits", v.ID, v.Page, v.At} }

func (v visit) Check() error {
	if v.Page == "" || v.Seconds < 0 {
		return errors.New("a visit needs a page and no negative time")
	}
	return nil
}

// visits is the document of a page.
type visits struct {
	Ledger
	Page    string `json:"page"`
	Visits  int    `json:"visits"`
	Seconds int    `json:"seconds"`
}

var pages = Book[*visits]{
	Collection: "pages",
	New:        func(page string) *visits { return &visits{Page: page} },
	Kinds: []Kind[*visits]{
		Of("visits", func(doc *visits, v visit) { doc.Visits++; doc.Seconds += v.Seconds }),
	},
}

// open returns a database in which the documents of a fixed clock never expire,
// on whichever day the test runs.
func open(t testing.TB) store.DB {
	t.Helper()
	f, err := sqlite.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := embedded.On(f, func() time.Time { return time.Unix(0, 0) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func aVisit(n int) visit { return visit{fmt.Sprint("v", n), "home", n, noon} }

func event(t testing.TB, f Fact) bus.Event {
	t.Helper()
	e, err := Encode(f)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func kept(t testing.TB, db store.DB) visits {
	t.Helper()
	var doc visits
	if err := db.Get(t.Context(), pages.Path("home"), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestNewKind counts a kind of facts that nothing but its book knows: each once.
func TestNewKind(t *testing.T) {
	if diff := cmp.Diff(bus.Topology{"visits": {"visits"}}, pages.Topology()); diff != "" {
		t.Errorf("topology (-want +got):\n%s", diff)
	}
	db := open(t)
	for range 2 {
		c := NewCounter(pages, Options[*visits]{DB: db, Now: clock})
		for n := range 10 {
			if err := c.Count(t.Context(), "visits", event(t, aVisit(n))); err != nil {
				t.Fatal(err)
			}
		}
	}
	doc := kept(t, db)
	if doc.Page != "home" || doc.Visits != 10 || doc.Seconds != 45 || doc.Revision != 10 || !doc.ChangedAt.Equal(noon) {
		t.Errorf("counts %d visits of %d s, revision %d", doc.Visits, doc.Seconds, doc.Revision)
	}
	if !doc.Has(aVisit(3).About()) || doc.Has(aVisit(30).About()) {
		t.Error("the ledger has facts that were not counted, or lacks others")
	}
}

// TestRefusals gives a counter what it must not count: nothing is written.
func TestRefusals(t *testing.T) {
	meter := storetest.NewMeter(open(t))
	c := NewCounter(pages, Options[*visits]{DB: meter, Now: clock})
	old, early := aVisit(1), aVisit(2)
	old.At, early.At = noon.Add(-(keepDays*day + time.Second)), noon.Add(day+time.Second)
	for name, test := range map[string]struct {
		subscription string
		e            bus.Event
		want         error
	}{
		"no subscription": {"none", event(t, aVisit(1)), bus.ErrSubscription},
		"no JSON":         {"visits", bus.Event{Data: []byte("{")}, bus.ErrEvent},
		"no version":      {"visits", bus.Event{Data: []byte(`{"body":{"page":"home"}}`)}, bus.ErrEvent},
		"not valid":       {"visits", bus.Event{Data: []byte(`{"v":1,"body":{"page":""}}`)}, bus.ErrEvent},
		"too long":        {"visits", bus.Event{Data: make([]byte, maxData+1)}, bus.ErrEvent},
		"forgotten day":   {"visits", event(t, old), bus.ErrEvent},
		"day to come":     {"visits", event(t, early), bus.ErrEvent},
	} {
		if err := c.Count(t.Context(), test.subscription, test.e); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	if ops := meter.Ops(); ops != (storetest.Ops{}) {
		t.Errorf("refused events cost %+v", ops)
	}
	if _, err := Encode(visit{}); !errors.Is(err, bus.ErrEvent) {
		t.Errorf("Encode of a visit without a page = %v", err)
	}
}

// TestNewerVersion fails for an event of a newer version, so that it comes again.
func TestNewerVersion(t *testing.T) {
	c := NewCounter(pages, Options[*visits]{DB: open(t), Now: clock})
	err := c.Count(t.Context(), "visits", bus.Event{Data: []byte(`{"v":2,"body":{"page":"home"}}`)})
	if err == nil || bus.Rejects(err) {
		t.Errorf("Count = %v, want an error that does not reject the event", err)
	}
}

// TestSpill counts more in a day than lies in the document, in batches of many
// sizes, and then all of it again by a counter of another process.
func TestSpill(t *testing.T) {
	db := open(t)
	facts := make([]item[*visits], 4*inline)
	for n := range facts {
		facts[n] = item[*visits]{aVisit(n), pages.Kinds[0]}
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2 {
		c := NewCounter(pages, Options[*visits]{DB: db, Now: clock})
		for rest := facts; len(rest) > 0; {
			n := min(1+rng.IntN(inline), len(rest))
			if _, err := c.count("home", rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		rng.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	}
	doc := kept(t, db)
	if doc.Visits != len(facts) {
		t.Errorf("%d visits are counted, want %d", doc.Visits, len(facts))
	}
	if seen := doc.Seen["2026-11-22"]; seen.Spilled != 1 || len(seen.Marks) > inline*8 {
		t.Errorf("%d documents of marks beside %d bytes", seen.Spilled, len(seen.Marks))
	}
}

// TestSpillFull begins another document of marks when one is full.
func TestSpillFull(t *testing.T) {
	db := open(t)
	full := spill{Marks: make([]byte, maxSpill*8), ExpireAt: store.At(time.Now().Add(day))}
	for i := range full.Marks {
		full.Marks[i] = byte(rand.Uint32())
	}
	doc := visits{Page: "home", Ledger: Ledger{Seen: map[string]Seen{"2026-11-22": {Marks: make([]byte, inline*8), Spilled: 1}}}}
	if err := errors.Join(
		db.Set(t.Context(), spillPath(pages.Path("home"), "2026-11-22", 0), full),
		db.Set(t.Context(), pages.Path("home"), doc),
	); err != nil {
		t.Fatal(err)
	}
	c := NewCounter(pages, Options[*visits]{DB: db, Now: clock})
	for range 2 {
		got, err := c.count("home", []item[*visits]{{aVisit(1), pages.Kinds[0]}})
		if err != nil || got.Visits != 1 || got.Seen["2026-11-22"].Spilled != 2 {
			t.Fatalf("%v, %d visits, %d documents", err, got.Visits, got.Seen["2026-11-22"].Spilled)
		}
	}
}

// TestKeepsMarksLongerThanEvents checks that a ledger recognizes an event for as long
// as the bus may deliver it: tried for the whole span of the policy and then replayed on
// the last day as a dead letter, with a day for clocks that differ.
func TestKeepsMarksLongerThanEvents(t *testing.T) {
	if life := bus.Patient.Span() + bus.Patient.Keep + day; life > keepDays*day {
		t.Errorf("the bus delivers an event for %v, and its mark is kept for %v", life, keepDays*day)
	}
}

// TestReplayTwice counts a fact, and again on each day until long after its mark is
// gone, beside facts of those days: it counts once.
func TestReplayTwice(t *testing.T) {
	now := noon
	db := open(t)
	c := NewCounter(pages, Options[*visits]{DB: db, Now: func() time.Time { return now }})
	old := event(t, aVisit(0))
	const days = 3 * keepDays
	refused := 0
	for n := range days {
		now = noon.Add(time.Duration(n) * day)
		err := c.Count(t.Context(), "visits", old)
		if bus.Rejects(err) {
			refused++
		} else if err != nil {
			t.Fatal(err)
		}
		v := aVisit(n + 1)
		v.At = now
		if err := c.Count(t.Context(), "visits", event(t, v)); err != nil {
			t.Fatal(err)
		}
	}
	if doc := kept(t, db); doc.Visits != 1+days || refused != days-keepDays-1 {
		t.Errorf("%d visits are counted, want %d; the old one was refused %d times", doc.Visits, 1+days, refused)
	}
}

// TestMarksOutliveWrongClock counts a fact by a counter whose clock is 30 days ahead,
// among facts of the days before. The marks of those are kept: counted again with the
// right clock, nothing changes.
func TestMarksOutliveWrongClock(t *testing.T) {
	db := open(t)
	now := noon
	c := NewCounter(pages, Options[*visits]{DB: db, Now: func() time.Time { return now }})
	events := make([]bus.Event, 10)
	for n := range events {
		v := aVisit(n)
		v.At = noon.Add(-time.Duration(n) * day)
		events[n] = event(t, v)
	}
	count := func(some []bus.Event) {
		t.Helper()
		for _, e := range some {
			if err := c.Count(t.Context(), "visits", e); err != nil {
				t.Fatal(err)
			}
		}
	}
	count(events[1:])
	now = noon.Add(30 * day)
	count(events[:1])
	now = noon
	count(events)
	if doc := kept(t, db); doc.Visits != len(events) {
		t.Errorf("%d visits are counted, want %d", doc.Visits, len(events))
	}
}

// TestForget drops the marks of days whose facts are refused.
func TestForget(t *testing.T) {
	db := open(t)
	now := noon
	c := NewCounter(pages, Options[*visits]{DB: db, Now: func() time.Time { return now }})
	for n := range 3 * keepDays {
		now = noon.Add(time.Duration(n) * day)
		v := aVisit(n)
		v.At = now
		if err := c.Count(t.Context(), "visits", event(t, v)); err != nil {
			t.Fatal(err)
		}
	}
	if doc := kept(t, db); len(doc.Seen) > keepDays+2 || doc.Visits != 3*keepDays {
		t.Errorf("the marks of %d days are kept of %d visits", len(doc.Seen), doc.Visits)
	}
}

// TestThen acknowledges a fact only when Then has, and passes its error on.
func TestThen(t *testing.T) {
	lost := errors.New("lost")
	results := []error{lost, nil}
	c := NewCounter(pages, Options[*visits]{DB: open(t), Now: clock, Then: func(page string, doc *visits, done func(error)) {
		if page != "home" || doc.Visits != 1 {
			t.Errorf("%s has %d visits", page, doc.Visits)
		}
		err := results[0]
		results = results[1:]
		go done(err)
	}})
	for _, want := range []error{lost, nil} {
		if err := c.Count(t.Context(), "visits", event(t, aVisit(1))); !errors.Is(err, want) {
			t.Errorf("Count = %v, want %v", err, want)
		}
	}
}

// TestPanics returns an error for a fact that panics, and counts the next.
func TestPanics(t *testing.T) {
	book := pages
	book.Kinds = []Kind[*visits]{Of("visits", func(doc *visits, v visit) {
		if doc.Visits++; v.Seconds == 13 {
			panic("thirteen")
		}
	})}
	db := open(t)
	c := NewCounter(book, Options[*visits]{DB: db, Now: clock})
	for n := range 20 {
		if err := c.Count(t.Context(), "visits", event(t, aVisit(n))); (err != nil) != (n == 13) {
			t.Errorf("visit %d: %v", n, err)
		}
	}
	if doc := kept(t, db); doc.Visits != 19 {
		t.Errorf("%d visits are counted", doc.Visits)
	}
}

// TestOneBad has a fact among others of a batch whose document would be too
// large: it is refused alone.
func TestOneBad(t *testing.T) {
	book := pages
	book.Kinds = []Kind[*visits]{Of("visits", func(doc *visits, v visit) {
		if doc.Visits++; v.Seconds == 13 {
			doc.Page = strings.Repeat("x", store.MaxSize)
		}
	})}
	db := open(t)
	c := NewCounter(book, Options[*visits]{DB: db, Now: clock, Gather: 20 * time.Millisecond})
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			if err := c.Count(t.Context(), "visits", event(t, aVisit(n))); errors.Is(err, store.ErrTooLarge) != (n == 13) {
				t.Errorf("visit %d: %v", n, err)
			}
		})
	}
	all.Wait()
	if doc := kept(t, db); doc.Visits != 19 {
		t.Errorf("%d visits are counted", doc.Visits)
	}
}

// TestBatches adds items of a key while its first batch is processed: they wait
// for their turn, and items of another key do not wait for them.
func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var done []string
		proceed := make(chan struct{})
		b := NewBatches(0, func(key string, batch []int) {
			if key == "slow" {
				<-proceed
			}
			mu.Lock()
			defer mu.Unlock()
			done = append(done, fmt.Sprint(key, len(batch)))
		})
		b.Add("slow", 0)
		synctest.Wait()
		for n := range maxBatch + 99 {
			b.Add("slow", n)
		}
		b.Add("quick", 0)
		synctest.Wait()
		for range 3 {
			proceed <- struct{}{}
			synctest.Wait()
		}
		if diff := cmp.Diff([]string{"quick1", "slow1", "slow500", "slow99"}, done); diff != "" {
			t.Errorf("batches (-want +got):\n%s", diff)
		}
		if len(b.items) > 0 {
			t.Errorf("%d keys are remembered", len(b.items))
		}
	})
}

// TestSeveral counts the facts of two books by one counter, and refuses a subscription
// of neither.
func TestSeveral(t *testing.T) {
	db := open(t)
	other := pages
	other.Collection = "others"
	other.Kinds = []Kind[*visits]{Of("others", func(doc *visits, v visit) { doc.Visits += 10 })}
	o := Options[*visits]{DB: db, Now: clock}
	s := Several{NewCounter(pages, o), NewCounter(other, o)}
	for _, subscription := range []string{"visits", "others"} {
		if err := s.Count(t.Context(), subscription, event(t, aVisit(1))); err != nil {
			t.Errorf("%s: %v", subscription, err)
		}
	}
	var doc visits
	if err := db.Get(t.Context(), other.Path("home"), &doc); err != nil || doc.Visits != 10 || kept(t, db).Visits != 1 {
		t.Errorf("the second book has %d visits, %v; the first %d", doc.Visits, err, kept(t, db).Visits)
	}
	for _, s := range []Several{s, nil} {
		if err := s.Count(t.Context(), "none", event(t, aVisit(1))); !errors.Is(err, bus.ErrSubscription) {
			t.Errorf("of no book: %v", err)
		}
	}
}

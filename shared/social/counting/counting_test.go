package counting

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/bustest"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
)

func fresh(t testing.TB) world { return open(t, filepath.Join(t.TempDir(), "db")) }

func event(t testing.TB, f interface{ Event() (bus.Event, error) }) bus.Event {
	t.Helper()
	e, err := f.Event()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func aReport(n int) social.Report {
	return social.Report{
		Key: fmt.Sprintf("%064x", n), Channel: "RecordNews.br", OK: true,
		Browser: "Chrome", OS: "Windows", Country: "BR", At: noon,
	}
}

// one of each kind of fact, all of one channel.
var (
	aPlay    = social.Play{Key: strings.Repeat("0f", 16), Channel: "RecordNews.br", Day: "2026-11-22", Country: "BR", At: noon}
	aLatency = social.Latency{Key: "K1", Channel: "RecordNews.br", Day: "2026-11-22", Country: "PT", Samples: 3, SumMS: 900, LastAt: noon}
	aHeart   = social.Favorite{Key: strings.Repeat("1e", 16), Channel: "RecordNews.br", Delta: 1, At: noon}
	aComment = social.Comment{Key: strings.Repeat("2d", 16), Channel: "RecordNews.br", Delta: 1, At: noon}
)

// TestKinds counts one fact of each kind, twice. What has the same key in
// another topic is another fact.
func TestKinds(t *testing.T) {
	w := fresh(t)
	c := New(Options{DB: w.db, Now: clock})
	other := aComment
	other.Key = aHeart.Key
	for range 2 {
		for _, one := range []struct {
			topic string
			e     bus.Event
		}{
			{social.Plays, event(t, aPlay)}, {social.Latencies, event(t, aLatency)}, {social.Favorites, event(t, aHeart)},
			{social.Comments, event(t, aComment)}, {social.Comments, event(t, other)}, {social.Reports, event(t, aReport(1))},
		} {
			if err := c.Count(t.Context(), one.topic, one.e); err != nil {
				t.Fatalf("%s: %v", one.topic, err)
			}
		}
	}
	at := store.At(noon)
	want := social.Counts{
		Plays: 1, Favorites: 1, Comments: 2, Played: 1, LastOKAt: at,
		Environments: map[string]social.Environment{"Chrome|Windows|BR": {Plays: 1, LastAt: at}},
		Latency:      map[string]social.Wait{"PT": {Samples: 3, SumMS: 900, LastAt: at}},
	}
	compare(t.Context(), t, w.db, map[string]social.Counts{"RecordNews.br": want})
}

// TestRefusals gives the counter what it must not count: nothing is written.
func TestRefusals(t *testing.T) {
	w := fresh(t)
	meter := storetest.NewMeter(w.db)
	c := New(Options{DB: meter, Now: clock})
	old, early := aReport(1), aReport(2)
	old.At, early.At = noon.Add(-(31*24*time.Hour + time.Second)), noon.Add(24*time.Hour+time.Second)
	for name, test := range map[string]struct {
		subscription string
		e            bus.Event
		want         error
	}{
		"no event":        {social.Reports, bus.Event{}, bus.ErrEvent},
		"no JSON":         {social.Reports, bus.Event{Data: []byte("{")}, bus.ErrEvent},
		"of another":      {social.Plays, event(t, aReport(1)), bus.ErrEvent},
		"no subscription": {"none", event(t, aReport(1)), bus.ErrSubscription},
		"forgotten day":   {social.Reports, event(t, old), bus.ErrEvent},
		"day to come":     {social.Reports, event(t, early), bus.ErrEvent},
	} {
		if err := c.Count(t.Context(), test.subscription, test.e); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	if ops := meter.Ops(); ops != (storetest.Ops{}) {
		t.Errorf("refused events take %+v", ops)
	}
}

// TestPoison has events that nobody can read among good ones: they end with the
// dead letters, and the good ones are counted.
func TestPoison(t *testing.T) {
	w := fresh(t)
	events := []bus.Event{{Data: []byte("poison")}}
	for n := range 50 {
		events = append(events, event(t, aReport(n)), bus.Event{Data: fmt.Appendf(nil, `{"v":1,"body":{"key":"%d"}}`, n)})
	}
	if err := w.bus.Publish(t.Context(), social.Reports, events...); err != nil {
		t.Fatal(err)
	}
	all := &tally{ids: map[string]bool{}, some: make(chan struct{}, len(events))}
	stop := live(t.Context(), t, w, all)
	for range 50 {
		<-all.some
	}
	until(t, func() bool {
		dead, err := w.bus.DeadLetters(t.Context(), social.Reports, 100)
		return err == nil && len(dead) == 51
	})
	stop()
	got, err := social.ReadCounts(t.Context(), w.db, "RecordNews.br")
	if err != nil || got.Plays != 50 {
		t.Errorf("%d plays are counted, %v, want 50", got.Plays, err)
	}
}

// until polls what another goroutine brings about.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 4000 {
		if ok() {
			return
		}
		<-tick.C
	}
	t.Fatal("it does not come about")
}

// TestOutage takes the database away while facts come: none is counted that
// was not said to be, and all are once it is back.
func TestOutage(t *testing.T) {
	w := fresh(t)
	s := storetest.NewSwitch(w.db)
	c := New(Options{DB: s, Now: clock})
	for n := range 60 {
		s.OffAfter(n % 4)
		err := c.Count(t.Context(), social.Reports, event(t, aReport(n)))
		if n%4 < 2 && err == nil {
			t.Errorf("report %d counts without a database", n)
		}
		s.On()
		if err := c.Count(t.Context(), social.Reports, event(t, aReport(n))); err != nil {
			t.Fatal(err)
		}
	}
	at := store.At(noon)
	want := social.Counts{Plays: 60, LastOKAt: at, Environments: map[string]social.Environment{"Chrome|Windows|BR": {Plays: 60, LastAt: at}}}
	compare(t.Context(), t, w.db, map[string]social.Counts{"RecordNews.br": want})
}

// TestCounters has three counters on one file, as three processes are, count
// the same facts of a few channels at once.
func TestCounters(t *testing.T) {
	file := filepath.Join(t.TempDir(), "db")
	events, truth := deliveries(t, rand.New(rand.NewPCG(7, 8)), 150, 3)
	var all errgroup.Group
	for range 3 {
		w := open(t, file)
		c := New(Options{DB: w.db, Now: clock})
		for _, e := range events {
			all.Go(func() error { return c.Count(t.Context(), social.Reports, e) })
		}
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	compare(t.Context(), t, open(t, file).db, truth)
}

// TestUnruly receives from a bus that gives everything twice and out of order.
func TestUnruly(t *testing.T) {
	w := fresh(t)
	w.bus = bustest.Unruly(w.bus)
	events, truth := deliveries(t, rand.New(rand.NewPCG(9, 10)), 200, 10)
	publish(t.Context(), t, w.bus, events)
	consume(t, w, len(events), 9)
	compare(t.Context(), t, w.db, truth)
}

// TestReceive ends with its context, and with a bus that does not answer.
func TestReceive(t *testing.T) {
	c := New(Options{DB: storetest.Broken(), Now: clock})
	if err := c.Receive(t.Context(), bustest.Broken()); !errors.Is(err, bustest.ErrBroken) {
		t.Errorf("Receive = %v, want ErrBroken", err)
	}
}

// TestOps holds what counting costs: of a batch, two reads and two writes.
func TestOps(t *testing.T) {
	meter := storetest.NewMeter(fresh(t).db)
	c := New(Options{DB: meter, Now: clock, Gather: 20 * time.Millisecond})
	var all sync.WaitGroup
	for n := range 100 {
		all.Go(func() {
			if err := c.Count(t.Context(), social.Reports, event(t, aReport(n))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if ops := meter.Ops(); ops.Writes > 10 || ops.Reads > 10 {
		t.Errorf("100 reports at once take %+v", ops)
	}
	before := meter.Ops()
	if err := c.Count(t.Context(), social.Reports, event(t, aReport(1))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(storetest.Ops{Reads: 2}, meter.Ops().Less(before)); diff != "" {
		t.Errorf("a report that was counted (-want +got):\n%s", diff)
	}
	if err := c.Count(t.Context(), social.Reports, event(t, aReport(1000))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(storetest.Ops{Reads: 4, Writes: 2}, meter.Ops().Less(before)); diff != "" {
		t.Errorf("and one that was not (-want +got):\n%s", diff)
	}
}

// TestRefresh leaves what is shown to a later call, which does what is needed:
// also after it was stopped at any write.
func TestRefresh(t *testing.T) {
	w := fresh(t)
	s := storetest.NewSwitch(w.db)
	now := noon
	events, truth := deliveries(t, rand.New(rand.NewPCG(13, 14)), 120, 40)
	c := New(Options{DB: w.db, Now: func() time.Time { return now }, Later: true})
	for n, e := range events {
		if err := c.Count(t.Context(), social.Reports, e); err != nil {
			t.Fatal(err)
		}
		now = now.Add(7 * time.Second)
		if n%20 == 0 {
			s.OffAfter(n % 9)
			if _, err := Refresh(t.Context(), s, now); err != nil && !errors.Is(err, storetest.ErrBroken) {
				t.Fatal(err)
			}
			s.On()
		}
	}
	if _, err := Refresh(t.Context(), s, now); err != nil {
		t.Fatal(err)
	}
	compare(t.Context(), t, w.db, truth)
}

// TestRefreshFastClock counts a report by a clock that is a year fast, and
// another by one that is right: both are shown, and what was shown before is not
// read again. So is what comes after a cursor that was moved into the future.
func TestRefreshFastClock(t *testing.T) {
	w := fresh(t)
	now := noon
	count := func(n int, clock time.Time) {
		t.Helper()
		r := aReport(n)
		r.Channel, r.At = fmt.Sprintf("Channel%d.br", n), clock
		c := New(Options{DB: w.db, Now: func() time.Time { return clock }, Later: true})
		if err := c.Count(t.Context(), social.Reports, event(t, r)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(n, changed int) {
		t.Helper()
		if done, err := Refresh(t.Context(), w.db, now); err != nil || done.Channels != changed {
			t.Fatalf("%+v, %v; want %d channels", done, err, changed)
		}
		o := social.FollowOverlay(t.Context(), overlay.NewSet(w.db, slog.New(slog.DiscardHandler), time.Now))
		if err := o.Loaded(t.Context()); err != nil {
			t.Fatal(err)
		}
		if o.Plays(fmt.Sprintf("Channel%d.br", n)) != 1 {
			t.Errorf("the report of channel %d is not shown", n)
		}
	}
	count(0, noon.Add(-time.Hour))
	count(2, noon.AddDate(1, 0, 0))
	check(2, 2)
	now = now.Add(time.Hour)
	count(4, now)
	check(4, 2)
	if err := w.db.Set(t.Context(), cursorPath, cursor{store.At(noon.AddDate(1, 0, 0))}); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	count(6, now)
	check(6, 4)
}

// TestRefreshOps has nothing to do when nothing has changed but a moment ago.
func TestRefreshOps(t *testing.T) {
	meter := storetest.NewMeter(fresh(t).db)
	if done, err := Refresh(t.Context(), meter, noon); err != nil || done != (Refreshed{}) {
		t.Errorf("of nothing: %+v, %v", done, err)
	}
	now := noon
	c := New(Options{DB: meter, Now: func() time.Time { return now }, Later: true})
	for n := range 10 {
		r := aReport(n)
		r.Channel = fmt.Sprintf("Channel%d.br", n)
		now = now.Add(2 * lookBack)
		if err := c.Count(t.Context(), social.Reports, event(t, r)); err != nil {
			t.Fatal(err)
		}
	}
	before := meter.Ops()
	if done, err := Refresh(t.Context(), meter, now); err != nil || done.Channels != 10 {
		t.Errorf("%+v, %v, want 10 channels", done, err)
	}
	if ops := meter.Ops().Less(before); ops.Writes > 11 || ops.Reads > 21 {
		t.Errorf("10 channels take %+v", ops)
	}
	before = meter.Ops()
	if done, err := Refresh(t.Context(), meter, now); err != nil || done.Channels != 1 {
		t.Errorf("again: %+v, %v, want the last one", done, err)
	}
	if ops := meter.Ops().Less(before); ops.Writes > 0 || ops.Reads > 3 {
		t.Errorf("and that takes %+v", ops)
	}
}

func BenchmarkCount(b *testing.B) {
	c := New(Options{DB: fresh(b).db, Now: clock})
	n := 0
	for b.Loop() {
		n++
		if err := c.Count(b.Context(), social.Reports, event(b, aReport(n))); err != nil {
			b.Fatal(err)
		}
	}
}

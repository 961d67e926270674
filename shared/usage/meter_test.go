package usage

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/agent"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

const (
	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"
	gptbot  = "Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://x)"
)

// A line is a bus that keeps the events. It can fail, before or after it has kept
// them.
type line struct {
	bus.Bus
	mu       sync.Mutex
	events   []bus.Event
	down     bool
	unheard  bool // it keeps events and reports a failure
	attempts int
}

func (l *line) Publish(_ context.Context, topic string, events ...bus.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attempts++
	if topic != Topic {
		return fmt.Errorf("topic %s", topic)
	}
	if l.down {
		return errors.New("no answer")
	}
	l.events = append(l.events, events...)
	if l.unheard {
		return errors.New("the answer is late")
	}
	return nil
}

func (l *line) tallies(t *testing.T) (all []Tally) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		tally, err := fact.Decode[Tally](e)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tally)
	}
	return all
}

var people = identity.NewPeople(keyringtest.Ring(strings.Repeat("k", 32)))

// newMeter returns a meter that publishes only when it is asked to.
func newMeter(t testing.TB, l *line, now func() time.Time) *Meter {
	m := NewMeter(Options{Bus: l, People: people, Now: now, Every: 1000 * time.Hour})
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func at(d time.Duration) func() time.Time { return func() time.Time { return noon.Add(d) } }

func caller(n int) identity.Caller {
	return identity.Caller{Addr: netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), UserAgent: firefox}
}

// search is an answer to a search by a browser.
var search = Answer{Route: "GET /api/channels", Surface: API, Agent: firefox, Status: 200, Bytes: 18_000, Took: 7 * time.Millisecond, At: noon}

// TestMeter counts calls of every kind, and publishes them as one tally.
func TestMeter(t *testing.T) {
	l := &line{}
	m := newMeter(t, l, at(0))
	for _, change := range []func(*Answer){
		func(*Answer) {},
		func(a *Answer) { a.Status, a.Took = 503, time.Hour },
		func(a *Answer) { a.Status, a.Agent = 404, gptbot },
		func(a *Answer) { a.Route, a.Surface, a.Status = "", Internal, 404 },
		func(a *Answer) { a.Route, a.Surface, a.Agent = "GET /assets/{file}", Files, "curl/8" },
		func(a *Answer) { a.Route, a.Surface, a.Status, a.Took = "GET /ws", Chat, 101, time.Hour },
	} {
		a := search
		change(&a)
		m.Answered(a)
	}
	for n := range 3 {
		m.Visitor(caller(n%2), noon)
		m.Play(strings.Repeat(fmt.Sprint(n%2), 32), noon)
		m.Add(Tools, "search_channels")
	}
	m.Play("no key", noon)
	for range 2 { // the second time there is nothing to publish
		if err := m.Publish(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	all := l.tallies(t)
	if len(all) != 1 {
		t.Fatalf("%d events", len(all))
	}
	got := all[0].Counts
	for name, want := range map[string]int64{Visitors: 2, Plays: 2} {
		if n := got.Sketches[name].Estimate(); n != want {
			t.Errorf("%d %s, want %d", n, name, want)
		}
	}
	got.Sketches = nil
	want := Counts{
		Routes: map[string]Route{
			"GET /api/channels":  {Calls: 3, Client: 1, Server: 1, Bytes: 54_000, Times: Times{1: 2, 9: 1}},
			"GET /assets/{file}": {Calls: 1, Bytes: 18_000, Times: Times{1: 1}},
			"GET /ws":            {Calls: 1, Bytes: 18_000},
			Unmatched:            {Calls: 1, Client: 1, Bytes: 18_000, Times: Times{1: 1}},
		},
		Labels: map[string]int64{
			"calls/api/person": 2, "calls/api/assistant": 1, "calls/chat/person": 1, "assistants/OpenAI": 1, "tools/search_channels": 3,
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for name, check := range map[string]struct{ got, want int64 }{
		"calls of the API":           {got.Calls(API), 3},
		"calls by people":            {got.Calls(API, agent.Person), 2},
		"OpenAI":                     {got.Assistants()["OpenAI"], 1},
		"all bytes":                  {got.Total().Bytes, 6 * 18_000},
		"searches without a fault":   {got.Routes["GET /api/channels"].OK(), 1},
		"the tool":                   {got.Family(Tools)["search_channels"], 3},
		"the time of the last count": {all[0].At.Unix(), noon.Unix()},
	} {
		if check.got != check.want {
			t.Errorf("%s: %d, want %d", name, check.got, check.want)
		}
	}
}

// TestSteady checks that counting what was counted before allocates nothing.
func TestSteady(t *testing.T) {
	m := newMeter(t, &line{}, at(0))
	count := func() {
		m.Answered(search)
		a := search
		a.Agent = gptbot
		m.Answered(a)
		m.Visitor(caller(1), noon)
	}
	count()
	if n := testing.AllocsPerRun(1000, count); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestRhythm publishes once a minute while something is counted, nothing while
// nothing is, and the rest when the meter is closed.
func TestRhythm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{}
		m := NewMeter(Options{Bus: l, People: people})
		for range 150 {
			m.Answered(Answer{At: time.Now()})
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if n := len(l.tallies(t)); n != 2 {
			t.Errorf("%d events in two and a half minutes, want 2", n)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := len(l.tallies(t)); n != 3 {
			t.Errorf("%d events after an idle hour, want 3", n)
		}
		m.Answered(Answer{At: time.Now()})
		for range 2 {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
		var calls int64
		for _, tally := range l.tallies(t) {
			calls += tally.Total().Calls
		}
		if n := len(l.tallies(t)); n != 4 || calls != 151 {
			t.Errorf("%d events with %d calls in the end, want 4 with 151", n, calls)
		}
	})
}

// TestOutage counts for hours while the bus fails: everything is published when it
// answers again, in few events.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{down: true}
		m := NewMeter(Options{Bus: l, People: people})
		begin := time.Now()
		for range 600 {
			m.Answered(Answer{At: begin}) // on one day
			time.Sleep(time.Minute)
		}
		l.mu.Lock()
		l.down = false
		l.mu.Unlock()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		var calls int64
		all := l.tallies(t)
		for _, tally := range all {
			calls += tally.Total().Calls
		}
		if n := len(all); calls != 600 || n > maxWaiting+1 {
			t.Errorf("%d calls in %d events, want 600 in at most %d", calls, n, maxWaiting+1)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestTogether counts in many goroutines while others publish: nothing is lost and
// nothing is counted twice.
func TestTogether(t *testing.T) {
	const goroutines, times = 8, 2000
	l := &line{}
	m := newMeter(t, l, at(0))
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for n := range times {
				m.Answered(search)
				m.Visitor(caller(n), noon)
				if m.Add(Tools, "search_channels"); n%100 == g {
					if err := m.Publish(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	var sum Counts
	keys := map[string]bool{}
	for _, tally := range l.tallies(t) {
		if keys[tally.Key] {
			t.Errorf("the tally %s comes twice", tally.Key)
		}
		keys[tally.Key] = true
		sum.Add(tally.Counts)
	}
	if n, tools := sum.Total().Calls, sum.Family(Tools)["search_channels"]; n != goroutines*times || tools != n {
		t.Errorf("%d calls and %d tools are published, want %d", n, tools, goroutines*times)
	}
	if n := sum.Sketches[Visitors].Estimate(); n < times*98/100 || n > times*102/100 {
		t.Errorf("%d visitors, want about %d", n, times)
	}
}

// TestCloseAfterOutage closes a meter when the bus answers again after hours: Close
// publishes the tallies that waited, and what was counted after them.
func TestCloseAfterOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{down: true}
		m := NewMeter(Options{Bus: l, People: people})
		begin := time.Now()
		const calls = maxWaiting + 30
		for range calls {
			m.Answered(Answer{At: begin})
			time.Sleep(time.Minute + time.Second)
		}
		l.mu.Lock()
		l.down = false
		l.mu.Unlock()
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		var published int64
		for _, tally := range l.tallies(t) {
			published += tally.Total().Calls
		}
		if published != calls {
			t.Errorf("%d of %d calls were published", published, calls)
		}
	})
}

// A slowLine is a bus that takes as long as it is allowed to and then fails.
type slowLine struct{ bus.Bus }

func (slowLine) Publish(ctx context.Context, _ string, _ ...bus.Event) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestCloseSlowBus closes a meter while it publishes to a bus that does not answer:
// Close takes no longer than it promises.
func TestCloseSlowBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMeter(Options{Bus: slowLine{}, People: people})
		m.Answered(Answer{At: time.Now()})
		time.Sleep(minute + time.Second) // it is publishing
		synctest.Wait()
		begin := time.Now()
		if err := m.Close(); err == nil || !strings.Contains(err.Error(), "1 tallies were not published") {
			t.Errorf("Close = %v", err)
		}
		if took := time.Since(begin); took > closeTime {
			t.Errorf("Close took %v", took)
		}
	})
}

// TestOddNames counts names that an event may not have: they do not make the counts
// beside them invalid.
func TestOddNames(t *testing.T) {
	l := &line{}
	m := newMeter(t, l, at(0))
	m.Answered(search)
	m.Add(Tools, strings.Repeat("x", maxName))
	m.Add(Tools, strings.Repeat("\xff", maxName/2)) // encoded, each byte is three
	if err := m.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := l.tallies(t)
	if len(all) != 1 || all[0].Total().Calls != 1 || all[0].Labels["tools/other"] != 2 {
		t.Errorf("the tallies are %v", all)
	}
}

// TestRepeatedTally publishes a tally again when the bus reports a failure although it
// has the event: both have one key.
func TestRepeatedTally(t *testing.T) {
	l := &line{unheard: true}
	m := newMeter(t, l, at(0))
	m.Answered(search)
	if err := m.Publish(t.Context()); err == nil {
		t.Error("a failure of the bus is not reported")
	}
	l.unheard = false
	m.Answered(search)
	if err := m.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := l.tallies(t)
	if len(all) != 3 || all[0].Key != all[1].Key || all[1].Key == all[2].Key {
		t.Fatalf("%d tallies", len(all))
	}
	if d := cmp.Diff(all[0], all[1]); d != "" {
		t.Errorf("the repeated tally differs: %s", d)
	}
}

// TestLost checks that a meter says what is lost when the bus fails to the end.
func TestLost(t *testing.T) {
	m := NewMeter(Options{Bus: &line{down: true}, People: people, Now: at(0)})
	m.Answered(search)
	if err := m.Close(); err == nil || !strings.Contains(err.Error(), "1 tallies were not published") {
		t.Errorf("Close = %v", err)
	}
	var none *Meter
	none.Add(Tools, "x")
	none.Play("", noon)
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

// TestMidnight counts before, at and after midnight, and once by a clock that was set
// back: each tally is of one day.
func TestMidnight(t *testing.T) {
	l := &line{}
	m := newMeter(t, l, at(12*time.Hour))
	for _, after := range []time.Duration{12*time.Hour - 1, 12 * time.Hour, 13 * time.Hour, 11 * time.Hour} {
		a := search
		a.At = noon.Add(after)
		m.Answered(a)
		if after >= 12*time.Hour-1 {
			m.Visitor(caller(1), a.At)
		}
	}
	if err := m.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tally := range l.tallies(t) {
		got = append(got, fmt.Sprintf("%s %d %d", tally.About().Day(), tally.Total().Calls, tally.Sketches[Visitors].Estimate()))
	}
	if d := cmp.Diff([]string{"2026-11-23 1 1", "2026-11-24 3 1"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestManyNames counts more names than a tally has room for: the rest count under one
// name of their family, and the event is valid.
func TestManyNames(t *testing.T) {
	l := &line{}
	m := newMeter(t, l, at(0))
	for n := range 3 * maxNamed {
		m.Add(ClientErrors, fmt.Sprintf("UI-%d", n))
	}
	m.Add(Tools, "late")
	if err := m.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := l.tallies(t)[0].Counts
	if len(c.Labels) != maxNamed+2 || c.Labels["client_errors/other"] != 2*maxNamed || c.Labels["tools/other"] != 1 {
		t.Errorf("%d labels, %d and %d others", len(c.Labels), c.Labels["client_errors/other"], c.Labels["tools/other"])
	}
	var sum Counts
	for n := range 3 {
		more := Counts{Labels: map[string]int64{}}
		for i := range maxNamed {
			more.Labels[Label(ClientErrors, fmt.Sprint(n, i))] = 1
		}
		sum.Add(more)
	}
	if err := sum.check(); err != nil || sum.Labels["client_errors/other"] != 3*maxNamed-maxLabels {
		t.Errorf("a day has %d others of %d labels, %v", sum.Labels["client_errors/other"], len(sum.Labels), err)
	}
}

// TestLargest checks that the largest tally that is valid has an event that the bus
// takes.
func TestLargest(t *testing.T) {
	c := Counts{Routes: map[string]Route{}, Labels: map[string]int64{}, Sketches: map[string]Sketch{}}
	for n := range 400 {
		r := Route{Calls: 1e9, Client: 1e8, Server: 1e8, Bytes: 1e12}
		for i := range r.Times {
			r.Times[i] = 1e8
		}
		c.Routes[fmt.Sprintf("GET /a/path/of/the/usual/length/%d", n)] = r
		c.Labels[fmt.Sprintf("client_errors/UI-SOMETHING-%d", n)] = 1e6
	}
	for _, name := range []string{Visitors, Plays} {
		s := newSketch()
		for n := range uint64(100_000) {
			s.InsertHash(n * 0x9e3779b97f4a7c15)
		}
		c.Sketches[name] = encode(s)
	}
	e, err := fact.Encode(Tally{Key: fact.NewKey(), At: noon, Counts: c})
	if err != nil || e.Check() != nil {
		t.Fatalf("%v, %v: %d bytes", err, e.Check(), len(e.Data))
	}
	if _, err := fact.Decode[Tally](e); err != nil {
		t.Error(err)
	}
}

// TestCheck spoils a tally in every way.
func TestCheck(t *testing.T) {
	good := func() Tally {
		return Tally{Key: strings.Repeat("0f", 16), At: noon, Counts: Counts{
			Routes: map[string]Route{"GET /": {Calls: 2, Client: 1}}, Labels: map[string]int64{"tools/x": 1},
			Sketches: map[string]Sketch{Visitors: encode(newSketch())},
		}}
	}
	if err := good().Check(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Tally){
		"no key":         func(v *Tally) { v.Key = "" },
		"upper key":      func(v *Tally) { v.Key = strings.Repeat("0F", 16) },
		"no time":        func(v *Tally) { v.At = time.Time{} },
		"negative":       func(v *Tally) { v.Routes["GET /"] = Route{Calls: -1} },
		"more faults":    func(v *Tally) { v.Routes["GET /"] = Route{Calls: 1, Client: 1, Server: 1} },
		"negative time":  func(v *Tally) { v.Routes["GET /"] = Route{Times: Times{-1}} },
		"negative label": func(v *Tally) { v.Labels["tools/x"] = -1 },
		"long label":     func(v *Tally) { v.Labels[strings.Repeat("x", maxName+1)] = 1 },
		"unknown sketch": func(v *Tally) { v.Sketches["others"] = v.Sketches[Visitors] },
		"broken sketch":  func(v *Tally) { v.Sketches[Visitors] = []byte("0123456789abcdef") },
		"another sketch": func(v *Tally) {
			v.Sketches[Visitors], _ = hex.DecodeString("020a00010000000000000000000000000000000000")
		},
		"too many routes":  func(v *Tally) { fill(v.Routes, maxRoutes+1, Route{}) },
		"too many numbers": func(v *Tally) { fill(v.Labels, maxLabels+len(families)+1, 1) },
	} {
		v := good()
		spoil(&v)
		if _, err := fact.Encode(v); !errors.Is(err, bus.ErrEvent) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fill adds entries to m until it has n.
func fill[V any](m map[string]V, n int, v V) {
	for i := 0; len(m) < n; i++ {
		m[fmt.Sprint(i)] = v
	}
}

// TestSketch adds the same things in other orders and parts, with repetitions: the
// estimate is the same, and near the truth.
func TestSketch(t *testing.T) {
	for _, things := range []int{0, 1, 100, 3_000, 20_000, 60_000} {
		whole := newSketch()
		parts := [3]Sketch{}
		for p := range parts {
			part := newSketch()
			for n := things - 1; n >= 0; n-- {
				if id := people.Person(caller(n), 1); n%3 == p || n%7 == p {
					part.InsertHash(binary.BigEndian.Uint64(id[:]))
				}
			}
			parts[p] = encode(part)
		}
		for n := range things {
			id := people.Person(caller(n), 1)
			whole.InsertHash(binary.BigEndian.Uint64(id[:]))
		}
		want := encode(whole).Estimate()
		for _, union := range []Sketch{parts[0].union(parts[1]).union(parts[2]), parts[2].union(parts[0].union(parts[1])).union(parts[1])} {
			if got := union.Estimate(); got != want {
				t.Errorf("%d things in parts are %d, and %d as a whole", things, got, want)
			}
		}
		if off := float64(want-int64(things)) / float64(max(things, 1)); off < -0.03 || off > 0.03 {
			t.Errorf("%d things are estimated as %d", things, want)
		}
	}
}

func BenchmarkAnswered(b *testing.B) {
	m := newMeter(b, &line{}, at(0))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			m.Answered(search)
		}
	})
}

func BenchmarkVisitor(b *testing.B) {
	m := newMeter(b, &line{}, at(0))
	b.ReportAllocs()
	for b.Loop() {
		m.Visitor(caller(1), noon)
	}
}

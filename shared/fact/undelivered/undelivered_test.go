package undelivered_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/bustest"
	queue "miramundo.dev/shared/bus/embedded"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/fact/outbox"
	. "miramundo.dev/shared/fact/undelivered"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
	"miramundo.dev/shared/store/storetest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// A mark is a fact of the tests.
type mark struct {
	Key string `json:"key"`
}

func (m mark) About() fact.About {
	return fact.About{Topic: "marks", Key: m.Key, Subject: "s", At: noon}
}
func (m mark) Check() error { return nil }

// A world is a desk with what it acts on.
type world struct {
	*Desk
	db  store.DB
	bus *queue.Bus
	out *outbox.Outbox
}

var topology = bus.Topology{"marks": {"marks"}, "others": {"others"}}

func open(t *testing.T) *world {
	t.Helper()
	f, err := sqlite.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := embedded.On(f, func() time.Time { return time.Unix(0, 0) }) // what the fixed clock stores never expires
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	b, err := queue.On(f.Share(), topology, queue.Options{Retry: bustest.Quick, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(); db.Close() })
	w := &world{db: db, bus: b, out: &outbox.Outbox{DB: db, Bus: b, Log: log, Now: func() time.Time { return noon }}}
	w.Desk = w.over(db, b)
	return w
}

// over returns a desk over another database and bus.
func (w *world) over(db store.DB, b bus.Bus) *Desk {
	out := &outbox.Outbox{DB: db, Bus: b, Log: w.out.Log, Now: w.out.Now}
	return New(Options{DB: db, Bus: b, Outbox: out, Topology: topology, Now: w.out.Now})
}

// letter stores a letter that nothing sends, and returns its id.
func (w *world) letter(t *testing.T, key string) string {
	t.Helper()
	l, err := outbox.Write(mark{key})
	if err == nil {
		err = w.db.Update(t.Context(), l.Keep)
	}
	if err != nil {
		t.Fatal(err)
	}
	return "outbox:" + key
}

// received returns the number of events that reach marks until stop is called.
func (w *world) receive(t *testing.T, h bus.Handler) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- w.bus.Receive(ctx, "marks", h) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// dead publishes an event that its handler refuses, and returns its id when it is a
// dead letter.
func (w *world) dead(t *testing.T) string {
	t.Helper()
	stop := w.receive(t, func(context.Context, bus.Event) error { return errors.New("no such channel") })
	defer stop()
	events := []bus.Event{{Data: []byte(`{"v":1}`)}}
	if err := w.bus.Publish(t.Context(), "marks", events...); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if found, err := w.bus.DeadLetters(t.Context(), "marks", 9); err != nil || len(found) > 0 {
			return events[0].ID
		}
	}
	return ""
}

// summary returns what a listing shows: letters, dead letters by subscription, and
// the acts with their reasons.
func (w *world) summary(t *testing.T) string {
	t.Helper()
	l, err := w.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	acts, err := w.Acts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%d wait", l.Total)
	for _, q := range l.Queues {
		text += fmt.Sprintf(", %d dead of %s", len(q.Dead), q.Subscription)
		for _, e := range q.Dead {
			text += " (" + e.Failure + ")"
		}
	}
	for _, a := range acts {
		text += fmt.Sprintf("; %s %s by %s: %s %s", a.Verb, a.Topic, a.By, a.Reason, a.Data)
	}
	return text
}

// TestActs does each act once and a second time, which changes nothing.
func TestActs(t *testing.T) {
	for _, test := range []struct {
		order  Order
		before string
		after  string
		comes  int64 // events that are delivered afterwards
	}{
		{
			Order{Verb: SendLetter, By: "Olga"}, "1 wait, 0 dead of marks, 0 dead of others",
			"0 wait, 0 dead of marks, 0 dead of others; send_letter marks by Olga:  ", 1,
		},
		{
			Order{Verb: DropLetter, By: "Olga", Reason: "spam"}, "1 wait, 0 dead of marks, 0 dead of others",
			`0 wait, 0 dead of marks, 0 dead of others; drop_letter marks by Olga: spam {"v":1,"body":{"key":"k"}}`, 0,
		},
		{
			Order{Verb: ReplayEvent, Subscription: "marks", By: "Olga", Reason: "mended"}, "0 wait, 1 dead of marks (no such channel), 0 dead of others",
			"0 wait, 0 dead of marks, 0 dead of others; replay_event marks by Olga: mended ", 1,
		},
		{
			Order{Verb: DropEvent, Subscription: "marks", By: "Olga", Reason: "spam"}, "0 wait, 1 dead of marks (no such channel), 0 dead of others",
			`0 wait, 0 dead of marks, 0 dead of others; drop_event marks by Olga: spam {"v":1}`, 0,
		},
	} {
		t.Run(string(test.order.Verb), func(t *testing.T) {
			w := open(t)
			if test.order.Subscription == "" {
				test.order.ID = w.letter(t, "k")
			} else {
				test.order.ID = w.dead(t)
			}
			if diff := cmp.Diff(test.before, w.summary(t)); diff != "" {
				t.Errorf("before (-want +got):\n%s", diff)
			}
			for _, want := range []bool{true, false} {
				if changed, err := w.Act(t.Context(), test.order); changed != want || err != nil {
					t.Errorf("Act = %t, %v, want %t", changed, err, want)
				}
			}
			if diff := cmp.Diff(test.after, w.summary(t)); diff != "" {
				t.Errorf("after (-want +got):\n%s", diff)
			}
			var came atomic.Int64
			last := make(chan bool)
			stop := w.receive(t, func(_ context.Context, e bus.Event) error {
				if string(e.Data) == "last" {
					close(last)
					return nil
				}
				came.Add(1)
				return nil
			})
			if err := w.bus.Publish(t.Context(), "marks", bus.Event{Data: []byte("last")}); err != nil {
				t.Fatal(err)
			}
			<-last
			stop()
			if came.Load() != test.comes {
				t.Errorf("%d events came, want %d", came.Load(), test.comes)
			}
		})
	}
}

// TestReplayAll replays what failed too often, and then what was rejected; a second
// run changes nothing.
func TestReplayAll(t *testing.T) {
	w := open(t)
	w.dead(t)
	if err := w.bus.Reject(t.Context(), "others", bus.Event{ID: "7", Data: []byte("x"), At: noon, Failure: "no fact"}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		rejected bool
		want     map[string]int
		after    string
	}{
		{false, map[string]int{"marks": 1}, "0 wait, 0 dead of marks, 1 dead of others (no fact)"},
		{false, map[string]int{}, "0 wait, 0 dead of marks, 1 dead of others (no fact)"},
		{true, map[string]int{"others": 1}, "0 wait, 0 dead of marks, 0 dead of others"},
	} {
		got, err := w.ReplayAll(t.Context(), test.rejected)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Replayed{test.want}, got); diff != "" {
			t.Errorf("replayed (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(test.after, w.summary(t)); diff != "" {
			t.Errorf("after (-want +got):\n%s", diff)
		}
	}
	if _, err := w.over(w.db, bustest.Broken()).ReplayAll(t.Context(), false); !errors.Is(err, bustest.ErrBroken) {
		t.Errorf("without a bus ReplayAll = %v", err)
	}
}

// TestAlert sums up what waits and what is dead, and says when that needs attention.
func TestAlert(t *testing.T) {
	at := func(age time.Duration) []outbox.Waiting {
		return []outbox.Waiting{{Letter: outbox.Letter{At: store.At(noon.Add(-age))}}}
	}
	old := noon.Add(-Patience - time.Second)
	for name, test := range map[string]struct {
		l    Listing
		want Alert
	}{
		"nothing":        {Listing{Queues: []Queue{{Backlog: &bus.Backlog{}}}}, Alert{}},
		"a new letter":   {Listing{Waiting: at(time.Minute), Total: 1}, Alert{Waiting: 1, Oldest: noon.Add(-time.Minute)}},
		"an old letter":  {Listing{Waiting: at(Patience + time.Second), Total: 3}, Alert{Waiting: 3, Oldest: old, Raised: true}},
		"an old event":   {Listing{Waiting: at(time.Minute), Total: 1, Queues: []Queue{{Backlog: &bus.Backlog{Waiting: 2, Failed: 2, Oldest: old}}}}, Alert{Waiting: 3, Oldest: old, Raised: true}},
		"dead, counted":  {Listing{Queues: []Queue{{Backlog: &bus.Backlog{Dead: 70}, Dead: make([]bus.Event, MaxDead), More: true}}}, Alert{Dead: 70, Raised: true}},
		"dead, listed":   {Listing{Queues: []Queue{{Dead: make([]bus.Event, MaxDead), More: true}}}, Alert{Dead: MaxDead, More: true, Raised: true}},
		"a silent queue": {Listing{Queues: []Queue{{Problem: "silent"}}}, Alert{Raised: true}},
	} {
		if diff := cmp.Diff(test.want, test.l.Alert(noon)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestInvalidOrders(t *testing.T) {
	w := open(t)
	for want, o := range map[string]Order{
		"id":           {Verb: SendLetter, By: "Olga"},
		"subscription": {Verb: ReplayEvent, ID: "x", By: "Olga"},
		"reason":       {Verb: DropLetter, ID: "x", By: "Olga", Reason: "  "},
		"by":           {Verb: SendLetter, ID: "x"},
		"act":          {Verb: "explode", ID: "x", By: "Olga"},
	} {
		_, err := w.Act(t.Context(), o)
		if f, ok := errors.AsType[*fault.Error](err); !ok || !errors.Is(err, ErrInvalid) || f.Fields["param"] != want {
			t.Errorf("Act(%+v) = %v, want ErrInvalid with the param %s", o, err, want)
		}
	}
	long := Order{Verb: SendLetter, ID: "x", By: "Olga", Reason: strings.Repeat("x", MaxReason+1)}
	if _, err := w.Act(t.Context(), long); !errors.Is(err, ErrInvalid) {
		t.Errorf("a long reason: %v", err)
	}
}

// TestBusFails lists the outbox while the bus does not answer, and keeps the letter
// that could not be sent.
func TestBusFails(t *testing.T) {
	w := open(t)
	id := w.letter(t, "k")
	cut := w.over(w.db, bustest.Broken())
	l, err := cut.List(t.Context())
	if err != nil || l.Total != 1 || len(l.Queues) != 2 || l.Queues[0].Problem == "" {
		t.Errorf("List = %+v, %v", l, err)
	}
	if changed, err := cut.Act(t.Context(), Order{Verb: SendLetter, ID: id, By: "Olga"}); changed || !errors.Is(err, bustest.ErrBroken) {
		t.Errorf("Act = %t, %v", changed, err)
	}
	if diff := cmp.Diff("1 wait, 0 dead of marks, 0 dead of others", w.summary(t)); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
}

// TestDatabaseFails drops nothing of which no copy could be stored.
func TestDatabaseFails(t *testing.T) {
	w := open(t)
	order := Order{Verb: DropEvent, Subscription: "marks", ID: w.dead(t), By: "Olga", Reason: "spam"}
	if changed, err := w.over(storetest.Broken(), w.bus).Act(t.Context(), order); changed || !errors.Is(err, storetest.ErrBroken) {
		t.Errorf("Act = %t, %v", changed, err)
	}
	if diff := cmp.Diff("0 wait, 1 dead of marks (no such channel), 0 dead of others", w.summary(t)); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
}

// A meddledBus calls after when Publish or Replay has returned, and before when Drop is
// called.
type meddledBus struct {
	bus.Bus
	after, before func()
}

func (b meddledBus) Publish(ctx context.Context, topic string, events ...bus.Event) error {
	defer b.after()
	return b.Bus.Publish(ctx, topic, events...)
}

func (b meddledBus) Replay(ctx context.Context, subscription, id string) (bool, error) {
	defer b.after()
	return b.Bus.Replay(ctx, subscription, id)
}

func (b meddledBus) Drop(ctx context.Context, subscription, id string) (bool, error) {
	b.before()
	return b.Bus.Drop(ctx, subscription, id)
}

// TestCallerLeaves stores an act whose caller disconnects as soon as it is done.
func TestCallerLeaves(t *testing.T) {
	for verb, add := range map[Verb]func(*world) string{
		ReplayEvent: func(w *world) string { return w.dead(t) },
		SendLetter:  func(w *world) string { return w.letter(t, "k") },
	} {
		w := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		desk := w.over(w.db, meddledBus{Bus: w.bus, after: cancel})
		order := Order{Verb: verb, Subscription: "marks", ID: add(w), By: "Olga", Reason: "mended"}
		if changed, err := desk.Act(ctx, order); !changed || err != nil {
			t.Errorf("%s: Act = %t, %v", verb, changed, err)
		}
		acts, err := w.Acts(t.Context())
		if err != nil || len(acts) != 1 || acts[0].Verb != verb {
			t.Errorf("%s: Acts = %+v, %v, want one of it", verb, acts, err)
		}
	}
}

// TestTwoOperators drops a dead letter that another operator replays at the same time:
// only the replay is logged.
func TestTwoOperators(t *testing.T) {
	w := open(t)
	id := w.dead(t)
	desk := w.over(w.db, meddledBus{Bus: w.bus, before: func() {
		if changed, err := w.Act(t.Context(), Order{Verb: ReplayEvent, Subscription: "marks", ID: id, By: "Olga"}); !changed || err != nil {
			t.Errorf("the other operator: Act = %t, %v", changed, err)
		}
	}})
	if changed, err := desk.Act(t.Context(), Order{Verb: DropEvent, Subscription: "marks", ID: id, By: "Ivan", Reason: "spam"}); changed || err != nil {
		t.Errorf("Act = %t, %v", changed, err)
	}
	if diff := cmp.Diff("0 wait, 0 dead of marks, 0 dead of others; replay_event marks by Olga:  ", w.summary(t)); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
}

// TestUnreadableLetter lists a letter that can never be sent with the reason, and
// drops it.
func TestUnreadableLetter(t *testing.T) {
	w := open(t)
	if err := w.db.Set(t.Context(), "outbox/k", map[string]any{"topic": "marks", "data": "", "at": noon}); err != nil {
		t.Fatal(err)
	}
	l, err := w.List(t.Context())
	if err != nil || len(l.Waiting) != 1 || l.Waiting[0].Problem == "" {
		t.Fatalf("List = %+v, %v", l, err)
	}
	order := Order{Verb: DropLetter, ID: l.Waiting[0].ID, By: "Olga", Reason: "spoiled"}
	if changed, err := w.Act(t.Context(), order); !changed || err != nil {
		t.Errorf("Act = %t, %v", changed, err)
	}
	if l, err := w.List(t.Context()); err != nil || l.Total != 0 {
		t.Errorf("List = %+v, %v", l, err)
	}
}

package bustest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/bus"
)

// patience bounds each test, so that an event that never comes fails it. It
// is several times the ack deadline, since a machine may be busy.
const patience = 150 * time.Second

// topology is that of all tests.
var topology = bus.Topology{"plays": {"plays-count", "plays-keep"}, "other": {"other-count"}, "unheard": nil}

// Attempts is how often the buses of the suite must deliver an event.
const Attempts = 5

// Quick is a policy for tests on the embedded bus.
var Quick = bus.Retry{MinBackoff: time.Millisecond, MaxBackoff: time.Second, Attempts: Attempts, Keep: bus.Patient.Keep}

// Run runs the suite on buses that open returns. Each must be empty and used
// by nothing else; Run closes none. It expects a failed event to be delivered
// again within seconds, and up to [Attempts] times.
func Run(t *testing.T, open func(*testing.T, bus.Topology) bus.Bus) {
	for name, f := range map[string]func(context.Context, *testing.T, bus.Bus){
		"Deliver":      testDeliver,
		"Subscribers":  testSubscribers,
		"Share":        testShare,
		"Refuse":       testRefuse,
		"Names":        testNames,
		"Again":        testAgain,
		"Panic":        testPanic,
		"DeadLetter":   testDeadLetter,
		"Poison":       testPoison,
		"Reject":       testReject,
		"ReplayAll":    testReplayAll,
		"Backlog":      testBacklog,
		"Replay":       testReplay,
		"Drop":         testDrop,
		"CancelReturn": testCancel,
		"Cancelled":    testCancelled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			f(ctx, t, open(t, topology))
		})
	}
}

func publish(ctx context.Context, t *testing.T, b bus.Bus, topic string, data ...string) []bus.Event {
	t.Helper()
	events := make([]bus.Event, len(data))
	for i, d := range data {
		events[i].Data = []byte(d)
	}
	if err := b.Publish(ctx, topic, events...); err != nil {
		t.Fatalf("Publish to %s = %v", topic, err)
	}
	return events
}

// An inbox collects the events of a subscription by id.
type inbox struct {
	mu     sync.Mutex
	events map[string]bus.Event // guarded by mu
	came   chan struct{}        // one for each event that is new
}

func newInbox() *inbox {
	return &inbox{events: map[string]bus.Event{}, came: make(chan struct{}, 10_000)}
}

func (in *inbox) take(_ context.Context, e bus.Event) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if _, again := in.events[e.ID]; !again {
		in.came <- struct{}{}
	}
	in.events[e.ID] = e
	return nil
}

// wait waits for n new events and returns all events so far.
func (in *inbox) wait(ctx context.Context, t *testing.T, n int) map[string]bus.Event {
	t.Helper()
	for i := range n {
		select {
		case <-in.came:
		case <-ctx.Done():
			t.Fatalf("%d of %d events came", i, n)
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return maps.Clone(in.events)
}

// receive runs Receive until stop is called.
func receive(ctx context.Context, t *testing.T, b bus.Bus, subscription string, h bus.Handler) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- b.Receive(ctx, subscription, h) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Receive = %v, want nil when its context ends", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func testDeliver(ctx context.Context, t *testing.T, b bus.Bus) {
	before := time.Now()
	sent := []bus.Event{
		{Data: []byte(`{"channel":"a"}`), Attributes: map[string]string{"kind": "play", "é": ""}},
		{Data: []byte{0, 255, '\n'}},
		{Data: []byte(strings.Repeat("x", bus.MaxData)), Attributes: attributes(90)},
	}
	if err := b.Publish(ctx, "plays", sent...); err != nil {
		t.Fatalf("Publish = %v", err)
	}
	in := newInbox()
	receive(ctx, t, b, "plays-count", in.take)
	came := in.wait(ctx, t, len(sent))
	for _, want := range sent {
		got, ok := came[want.ID]
		if !ok || want.ID == "" {
			t.Fatalf("event %q did not come", want.ID)
		}
		if diff := cmp.Diff(want.Attributes, got.Attributes, cmpEmpty); diff != "" || string(got.Data) != string(want.Data) {
			t.Errorf("event %s: data equal: %t, attributes (-want +got)\n%s", want.ID, string(got.Data) == string(want.Data), diff)
		}
		if got.At.Before(before.Add(-time.Minute)) || got.At.After(time.Now().Add(time.Minute)) || got.Attempt < 0 || got.Attempt > Attempts {
			t.Errorf("event at %v, attempt %d", got.At, got.Attempt)
		}
	}
}

// cmpEmpty compares no attributes and an empty map as equal.
var cmpEmpty = cmp.Transformer("empty", func(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
})

func attributes(n int) map[string]string {
	m := map[string]string{}
	for i := range n {
		m[fmt.Sprintf("name-%03d", i)] = strings.Repeat("v", 100)
	}
	return m
}

func testSubscribers(ctx context.Context, t *testing.T, b bus.Bus) {
	count, keep, other := newInbox(), newInbox(), newInbox()
	receive(ctx, t, b, "plays-count", count.take)
	receive(ctx, t, b, "plays-keep", keep.take)
	receive(ctx, t, b, "other-count", other.take)
	publish(ctx, t, b, "plays", "1", "2", "3")
	publish(ctx, t, b, "other", "4")
	publish(ctx, t, b, "unheard", "5")
	if err := b.Publish(ctx, "plays"); err != nil {
		t.Errorf("Publish of nothing = %v", err)
	}
	count.wait(ctx, t, 3)
	keep.wait(ctx, t, 3)
	for _, e := range other.wait(ctx, t, 1) {
		if string(e.Data) != "4" {
			t.Errorf("event %q of another topic", e.Data)
		}
	}
}

// testShare has two receivers of one subscription while others publish: none
// is lost.
func testShare(ctx context.Context, t *testing.T, b bus.Bus) {
	const publishers, each = 4, 50
	in := newInbox()
	receive(ctx, t, b, "plays-count", in.take)
	receive(ctx, t, b, "plays-count", in.take)
	var wg sync.WaitGroup
	for range publishers {
		wg.Go(func() {
			for i := 0; i < each; i += 5 {
				events := make([]bus.Event, 5)
				for j := range events {
					events[j].Data = fmt.Append(nil, i+j)
				}
				if err := b.Publish(ctx, "plays", events...); err != nil {
					t.Errorf("Publish = %v", err)
				}
			}
		})
	}
	wg.Wait()
	in.wait(ctx, t, publishers*each)
}

func testRefuse(ctx context.Context, t *testing.T, b bus.Bus) {
	good := bus.Event{Data: []byte("x")}
	with := func(name, value string) bus.Event {
		return bus.Event{Data: []byte("x"), Attributes: map[string]string{name: value}}
	}
	for name, c := range map[string]struct {
		event bus.Event
		want  error
	}{
		"empty":            {bus.Event{}, bus.ErrEvent},
		"too large":        {bus.Event{Data: make([]byte, bus.MaxData+1)}, bus.ErrTooLarge},
		"many attributes":  {bus.Event{Data: []byte("x"), Attributes: attributes(91)}, bus.ErrEvent},
		"no name":          {with("", "v"), bus.ErrEvent},
		"long name":        {with(strings.Repeat("n", 257), "v"), bus.ErrEvent},
		"long value":       {with("n", strings.Repeat("v", 1025)), bus.ErrEvent},
		"reserved name":    {with("googclient", "v"), bus.ErrEvent},
		"our own name":     {with("event_id", "v"), bus.ErrEvent},
		"no UTF-8":         {with("n", "\xff"), bus.ErrEvent},
		"no UTF-8 in name": {with("\xff", "v"), bus.ErrEvent},
	} {
		if err := b.Publish(ctx, "plays", good, c.event); !errors.Is(err, c.want) {
			t.Errorf("Publish, %s = %v, want %v", name, err, c.want)
		}
	}
	in := newInbox()
	receive(ctx, t, b, "plays-count", in.take)
	last := publish(ctx, t, b, "plays", "last")
	if _, ok := in.wait(ctx, t, 1)[last[0].ID]; !ok {
		t.Error("an event came of a Publish that was refused")
	}
}

func testNames(ctx context.Context, t *testing.T, b bus.Bus) {
	for _, name := range []string{"", "none", "plays-count", "../plays"} {
		if err := b.Publish(ctx, name, bus.Event{Data: []byte("x")}); !errors.Is(err, bus.ErrTopic) {
			t.Errorf("Publish to %q = %v, want ErrTopic", name, err)
		}
	}
	for _, name := range []string{"", "none", "plays"} {
		if err := b.Receive(ctx, name, newInbox().take); !errors.Is(err, bus.ErrSubscription) {
			t.Errorf("Receive of %q = %v, want ErrSubscription", name, err)
		}
		if _, err := b.DeadLetters(ctx, name, 1); !errors.Is(err, bus.ErrSubscription) {
			t.Errorf("DeadLetters of %q = %v, want ErrSubscription", name, err)
		}
		if _, err := b.Replay(ctx, name, "x"); !errors.Is(err, bus.ErrSubscription) {
			t.Errorf("Replay of %q = %v, want ErrSubscription", name, err)
		}
		if _, err := b.Drop(ctx, name, "x"); !errors.Is(err, bus.ErrSubscription) {
			t.Errorf("Drop of %q = %v, want ErrSubscription", name, err)
		}
	}
}

// testAgain refuses every event once.
func testAgain(ctx context.Context, t *testing.T, b bus.Bus) {
	in := newInbox()
	var mu sync.Mutex
	seen := map[string]bool{}
	receive(ctx, t, b, "plays-count", func(ctx context.Context, e bus.Event) error {
		mu.Lock()
		defer mu.Unlock()
		if !seen[e.ID] {
			seen[e.ID] = true
			return errors.New("not yet")
		}
		return in.take(ctx, e)
	})
	publish(ctx, t, b, "plays", "1", "2", "3")
	in.wait(ctx, t, 3)
}

func testPanic(ctx context.Context, t *testing.T, b bus.Bus) {
	in := newInbox()
	var once sync.Once
	receive(ctx, t, b, "plays-count", func(ctx context.Context, e bus.Event) error {
		once.Do(func() { panic("stop") })
		return in.take(ctx, e)
	})
	publish(ctx, t, b, "plays", "1")
	in.wait(ctx, t, 1)
}

// testDeadLetter has an event that is always refused: it does not hold up the
// others, and becomes a dead letter.
func testDeadLetter(ctx context.Context, t *testing.T, b bus.Bus) {
	in := newInbox()
	receive(ctx, t, b, "plays-count", func(ctx context.Context, e bus.Event) error {
		if string(e.Data) == "poison" {
			return errors.New("poison")
		}
		return in.take(ctx, e)
	})
	poison := []bus.Event{{Data: []byte("poison"), Attributes: map[string]string{"kind": "bad"}}}
	if err := b.Publish(ctx, "plays", poison...); err != nil {
		t.Fatal(err)
	}
	publish(ctx, t, b, "plays", "1", "2", "3", "4", "5")
	in.wait(ctx, t, 5)
	for range 2 { // they stay there
		dead := deadLetter(ctx, t, b, "plays-count")
		if string(dead.Data) != "poison" || dead.Attributes["kind"] != "bad" || dead.ID == "" {
			t.Errorf("dead letter %+v, want the event that was refused", dead)
		}
	}
	if dead, err := b.DeadLetters(ctx, "plays-keep", 5); err != nil || len(dead) != 0 {
		t.Errorf("dead letters of another subscription = %d, %v", len(dead), err)
	}
}

// testPoison has events that can never be handled: each is delivered once, and then a
// dead letter with the reason. A replay delivers it again.
func testPoison(ctx context.Context, t *testing.T, b bus.Bus) {
	in := newInbox()
	var deliveries atomic.Int32
	receive(ctx, t, b, "plays-count", func(ctx context.Context, e bus.Event) error {
		if string(e.Data) != "poison" {
			return in.take(ctx, e)
		}
		deliveries.Add(1)
		return fmt.Errorf("read: %w", bus.ErrEvent.Because(errors.New("no fact")))
	})
	sent := publish(ctx, t, b, "plays", "poison", "1", "2")
	in.wait(ctx, t, 2)
	dead := deadLetter(ctx, t, b, "plays-count")
	if dead.ID != sent[0].ID || !dead.Rejected || !strings.Contains(dead.Failure, "no fact") || dead.At.Sub(sent[0].At).Abs() > time.Minute {
		t.Errorf("dead letter %+v, want the poison and its reason", dead)
	}
	if n := deliveries.Load(); n > 2 { // a bus may deliver an event twice
		t.Errorf("the poison was delivered %d times", n)
	}
	before := deliveries.Load()
	if found, err := b.Replay(ctx, "plays-count", dead.ID); !found || err != nil {
		t.Fatalf("Replay = %t, %v", found, err)
	}
	again := deadLetter(ctx, t, b, "plays-count")
	if again.ID != dead.ID || deliveries.Load() == before {
		t.Errorf("dead letter %+v after a replay, delivered %d times", again, deliveries.Load())
	}
}

// testReject rejects an event by hand, as for a push: it becomes a dead letter of its
// subscription alone.
func testReject(ctx context.Context, t *testing.T, b bus.Bus) {
	e := bus.Event{
		ID: "7", Data: []byte("x"), Attributes: map[string]string{"kind": "bad"}, At: time.Now(), Attempt: 3,
		Failure: strings.Repeat("é", bus.MaxFailure),
	}
	if err := b.Reject(ctx, "plays-count", e); err != nil {
		t.Fatal(err)
	}
	dead := deadLetter(ctx, t, b, "plays-count")
	if dead.ID != "7" || dead.Attributes["kind"] != "bad" || !dead.Rejected || dead.Failure != strings.Repeat("é", bus.MaxFailure/2) {
		t.Errorf("dead letter %+v", dead)
	}
	if err := b.Reject(ctx, "none", e); !errors.Is(err, bus.ErrSubscription) {
		t.Errorf("Reject in no subscription = %v", err)
	}
	in := newInbox()
	receive(ctx, t, b, "plays-count", in.take)
	if found, err := b.Replay(ctx, "plays-count", "7"); !found || err != nil {
		t.Fatalf("Replay = %t, %v", found, err)
	}
	if got := in.wait(ctx, t, 1)["7"]; string(got.Data) != "x" || got.Failure != "" || got.Rejected {
		t.Errorf("replayed %+v", got)
	}
}

// testReplayAll replays dead letters together: first those that were not rejected, of
// which there are none, and then all.
func testReplayAll(ctx context.Context, t *testing.T, b bus.Bus) {
	for _, id := range []string{"1", "2", "3"} {
		if err := b.Reject(ctx, "plays-count", bus.Event{ID: id, Data: []byte("x"), At: time.Now(), Failure: "bad"}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []int{0, 3, 0} {
		if n, err := b.ReplayAll(ctx, "plays-count", i > 0); n != want || err != nil {
			t.Errorf("ReplayAll, call %d = %d, %v, want %d", i, n, err, want)
		}
	}
	in := newInbox()
	receive(ctx, t, b, "plays-count", in.take)
	if came := in.wait(ctx, t, 3); len(came) != 3 {
		t.Errorf("%d events came", len(came))
	}
	if _, err := b.ReplayAll(ctx, "none", true); !errors.Is(err, bus.ErrSubscription) {
		t.Errorf("ReplayAll of no subscription = %v", err)
	}
}

// testBacklog counts what waits, unless the backend does not count.
func testBacklog(ctx context.Context, t *testing.T, b bus.Bus) {
	if _, _, err := b.Backlog(ctx, "none"); !errors.Is(err, bus.ErrSubscription) {
		t.Errorf("Backlog of no subscription = %v", err)
	}
	sent := publish(ctx, t, b, "plays", "1", "2")
	if err := b.Reject(ctx, "plays-count", bus.Event{ID: "7", Data: []byte("x"), At: time.Now(), Failure: "bad"}); err != nil {
		t.Fatal(err)
	}
	got, counted, err := b.Backlog(ctx, "plays-count")
	if err != nil {
		t.Fatal(err)
	}
	if !counted {
		return
	}
	if got.Waiting != 2 || got.Failed != 0 || got.Dead != 1 || got.Oldest.After(sent[0].At) && got.Oldest.After(sent[1].At) {
		t.Errorf("Backlog = %+v", got)
	}
	if got, _, err := b.Backlog(ctx, "other-count"); err != nil || got != (bus.Backlog{}) {
		t.Errorf("Backlog of an empty subscription = %+v, %v", got, err)
	}
}

// testReplay lets an event become a dead letter, and delivers it again once its
// handler accepts it: with the same id, and as often as a new event.
func testReplay(ctx context.Context, t *testing.T, b bus.Bus) {
	var mended atomic.Bool
	in := newInbox()
	receive(ctx, t, b, "plays-count", func(ctx context.Context, e bus.Event) error {
		if !mended.Load() {
			return errors.New("poison")
		}
		return in.take(ctx, e)
	})
	sent := []bus.Event{{Data: []byte("x"), Attributes: map[string]string{"kind": "bad"}}}
	if err := b.Publish(ctx, "plays", sent...); err != nil {
		t.Fatal(err)
	}
	dead := deadLetter(ctx, t, b, "plays-count")
	if dead.Failure != "" && dead.Failure != "poison" {
		t.Errorf("failure %q", dead.Failure)
	}
	if found, err := b.Replay(ctx, "plays-count", "another"); found || err != nil {
		t.Errorf("Replay of an unknown event = %t, %v", found, err)
	}
	mended.Store(true)
	if found, err := b.Replay(ctx, "plays-count", dead.ID); !found || err != nil {
		t.Fatalf("Replay = %t, %v", found, err)
	}
	got := in.wait(ctx, t, 1)[sent[0].ID]
	if string(got.Data) != "x" || got.Attributes["kind"] != "bad" || got.Attempt > 2 {
		t.Errorf("replayed %+v", got)
	}
	settled(ctx, t, b, dead.ID)
}

// testDrop deletes a dead letter: it is not delivered again.
func testDrop(ctx context.Context, t *testing.T, b bus.Bus) {
	receive(ctx, t, b, "plays-count", func(context.Context, bus.Event) error { return errors.New("poison") })
	publish(ctx, t, b, "plays", "x")
	dead := deadLetter(ctx, t, b, "plays-count")
	if found, err := b.Drop(ctx, "plays-count", "another"); found || err != nil {
		t.Errorf("Drop of an unknown event = %t, %v", found, err)
	}
	if found, err := b.Drop(ctx, "plays-count", dead.ID); !found || err != nil {
		t.Fatalf("Drop = %t, %v", found, err)
	}
	settled(ctx, t, b, dead.ID)
}

// settled checks that the dead letter with an id is gone.
func settled(ctx context.Context, t *testing.T, b bus.Bus, id string) {
	t.Helper()
	if dead, err := b.DeadLetters(ctx, "plays-count", 5); err != nil || len(dead) != 0 {
		t.Errorf("%d dead letters are left, %v", len(dead), err)
	}
	if found, err := b.Replay(ctx, "plays-count", id); found || err != nil {
		t.Errorf("Replay of a settled dead letter = %t, %v", found, err)
	}
}

// deadLetter waits for the one dead letter of a subscription.
func deadLetter(ctx context.Context, t *testing.T, b bus.Bus, subscription string) bus.Event {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		dead, err := b.DeadLetters(ctx, subscription, 5)
		if err != nil || len(dead) > 1 {
			t.Fatalf("DeadLetters = %d, %v, want one", len(dead), err)
		}
		if len(dead) == 1 {
			return dead[0]
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("no dead letter came")
		}
	}
}

// testCancel stops a receiver while it handles an event: the event is
// delivered to the next receiver.
func testCancel(ctx context.Context, t *testing.T, b bus.Bus) {
	started := make(chan struct{})
	var once sync.Once
	stop := receive(ctx, t, b, "plays-count", func(ctx context.Context, _ bus.Event) error {
		once.Do(func() { close(started) })
		<-ctx.Done()
		return ctx.Err()
	})
	publish(ctx, t, b, "plays", "1")
	select {
	case <-started:
	case <-ctx.Done():
		t.Fatal("the event did not come")
	}
	stop()
	in := newInbox()
	receive(ctx, t, b, "plays-count", in.take)
	in.wait(ctx, t, 1)
}

func testCancelled(ctx context.Context, t *testing.T, b bus.Bus) {
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := b.Publish(gone, "plays", bus.Event{Data: []byte("x")}); !errors.Is(err, context.Canceled) {
		t.Errorf("Publish = %v, want the context's error", err)
	}
	if _, err := b.DeadLetters(gone, "plays-count", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("DeadLetters = %v, want the context's error", err)
	}
	if err := b.Receive(gone, "plays-count", newInbox().take); err != nil {
		t.Errorf("Receive = %v, want nil", err)
	}
}

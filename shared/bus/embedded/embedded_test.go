package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/bustest"
	"miramundo.dev/shared/bus/embedded"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/store"
	documents "miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
)

var topology = bus.Topology{"plays": {"count"}}

// fast delivers refused events again soon.
var fast = embedded.Options{Retry: bustest.Quick, Log: slog.New(slog.DiscardHandler)}

func openFile(t testing.TB, path string) *sqlite.File {
	t.Helper()
	f, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func on(t testing.TB, f *sqlite.File, top bus.Topology, o embedded.Options) *embedded.Bus {
	t.Helper()
	b, err := embedded.On(f.Share(), top, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func TestConformance(t *testing.T) {
	bustest.Run(t, func(t *testing.T, top bus.Topology) bus.Bus {
		return on(t, openFile(t, filepath.Join(t.TempDir(), "db")), top, fast)
	})
}

func TestUnrulyConformance(t *testing.T) {
	bustest.Run(t, func(t *testing.T, top bus.Topology) bus.Bus {
		return bustest.Unruly(on(t, openFile(t, filepath.Join(t.TempDir(), "db")), top, fast))
	})
}

// TestOtherProcess publishes through a second open file: a receiver of the
// first gets it.
func TestOtherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	ours := on(t, openFile(t, path), topology, fast)
	theirs := on(t, openFile(t, path), topology, fast)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := theirs.Publish(ctx, "plays", bus.Event{Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	got := first(ctx, t, ours)
	if string(got.Data) != "x" || got.Attempt != 1 {
		t.Errorf("event %+v", got)
	}
}

// first receives one event.
func first(ctx context.Context, t *testing.T, b bus.Bus) (got bus.Event) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := b.Receive(ctx, "count", func(_ context.Context, e bus.Event) error {
		got = e
		cancel()
		return nil
	})
	if err != nil || got.ID == "" {
		t.Fatalf("Receive = %v, event %q", err, got.ID)
	}
	return got
}

// TestAttempts counts exactly how often a refused event is handled, and that
// the number is right each time.
func TestAttempts(t *testing.T) {
	b := on(t, openFile(t, filepath.Join(t.TempDir(), "db")), topology, fast)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := b.Publish(ctx, "plays", bus.Event{Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	attempts := make(chan int, 100)
	done := make(chan error)
	rctx, stop := context.WithCancel(ctx)
	go func() {
		done <- b.Receive(rctx, "count", func(_ context.Context, e bus.Event) error {
			attempts <- e.Attempt
			return errors.New("no")
		})
	}()
	for n := 1; n <= bustest.Attempts; n++ {
		if got := <-attempts; got != n {
			t.Errorf("attempt %d, want %d", got, n)
		}
	}
	stop()
	if err := <-done; err != nil || len(attempts) != 0 {
		t.Errorf("Receive = %v, %d attempts too many", err, len(attempts))
	}
}

// TestStoppedReceiver stops receivers while they handle an event, more often
// than MaxAttempts: that does not count.
func TestStoppedReceiver(t *testing.T) {
	b := on(t, openFile(t, filepath.Join(t.TempDir(), "db")), topology, fast)
	if err := b.Publish(t.Context(), "plays", bus.Event{Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	for n := range 2 * bustest.Attempts {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		err := b.Receive(ctx, "count", func(ctx context.Context, e bus.Event) error {
			if e.Attempt != 1 {
				t.Errorf("attempt %d after %d receivers have stopped", e.Attempt, n)
			}
			cancel()
			return ctx.Err()
		})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestLeaseEnds has a receiver that never finishes: after its lease the event
// is delivered to another, and after MaxAttempts such receivers it is dead.
func TestLeaseEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	start := time.Now()
	at := func(n int) embedded.Options {
		o := fast
		o.Now = func() time.Time { return start.Add(time.Duration(n) * time.Minute) }
		return o
	}
	if err := on(t, openFile(t, path), topology, at(0)).Publish(ctx, "plays", bus.Event{Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	defer close(release)
	for n := range bustest.Attempts {
		b := on(t, openFile(t, path), topology, at(n))
		taken := make(chan bus.Event)
		go func() {
			_ = b.Receive(ctx, "count", func(_ context.Context, e bus.Event) error {
				taken <- e
				<-release
				return nil
			})
		}()
		select {
		case e := <-taken:
			if e.Attempt != n+1 {
				t.Errorf("attempt %d, want %d", e.Attempt, n+1)
			}
		case <-ctx.Done():
			t.Fatalf("the event did not come again after %d leases", n)
		}
	}
	last := on(t, openFile(t, path), topology, at(bustest.Attempts))
	if err := last.Publish(ctx, "plays", bus.Event{Data: []byte("y")}); err != nil {
		t.Fatal(err)
	}
	if e := first(ctx, t, last); string(e.Data) != "y" {
		t.Errorf("event %q comes once more", e.Data)
	}
	dead, err := last.DeadLetters(ctx, "count", 10)
	if err != nil || len(dead) != 1 || string(dead[0].Data) != "x" || dead[0].Failure == "" {
		t.Errorf("dead letters %v, %v, want the event and why it failed", dead, err)
	}
}

// TestFailure stores the error of the last attempt, cut to a bounded size, also in
// a file that was made before the column existed.
func TestFailure(t *testing.T) {
	f := openFile(t, filepath.Join(t.TempDir(), "db"))
	on(t, f, topology, fast)
	err := f.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.Exec("ALTER TABLE events DROP COLUMN failure")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	b := on(t, f, topology, fast)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := b.Publish(ctx, "plays", bus.Event{Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	attempts := 0
	rctx, stop := context.WithCancel(ctx)
	done := make(chan error)
	dead := make(chan []bus.Event)
	go func() {
		done <- b.Receive(rctx, "count", func(context.Context, bus.Event) error {
			attempts++
			return errors.New(strings.Repeat("é", attempts*100))
		})
	}()
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if found, err := b.DeadLetters(ctx, "count", 1); err != nil || len(found) > 0 {
				dead <- found
				return
			}
		}
	}()
	found := <-dead
	stop()
	if err := <-done; err != nil || len(found) != 1 || found[0].Failure != strings.Repeat("é", bus.MaxFailure/2) {
		t.Errorf("Receive = %v, dead letters %+v", err, found)
	}
}

// TestLateSettlement finishes an event after its lease ended and another
// receiver finished it. An event published since, whose row may have the same
// number, is not lost.
func TestLateSettlement(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	slow := on(t, openFile(t, path), topology, embedded.Options{Lease: time.Hour})
	later := fast
	later.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	other := on(t, openFile(t, path), topology, later)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := slow.Publish(ctx, "plays", bus.Event{Data: []byte("first")}); err != nil {
		t.Fatal(err)
	}
	taken, wake, done := make(chan struct{}), make(chan struct{}), make(chan error)
	sctx, stop := context.WithCancel(ctx)
	go func() {
		done <- slow.Receive(sctx, "count", func(context.Context, bus.Event) error {
			close(taken)
			<-wake
			stop()
			return nil
		})
	}()
	<-taken
	if got := first(ctx, t, other); string(got.Data) != "first" || got.Attempt != 2 {
		t.Fatalf("another receiver gets %q, attempt %d", got.Data, got.Attempt)
	}
	// Published as if after the receiver that is late had looked for the last time.
	if err := other.Publish(ctx, "plays", bus.Event{Data: []byte("second")}); err != nil {
		t.Fatal(err)
	}
	close(wake)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := first(ctx, t, other); string(got.Data) != "second" {
		t.Errorf("got %q, want the second event", got.Data)
	}
}

// TestKill kills a process after its handler has written its document and
// before it can settle the event: the event comes again and the document is
// there.
func TestKill(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		child(args[0])
	}
	path := filepath.Join(t.TempDir(), "db")
	f := openFile(t, path)
	b := on(t, f, topology, fast)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sent := []bus.Event{{Data: []byte("1")}, {Data: []byte("2")}, {Data: []byte("3")}}
	if err := b.Publish(ctx, "plays", sent...); err != nil {
		t.Fatal(err)
	}
	handled := 0
	killtest.Run(t, killtest.Plan{Args: []string{path}, Hear: func(string) bool { handled++; return handled == len(sent) }})

	db, err := documents.On(f.Share(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	later := fast
	later.Now = func() time.Time { return time.Now().Add(time.Hour) }
	again := on(t, f, topology, later)
	ctx, stop := context.WithCancel(ctx)
	var mu sync.Mutex
	seen := map[string]int{}
	err = again.Receive(ctx, "count", func(ctx context.Context, e bus.Event) error {
		mu.Lock()
		defer mu.Unlock()
		if err := db.Get(ctx, store.Path("counted").Join(e.ID), &struct{}{}); err == nil {
			seen[e.ID] = e.Attempt
		}
		if len(seen) == len(sent) {
			stop()
		}
		return nil
	})
	for _, e := range sent {
		if seen[e.ID] != 2 {
			t.Errorf("event %s comes with attempt %d, %v; want 2, its document written before", e.ID, seen[e.ID], err)
		}
	}
}

// child handles events: it writes a document for each, says so, and does not
// return.
func child(path string) {
	f, err := sqlite.Open(path)
	if err != nil {
		panic(err)
	}
	db, err := documents.On(f, time.Now)
	if err != nil {
		panic(err)
	}
	b, err := embedded.On(f.Share(), topology, fast)
	if err != nil {
		panic(err)
	}
	err = b.Receive(context.Background(), "count", func(ctx context.Context, e bus.Event) error {
		if err := db.Create(ctx, store.Path("counted").Join(e.ID), struct{}{}); err != nil {
			return err
		}
		killtest.Say(e.ID)
		select {}
	})
	panic(err)
}

// TestOldEventsAreDropped lets events grow too old. A clock that was ahead for less
// than an hour drops none.
func TestOldEventsAreDropped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	ctx := t.Context()
	if err := on(t, openFile(t, path), topology, fast).Publish(ctx, "plays", bus.Event{Data: []byte("old")}); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	late := now.Add(fast.Retry.Keep + 24*time.Hour)
	later := fast
	later.Now = func() time.Time { return late }
	b := on(t, openFile(t, path), topology, later)
	if err := b.Publish(ctx, "plays", bus.Event{Data: []byte("new")}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		before time.Time
		want   int64
	}{{now, 0}, {late, 1}} {
		if n, err := embedded.Drop(b, ctx, test.before); n != test.want || err != nil {
			t.Errorf("with the clock at %v an hour ago Drop = %d, %v, want %d", test.before, n, err, test.want)
		}
	}
	if e := first(ctx, t, b); string(e.Data) != "new" {
		t.Errorf("event %q comes, want it dropped", e.Data)
	}
}

// TestClockAhead publishes an event, and has one fail, while the clock is 30 days
// ahead. Once it is set right both are delivered.
func TestClockAhead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ahead := fast
	ahead.Now = func() time.Time { return time.Now().Add(30 * 24 * time.Hour) }
	wrong := on(t, openFile(t, path), topology, ahead)
	if err := wrong.Publish(ctx, "plays", bus.Event{Data: []byte("x")}, bus.Event{Data: []byte("y")}); err != nil {
		t.Fatal(err)
	}
	failing, stop := context.WithCancel(ctx)
	var failures atomic.Int32
	err := wrong.Receive(failing, "count", func(context.Context, bus.Event) error {
		if failures.Add(1) > 3 {
			stop()
		}
		return errors.New("the database does not answer")
	})
	if err != nil {
		t.Fatal(err)
	}
	right := on(t, openFile(t, path), topology, fast)
	if _, err := embedded.Mend(right, ctx); err != nil { // the bus does so by itself when it is opened
		t.Fatal(err)
	}
	if l, _, err := right.Backlog(ctx, "count"); err != nil || l.Waiting != 2 {
		t.Errorf("Backlog = %+v, %v, want 2 events", l, err)
	}
	came := make(chan string, 2)
	receiving, end := context.WithCancel(ctx)
	defer end()
	go func() {
		_ = right.Receive(receiving, "count", func(_ context.Context, e bus.Event) error {
			came <- string(e.Data)
			return nil
		})
	}()
	for range 2 {
		select {
		case <-came:
		case <-ctx.Done():
			t.Fatal("an event does not come")
		}
	}
}

// TestOutage has a handler that fails for more than an hour, with the policy of the
// service, while events come. Once it is repaired all are handled, and none has become
// a dead letter.
func TestOutage(t *testing.T) {
	var now atomic.Int64
	now.Store(time.Now().UnixNano())
	b := on(t, openFile(t, filepath.Join(t.TempDir(), "db")), topology, embedded.Options{
		Parallel: 100, Now: func() time.Time { return time.Unix(0, now.Load()) }, Log: slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var repaired atomic.Bool
	handled := make(chan string, 1000)
	ended := make(chan error)
	receiving, stop := context.WithCancel(ctx)
	go func() {
		ended <- b.Receive(receiving, "count", func(_ context.Context, e bus.Event) error {
			handled <- string(e.Data)
			if !repaired.Load() {
				return errors.New("the database does not answer")
			}
			return nil
		})
	}()
	expect := func(n int) {
		t.Helper()
		came := map[string]bool{}
		for len(came) < n {
			select {
			case data := <-handled:
				came[data] = true
			case <-ctx.Done():
				t.Fatalf("%d of %d events came", len(came), n)
			}
		}
	}
	const steps = 9
	for n := range steps {
		repaired.Store(n == steps-1)
		if err := b.Publish(ctx, "plays", bus.Event{Data: fmt.Append(nil, n)}); err != nil { // which also wakes the receiver
			t.Fatal(err)
		}
		expect(n + 1)
		settled(ctx, t, b, repaired.Load())
		now.Add(int64(bus.Patient.MaxBackoff))
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if l, _, err := b.Backlog(t.Context(), "count"); err != nil || l != (bus.Backlog{}) {
		t.Errorf("after the repair %+v, %v is left", l, err)
	}
}

// settled waits until every event has failed, or none is left.
func settled(ctx context.Context, t *testing.T, b *embedded.Bus, repaired bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		l, _, err := b.Backlog(ctx, "count")
		if err != nil {
			t.Fatal(err)
		}
		if l.Waiting == l.Failed && repaired == (l.Waiting == 0) {
			return
		}
	}
}

func BenchmarkPublish(b *testing.B) {
	bb := on(b, openFile(b, filepath.Join(b.TempDir(), "db")), topology, fast)
	data := make([]byte, 300)
	for b.Loop() {
		if err := bb.Publish(b.Context(), "plays", bus.Event{Data: data}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReceive takes and settles events that lie there.
func BenchmarkReceive(b *testing.B) {
	bb := on(b, openFile(b, filepath.Join(b.TempDir(), "db")), topology, fast)
	for n := b.N; n > 0; n -= 100 {
		events := make([]bus.Event, min(n, 100))
		for i := range events {
			events[i].Data = make([]byte, 300)
		}
		if err := bb.Publish(b.Context(), "plays", events...); err != nil {
			b.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(b.Context())
	came := make(chan struct{})
	b.ResetTimer()
	go func() {
		for range b.N {
			<-came
		}
		cancel()
	}()
	err := bb.Receive(ctx, "count", func(context.Context, bus.Event) error {
		came <- struct{}{}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

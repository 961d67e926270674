package job

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire"
)

// A process runs the job "work" on a database that others share.
type process struct {
	*Runner
	ticks chan time.Time
	work  func(ctx context.Context) error
}

// processes share one clock.
type processes struct {
	db  store.DB
	now atomic.Int64 // in seconds
}

// onEach runs a test on each kind of database.
func onEach(t *testing.T, test func(*testing.T, *processes)) {
	t.Run("embedded", func(t *testing.T) { test(t, open(t, wire.Config{Backend: wire.Embedded, DataDir: t.TempDir()})) })
	t.Run("firestore", func(t *testing.T) {
		host := os.Getenv("FIRESTORE_EMULATOR_HOST")
		if host == "" && os.Getenv("MIRAMUNDO_EMULATORS") == "required" {
			t.Fatal("no Firestore emulator")
		} else if host == "" {
			t.Skip("no Firestore emulator")
		}
		test(t, open(t, wire.Config{
			Backend: wire.Emulators, Project: "demo-job-" + strings.ToLower(rand.Text()),
			FirestoreHost: host, PubSubHost: os.Getenv("PUBSUB_EMULATOR_HOST"),
		}))
	})
}

func open(t *testing.T, c wire.Config) *processes {
	t.Helper()
	db, events, err := wire.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); db.Close() })
	return &processes{db: db}
}

func (f *processes) clock() time.Time { return time.Unix(f.now.Load(), 0) }

func (f *processes) pass(d time.Duration) { f.now.Add(int64(d / time.Second)) }

// machine returns one more that shares the database, or another way to it.
func (f *processes) machine(db store.DB) *process {
	m := &process{ticks: make(chan time.Time)}
	m.Runner = NewRunner(db, slog.New(slog.DiscardHandler), f.clock, Job{Name: "work", Run: func(ctx context.Context, _ Order) (any, error) {
		return nil, m.work(ctx)
	}})
	m.tick = func(time.Duration) (<-chan time.Time, func()) { return m.ticks, func() {} }
	return m
}

// TestLease has two processes run one job: one at a time, and the second
// after the first.
func TestLease(t *testing.T) { onEach(t, testLease) }

func testLease(t *testing.T, f *processes) {
	a, b := f.machine(f.db), f.machine(f.db)
	b.work = func(context.Context) error { return nil }
	a.work = func(context.Context) error {
		if rep, err := b.Run(t.Context(), "work", Order{}); rep != nil || !errors.Is(err, ErrRunning) {
			t.Errorf("while it runs elsewhere: %+v, %v", rep, err)
		}
		return nil
	}
	for _, m := range []*process{a, b} {
		if _, err := m.Run(t.Context(), "work", Order{}); err != nil {
			t.Errorf("one after the other: %v", err)
		}
	}
}

// TestLeaseRenewed keeps a job running for longer than leaseTime.
func TestLeaseRenewed(t *testing.T) { onEach(t, testLeaseRenewed) }

func testLeaseRenewed(t *testing.T, f *processes) {
	a, b := f.machine(f.db), f.machine(f.db)
	a.work = func(context.Context) error {
		for range 12 {
			f.pass(leaseTime / 3)
			a.ticks <- time.Time{}
			a.ticks <- time.Time{} // taken once the first is done with
			if _, err := b.Run(t.Context(), "work", Order{}); !errors.Is(err, ErrRunning) {
				t.Errorf("a lease that was renewed: %v", err)
			}
		}
		return nil
	}
	if _, err := a.Run(t.Context(), "work", Order{}); err != nil {
		t.Error(err)
	}
}

// TestLeaseOfKilledProcess takes over from a process that died, after its
// lease has expired and not before.
func TestLeaseOfKilledProcess(t *testing.T) { onEach(t, testLeaseOfTheDead) }

func testLeaseOfTheDead(t *testing.T, f *processes) {
	if _, err := f.machine(f.db).acquire(t.Context(), "work"); err != nil {
		t.Fatal(err)
	}
	b := f.machine(f.db)
	b.work = func(context.Context) error { return nil }
	f.pass(leaseTime - time.Second)
	if _, err := b.Run(t.Context(), "work", Order{}); !errors.Is(err, ErrRunning) {
		t.Errorf("while the lease holds: %v", err)
	}
	f.pass(time.Second)
	if _, err := b.Run(t.Context(), "work", Order{}); err != nil {
		t.Errorf("after its end: %v", err)
	}
}

// TestCutOff names the run of a process that died once its lease has expired, logs it
// when the next run begins, and forgets it then. A clock that was ahead is named too.
func TestCutOff(t *testing.T) { onEach(t, testCutOff) }

func testCutOff(t *testing.T, f *processes) {
	for ahead, word := range map[time.Duration]string{0: "clock_ahead=false", 30 * 24 * time.Hour: "clock_ahead=true"} {
		dead, began := f.machine(f.db), f.clock().Add(ahead)
		dead.where, dead.now = "host a", func() time.Time { return f.clock().Add(ahead) }
		if _, err := dead.acquire(t.Context(), "work"); err != nil {
			t.Fatal(err)
		}
		f.pass(takeoverTime)
		var log bytes.Buffer
		b := f.machine(f.db)
		b.log, b.work = slog.New(slog.NewTextHandler(&log, nil)), func(context.Context) error { return nil }
		running, cut, err := b.Runs(t.Context(), "work")
		if err != nil || running != nil || cut == nil || cut.Where != "host a" || !cut.Since.Equal(began) {
			t.Errorf("%v ahead: Runs = %v, %v, %v, want the run of host a as cut off", ahead, running, cut, err)
		}
		if _, err := b.Run(t.Context(), "work", Order{}); err != nil {
			t.Fatal(err)
		}
		if text := log.String(); !strings.Contains(text, "cut off") || !strings.Contains(text, word) {
			t.Errorf("%v ahead: the log has %s", ahead, text)
		}
		if running, cut, err := b.Runs(t.Context(), "work"); running != nil || cut != nil || err != nil {
			t.Errorf("after the next run: %v, %v, %v", running, cut, err)
		}
	}
}

// TestLeaseOfWrongClock takes over from processes that died while their clocks
// were wrong, whatever date they left behind. A clock that is a few seconds
// ahead still keeps other runs out.
func TestLeaseOfWrongClock(t *testing.T) { onEach(t, testLeaseOfWrongClock) }

func testLeaseOfWrongClock(t *testing.T, f *processes) {
	for _, test := range []struct {
		ahead time.Duration // of the clock of the process that died
		holds bool          // until then the lease keeps others out
	}{
		{-100 * 365 * 24 * time.Hour, false},
		{-leaseTime, false},
		{-time.Second, true},
		{clockTolerance, true},
		{clockTolerance + time.Second, false},
		{time.Hour, false},
		{100 * 365 * 24 * time.Hour, false},
	} {
		dead := f.machine(f.db)
		dead.now = func() time.Time { return f.clock().Add(test.ahead) }
		if _, err := dead.acquire(t.Context(), "work"); err != nil {
			t.Fatal(err)
		}
		b := f.machine(f.db)
		b.work = func(context.Context) error { return nil }
		_, err := b.Run(t.Context(), "work", Order{})
		if errors.Is(err, ErrRunning) != test.holds {
			t.Errorf("%v ahead, at once: %v", test.ahead, err)
		}
		f.pass(takeoverTime)
		if _, err := b.Run(t.Context(), "work", Order{}); err != nil {
			t.Errorf("%v ahead, after %v: %v", test.ahead, takeoverTime, err)
		}
	}
}

// TestRunningSays checks that a refused run is told since when and where the
// other one runs, also after the lease was renewed, and by a lease that an
// earlier version of this package left without those fields.
func TestRunningSays(t *testing.T) { onEach(t, testRunningSays) }

func testRunningSays(t *testing.T, f *processes) {
	a, b := f.machine(f.db), f.machine(f.db)
	a.where, b.where = "host a", "host b"
	fields := func() map[string]any {
		_, err := b.Run(t.Context(), "work", Order{})
		if !errors.Is(err, ErrRunning) {
			t.Errorf("beside another run: %v", err)
		}
		return fault.From(err).Fields
	}
	a.work = func(context.Context) error {
		want := map[string]any{"since": store.At(f.clock()), "where": "host a"}
		f.pass(leaseTime / 2)
		a.ticks <- time.Time{}
		a.ticks <- time.Time{} // taken once the first is done with
		f.pass(leaseTime / 2)
		if diff := cmp.Diff(want, fields()); diff != "" {
			t.Errorf("fields (-want +got):\n%s", diff)
		}
		return nil
	}
	if _, err := a.Run(t.Context(), "work", Order{}); err != nil {
		t.Error(err)
	}
	old := map[string]any{"holder": "x", "until": store.At(f.clock().Add(leaseTime))}
	if err := f.db.Set(t.Context(), leasePath("work"), old); err != nil {
		t.Fatal(err)
	}
	if got := fields(); len(got) > 0 {
		t.Errorf("fields of a lease without them: %v", got)
	}
}

// holdForever is the child process: it runs the job with a clock that is ahead
// by a number of seconds, until it is killed.
func holdForever(t *testing.T, dir, ahead string) {
	f := open(t, wire.Config{Backend: wire.Embedded, DataDir: dir})
	seconds, err := time.ParseDuration(ahead)
	if err != nil {
		t.Fatal(err)
	}
	m := f.machine(f.db)
	m.now = func() time.Time { return time.Now().Add(seconds) }
	m.work = func(context.Context) error {
		killtest.Say("runs as", m.where)
		select {}
	}
	_, err = m.Run(t.Context(), "work", Order{})
	t.Fatal(err)
}

// TestProcessKilledWhileRunning kills a process in the middle of a job, with its
// clock right, behind and years ahead: within takeoverTime another process can
// run the job.
func TestProcessKilledWhileRunning(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		holdForever(t, args[0], args[1])
	}
	for _, ahead := range []string{"0s", "-1h", "9s", "11s", "87600h"} {
		dir, said := t.TempDir(), ""
		killtest.Run(t, killtest.Plan{Args: []string{dir, ahead}, Hear: func(line string) bool { said = line; return true }})
		f := open(t, wire.Config{Backend: wire.Embedded, DataDir: dir})
		b := f.machine(f.db)
		b.work = func(context.Context) error { return nil }
		b.now = time.Now
		_, err := b.Run(t.Context(), "work", Order{})
		if where, _ := fault.From(err).Fields["where"].(string); ahead == "0s" && (!errors.Is(err, ErrRunning) || said != "runs as "+where) {
			t.Errorf("at once: %v at %q, where the process said %q", err, where, said)
		}
		b.now = func() time.Time { return time.Now().Add(takeoverTime) }
		if _, err := b.Run(t.Context(), "work", Order{}); err != nil {
			t.Errorf("%s ahead, after %v: %v", ahead, takeoverTime, err)
		}
	}
}

// TestFence suspends a process until another holds the lease: its later
// writes are refused, its context ends, and its report is not stored.
func TestFence(t *testing.T) { onEach(t, testFence) }

func testFence(t *testing.T, f *processes) {
	a, b := f.machine(f.db), f.machine(f.db)
	note := func(ctx context.Context, text string) error {
		fence := Fence(ctx)
		return f.db.Update(t.Context(), func(tx store.Tx) error {
			if err := fence(tx); err != nil {
				return err
			}
			return tx.Set("notes/one", map[string]string{"text": text})
		})
	}
	b.work = func(ctx context.Context) error { return note(ctx, "b") }
	a.work = func(ctx context.Context) error {
		if err := note(ctx, "a"); err != nil {
			t.Errorf("while the lease is held: %v", err)
		}
		f.pass(2 * leaseTime)
		if _, err := b.Run(t.Context(), "work", Order{}); err != nil {
			t.Errorf("in its place: %v", err)
		}
		if err := note(ctx, "late"); !errors.Is(err, ErrLost) {
			t.Errorf("late: %v, want ErrLost", err)
		}
		a.ticks <- time.Time{}
		<-ctx.Done()
		return nil
	}
	if rep, err := a.Run(t.Context(), "work", Order{}); !errors.Is(err, ErrLost) || rep.OK {
		t.Errorf("the one that was held up: %+v, %v", rep, err)
	}
	var got map[string]string
	if err := f.db.Get(t.Context(), "notes/one", &got); err != nil || got["text"] != "b" {
		t.Errorf("kept %v, %v", got, err)
	}
	if last, err := b.Last(t.Context(), "work"); err != nil || last == nil || !last.OK {
		t.Errorf("the report that is kept: %+v, %v", last, err)
	}
}

// TestLeaseWithoutDatabase cancels a run that cannot renew its lease once the
// lease has expired, and not before. Without a database no run begins.
func TestLeaseWithoutDatabase(t *testing.T) { onEach(t, testLeaseWithoutDatabase) }

func testLeaseWithoutDatabase(t *testing.T, f *processes) {
	db := storetest.NewSwitch(f.db)
	a := f.machine(db)
	a.work = func(ctx context.Context) error {
		db.Off()
		a.ticks <- time.Time{}
		a.ticks <- time.Time{}
		if ctx.Err() != nil {
			t.Error("ended though the lease holds")
		}
		f.pass(leaseTime) // maybe before it is done with the second tick
		select {
		case a.ticks <- time.Time{}:
		case <-ctx.Done():
		}
		<-ctx.Done()
		return ctx.Err()
	}
	if _, err := a.Run(t.Context(), "work", Order{}); !errors.Is(err, ErrLost) {
		t.Errorf("without a database: %v, want ErrLost", err)
	}
	if rep, err := a.Run(t.Context(), "work", Order{}); rep != nil || err == nil || errors.Is(err, ErrRunning) {
		t.Errorf("begun without a database: %+v, %v", rep, err)
	}
}

// A repeatingDB does not learn that a transaction succeeded, and repeats it.
type repeatingDB struct{ store.DB }

func (d repeatingDB) Update(ctx context.Context, f func(store.Tx) error) error {
	if err := d.DB.Update(ctx, f); err != nil {
		return err
	}
	return d.DB.Update(ctx, f)
}

// TestLeaseTransactionRepeated takes a lease by a transaction that is
// repeated after it succeeded.
func TestLeaseTransactionRepeated(t *testing.T) { onEach(t, testLeaseTakenTwice) }

func testLeaseTakenTwice(t *testing.T, f *processes) {
	a, b := f.machine(repeatingDB{f.db}), f.machine(f.db)
	a.work = func(context.Context) error {
		if _, err := b.Run(t.Context(), "work", Order{}); !errors.Is(err, ErrRunning) {
			t.Errorf("while it runs elsewhere: %v", err)
		}
		return nil
	}
	if _, err := a.Run(t.Context(), "work", Order{}); err != nil {
		t.Error(err)
	}
}

// TestLeaseRace has many processes ask at once: one of them runs.
func TestLeaseRace(t *testing.T) { onEach(t, testLeaseOfMany) }

func testLeaseOfMany(t *testing.T, f *processes) {
	const n = 8
	var ran atomic.Int32
	asked := make(chan error, n)
	var all sync.WaitGroup
	for range n {
		m := f.machine(f.db)
		m.work = func(context.Context) error {
			ran.Add(1)
			for range n - 1 { // ends when all others were told
				if err := <-asked; !errors.Is(err, ErrRunning) {
					t.Errorf("beside it: %v", err)
				}
			}
			return nil
		}
		all.Go(func() {
			if rep, err := m.Run(t.Context(), "work", Order{}); rep == nil {
				asked <- err
			}
		})
	}
	all.Wait()
	if ran.Load() != 1 {
		t.Errorf("%d ran", ran.Load())
	}
}

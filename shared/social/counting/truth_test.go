package counting

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/bustest"
	queue "miramundo.dev/shared/bus/embedded"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
	"miramundo.dev/shared/wire"
)

// reports is how many reports the tests of the truth deliver. The acceptance
// run has 100,000.
var reports = flag.Int("reports", 3_000, "reports that TestTruth delivers")

// noon is when all of these tests take place.
var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

// A world is a database with a bus, as one process has it.
type world struct {
	db  store.DB
	bus bus.Bus
}

// open returns the world that lies in a file, as a process of its own would.
func open(t testing.TB, file string) world {
	t.Helper()
	f, err := sqlite.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	db, err := embedded.On(f.Share(), clock)
	if err != nil {
		t.Fatal(err)
	}
	b, err := queue.On(f.Share(), social.Topology(), queue.Options{
		Parallel: 1000, Retry: bustest.Quick, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(); db.Close() })
	return world{db, b}
}

func report(rng *rand.Rand, n, channels int) social.Report {
	// A few channels have most of the reports, as among people.
	channel := int(float64(channels) * rng.Float64() * rng.Float64() * rng.Float64())
	r := social.Report{
		Key: fmt.Sprintf("%064x", n), Channel: fmt.Sprintf("Channel%d.br", channel), OK: rng.IntN(3) > 0,
		Browser: pick(rng, "Chrome", "Firefox", "Safari", "Edge", "Outro"),
		OS:      pick(rng, "Windows", "Android", "iOS", "Linux", "webOS", "Outro"),
		Country: pick(rng, "BR", "PT", "US", "FR", "ZZ"),
		At:      noon.Add(-time.Duration(rng.IntN(3*24*3600)) * time.Second),
	}
	if !r.OK {
		r.Code = pick(rng, social.Codes...)
	}
	r.Network, r.Doubtful = social.NetworkOf([16]byte{byte(rng.IntN(40))}, r.Channel), rng.IntN(3) == 0
	return r
}

func pick(rng *rand.Rand, of ...string) string { return of[rng.IntN(len(of))] }

// deliveries returns n reports, each one to three times, in random order, and
// what they come to.
func deliveries(t testing.TB, rng *rand.Rand, n, channels int) ([]bus.Event, map[string]social.Counts) {
	t.Helper()
	var events []bus.Event
	counted := map[string]*social.Counted{}
	for i := range n {
		r := report(rng, i, channels)
		e, err := r.Event()
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + rng.IntN(3) {
			events = append(events, e)
		}
		if counted[r.Channel] == nil {
			counted[r.Channel] = new(social.Counted)
		}
		counted[r.Channel].Apply(r)
	}
	truth := map[string]social.Counts{}
	for channel, c := range counted {
		truth[channel] = c.Counts
	}
	rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	return events, truth
}

// publish publishes events in parts.
func publish(ctx context.Context, t testing.TB, b bus.Bus, events []bus.Event) {
	t.Helper()
	for i := 0; i < len(events); i += 500 {
		if err := b.Publish(ctx, social.Reports, events[i:min(i+500, len(events))]...); err != nil {
			t.Fatal(err)
		}
	}
}

// compare checks that documents and overlays have the true counts.
func compare(ctx context.Context, t testing.TB, db store.DB, truth map[string]social.Counts) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	counts := social.FollowOverlay(ctx, overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
	if err := counts.Loaded(ctx); err != nil {
		t.Fatal(err)
	}
	for channel, want := range truth {
		got, err := social.ReadCounts(ctx, db, channel)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("counts of %s (-want +got):\n%s", channel, diff)
		}
		shown, ok := counts.Counts(channel)
		if !ok {
			t.Fatalf("%s is not shown", channel)
		}
		if diff := cmp.Diff(want, *shown); diff != "" {
			t.Fatalf("what is shown of %s (-want +got):\n%s", channel, diff)
		}
	}
}

// TestTruth delivers reports, while one consumer after another is stopped in
// the middle of its work, and fails now and then to settle what it counted.
func TestTruth(t *testing.T) {
	w := open(t, filepath.Join(t.TempDir(), "db"))
	n := *reports
	if testing.Short() {
		n = min(n, 600)
	}
	events, truth := deliveries(t, rand.New(rand.NewPCG(1, 2)), n, 300)
	start := time.Now()
	publish(t.Context(), t, w.bus, events)
	published := time.Since(start)
	consume(t, w, len(events), 9)
	compare(t.Context(), t, w.db, truth)
	t.Logf("%d reports in %d deliveries, %d channels: published in %v, counted in %v",
		n, len(events), len(truth), published.Round(time.Millisecond), (time.Since(start) - published).Round(time.Millisecond))
}

var errLost = errors.New("the answer is lost")

// A tally knows which events were settled.
type tally struct {
	mu   sync.Mutex
	ids  map[string]bool // guarded by mu
	some chan struct{}   // one for each event that is new
}

// settle has the event settled, unless its answer is lost.
func (l *tally) settle(e bus.Event) error {
	if e.Attempt <= 1 && rand.IntN(16) == 0 {
		return errLost
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ids[e.ID] {
		l.ids[e.ID] = true
		l.some <- struct{}{}
	}
	return nil
}

// consume counts until every delivery was settled. Consumers are stopped as
// often as stops says; of what they counted some is not settled, as when a
// process dies before its answer. What a consumer had pulled ahead when it was
// stopped comes back when its time is over, and an event that was lost so too
// often is among the dead letters.
func consume(t *testing.T, w world, deliveries, stops int) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	all := &tally{ids: map[string]bool{}, some: make(chan struct{}, deliveries)}
	every := deliveries/(stops+1) + 1
	for total := 0; total < deliveries; {
		stop := live(ctx, t, w, all)
		for until := min(total+every, deliveries); total < until; {
			select {
			case <-all.some:
				total++
			case <-time.After(15 * time.Second):
				t.Logf("nothing comes after %d of %d deliveries", total, deliveries)
				bury(ctx, t, w, all)
			case <-ctx.Done():
				t.Fatalf("%d of %d deliveries are settled", total, deliveries)
			}
		}
		stop()
	}
}

// bury counts and settles the dead letters, as an operator would. One that the
// counter refuses is a defect.
func bury(ctx context.Context, t *testing.T, w world, all *tally) {
	dead, err := w.bus.DeadLetters(ctx, social.Reports, 100)
	if err != nil {
		t.Fatal(err)
	}
	c := newCounter(w)
	for _, e := range dead {
		if err := c.Count(ctx, social.Reports, e); err != nil {
			t.Fatal(err)
		}
		e.Attempt = math.MaxInt // its answer arrives
		if err := all.settle(e); err != nil {
			t.Fatal(err)
		}
	}
}

func newCounter(w world) *fact.Counter[*social.Counted] {
	return New(Options{DB: w.db, Now: clock, Gather: 10 * time.Millisecond, Show: 100 * time.Millisecond})
}

// live runs two consumers until the function that it returns is called.
func live(ctx context.Context, t *testing.T, w world, all *tally) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	c := newCounter(w)
	var consumers errgroup.Group
	for range 2 {
		consumers.Go(func() error {
			return w.bus.Receive(ctx, social.Reports, func(ctx context.Context, e bus.Event) error {
				if err := c.Count(ctx, social.Reports, e); err != nil {
					return err
				}
				return all.settle(e)
			})
		})
	}
	return func() {
		cancel()
		if err := consumers.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTruthInEmulators does the same in the cloud's databases, with fewer.
func TestTruthInEmulators(t *testing.T) {
	documents, events := os.Getenv("FIRESTORE_EMULATOR_HOST"), os.Getenv("PUBSUB_EMULATOR_HOST")
	if documents == "" || events == "" {
		t.Skip("no emulators")
	}
	db, b, err := wire.Open(t.Context(), wire.Config{
		Backend: wire.Emulators, Project: fmt.Sprintf("demo-counting-%d", os.Getpid()),
		FirestoreHost: documents, PubSubHost: events, Topology: social.Topology(), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(); db.Close() })
	w := world{db, b}
	sent, truth := deliveries(t, rand.New(rand.NewPCG(3, 4)), 40, 6)
	publish(t.Context(), t, w.bus, sent)
	// No stop: the emulator may lose for good what a closed stream had pulled
	// ahead. Answers are lost all the same.
	consume(t, w, len(sent), 0)
	compare(t.Context(), t, w.db, truth)
}

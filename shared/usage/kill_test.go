package usage

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/bustest"
	queue "miramundo.dev/shared/bus/embedded"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
)

// copies is a second subscription of the topic, from which the test reads what was
// published.
const copies = "copies"

// opened returns the documents and events in a file some lives later, when what a
// process that was killed had taken comes again.
func opened(file string, life int) (store.DB, bus.Bus, error) {
	f, err := sqlite.Open(file)
	if err != nil {
		return nil, nil, err
	}
	db, err := embedded.On(f.Share(), at(0))
	if err != nil {
		return nil, nil, err
	}
	b, err := queue.On(f, bus.Topology{Topic: {Topic, copies}}, queue.Options{
		Parallel: 20, Retry: bustest.Quick, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Now().Add(time.Duration(life) * time.Minute) },
	})
	return db, b, err
}

// work is the child: it counts and publishes without end, or receives and adds up what
// was published, until it is killed.
func work(t *testing.T, role, file, number string) {
	life, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	db, b, err := opened(file, life)
	if err != nil {
		t.Fatal(err)
	}
	if role == "adds" {
		c := fact.NewCounter(Book, fact.Options[*Counted]{DB: db, Now: at(time.Hour)})
		t.Fatal(b.Receive(context.Background(), Topic, func(ctx context.Context, e bus.Event) error {
			err := c.Count(ctx, Topic, e)
			killtest.Say("added", err)
			return err
		}))
	}
	m := NewMeter(Options{Bus: b, People: people, Now: at(0), Every: time.Hour})
	for n := 0; ; n++ {
		for i := range 20 {
			m.Answered(search)
			m.Visitor(caller(life*1_000_000+n*100+i), noon)
		}
		if err := m.Publish(t.Context()); err != nil {
			t.Fatal(err)
		}
		killtest.Say("published", 20*(n+1))
	}
}

// TestKill kills processes that count, and processes that add up what these
// published, again and again in the middle of their work. In the end everything that
// reached the bus is counted once, and nothing was lost that had been published.
func TestKill(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		work(t, args[0], args[1], args[2])
	}
	file := filepath.Join(t.TempDir(), "db")
	rnd := rand.New(rand.NewPCG(15, 6))
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	published := 0
	for life := range rounds {
		said := 0
		killtest.Run(t, killtest.Plan{
			Args: []string{"counts", file, fmt.Sprint(life)}, After: time.Duration(rnd.IntN(20)) * time.Millisecond,
			Hear: func(line string) bool {
				_, _ = fmt.Sscanf(line, "published %d", &said)
				return said >= 200
			},
		})
		published += said
		added, until := 0, 3+rnd.IntN(5)
		killtest.Run(t, killtest.Plan{
			Args: []string{"adds", file, fmt.Sprint(life)}, After: time.Duration(rnd.IntN(5)) * time.Millisecond,
			Hear: func(string) bool { added++; return added >= until },
		})
	}
	db, b, err := opened(file, rounds)
	if err != nil {
		t.Fatal(err)
	}
	want := drain(t, b, copies, nil)
	drain(t, b, Topic, fact.NewCounter(Book, fact.Options[*Counted]{DB: db, Now: at(time.Hour)}))
	got, err := Read(t.Context(), db, "2026-11-23")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.Routes, got[0].Routes); d != "" {
		t.Errorf("(-on the bus +counted):\n%s", d)
	}
	if w, g := want.Sketches[Visitors].Estimate(), got[0].Sketches[Visitors].Estimate(); w != g {
		t.Errorf("%d visitors are counted, and %d on the bus", g, w)
	}
	if n := got[0].Total().Calls; n < int64(published) || n > int64(published+20*rounds*10) {
		t.Errorf("%d calls are counted of %d that were published, and few more", n, published)
	}
}

// drain receives what a subscription has, counts it by c unless it is nil, and returns
// the sum of the different tallies.
func drain(t *testing.T, b bus.Bus, subscription string, c *fact.Counter[*Counted]) (sum Counts) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	idle := time.AfterFunc(time.Second, stop)
	tallies := make(chan Tally)
	ended := make(chan error, 1)
	go func() {
		ended <- b.Receive(ctx, subscription, func(ctx context.Context, e bus.Event) error {
			tally, err := fact.Decode[Tally](e)
			if err == nil && c != nil {
				err = c.Count(ctx, Topic, e)
			}
			if err == nil {
				tallies <- tally
			}
			return err
		})
		close(tallies)
	}()
	seen := map[string]bool{}
	for tally := range tallies {
		idle.Reset(time.Second)
		if !seen[tally.Key] {
			seen[tally.Key] = true
			sum.Add(tally.Counts)
		}
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return sum
}

package counting

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/bustest"
	queue "miramundo.dev/shared/bus/embedded"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
)

// opened returns the world in a file some lives later, when what a process that
// was killed had taken comes again.
func opened(file string, life int) (world, error) {
	f, err := sqlite.Open(file)
	if err != nil {
		return world{}, err
	}
	db, err := embedded.On(f.Share(), clock)
	if err != nil {
		return world{}, err
	}
	b, err := queue.On(f, social.Topology(), queue.Options{
		Parallel: 50, Retry: bustest.Quick, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Now().Add(time.Duration(life) * time.Minute) },
	})
	return world{db, b}, err
}

// child counts, and says how that went for each event, until it is killed.
func child(t *testing.T, file, number string) {
	life, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	w, err := opened(file, life)
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{DB: w.db, Now: clock})
	err = w.bus.Receive(context.Background(), social.Reports, func(ctx context.Context, e bus.Event) error {
		err := c.Count(ctx, social.Reports, e)
		killtest.Say("counted", err)
		return err
	})
	t.Fatal(err)
}

// TestKill kills a process that counts, again and again in the middle of its
// work. The one that is left counts the rest, and all of it once.
func TestKill(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		child(t, args[0], args[1])
	}
	const lives = 4 // fewer than attempts
	file := filepath.Join(t.TempDir(), "db")
	rng := rand.New(rand.NewPCG(11, 12))
	n := 600
	if testing.Short() {
		n = 400 // of which each life takes at most a hundred
	}
	events, truth := deliveries(t, rng, n, 40)
	w, err := opened(file, 0)
	if err != nil {
		t.Fatal(err)
	}
	publish(t.Context(), t, w.bus, events)
	for life := range lives {
		left := 1 + rng.IntN(100)
		killtest.Run(t, killtest.Plan{Args: []string{file, fmt.Sprint(life)}, Hear: func(line string) bool {
			if line != "counted <nil>" {
				t.Errorf("the process says %q", line)
			}
			left--
			return left == 0
		}})
	}
	last, err := opened(file, lives)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { last.bus.Close(); last.db.Close(); w.bus.Close(); w.db.Close() })
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	c := New(Options{DB: last.db, Now: clock})
	ended := make(chan error)
	go func() { ended <- c.Receive(ctx, last.bus) }()
	until(t, func() bool { return isTrue(t, last, truth) })
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	compare(t.Context(), t, last.db, truth)
}

// isTrue reports whether as many reports are counted as there are.
func isTrue(t *testing.T, w world, truth map[string]social.Counts) bool {
	for channel, want := range truth {
		got, err := social.ReadCounts(t.Context(), w.db, channel)
		if err != nil {
			t.Fatal(err)
		}
		if got.Plays+got.Fails < want.Plays+want.Fails {
			return false
		}
	}
	return true
}
